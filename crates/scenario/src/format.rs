//! The form of a `scenario.yaml`: data, without what is done with it.

mod added_directories;
mod event;
mod section;
mod session;

pub use added_directories::{AddedSpec, InstructionSwitch};
pub use event::{AssistantPart, Event, QueuedSpec, ToolResultSpec, ToolUseSpec, True};
pub use section::{SectionLifetime, SectionSpec};
pub use session::{CacheSpec, Lifetime, PromptSpec};

use std::collections::BTreeMap;

use aside_cache_split::{Layout, TtlPolicy};
use aside_prompt_sections::SessionDate;
use aside_providers::Provider;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::feature::Feature;
use crate::pin::Pin;
use crate::schema::scenario as schema;

/// What a `scenario.yaml` says. Everything but `turns` may be left out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario is there to show.
    #[serde(default)]
    pub description: String,
    /// The features that it shows.
    #[serde(default)]
    pub shows: Vec<Feature>,
    /// Another scenario whose `tree`, and whose values for all that is not
    /// said here, count.
    pub extends: Option<String>,
    /// The working directory in `tree`, by default `project`.
    pub cwd: Option<String>,
    /// A directory, from the scenario's own, that takes the place of
    /// `tree/project`.
    pub repository: Option<String>,
    /// The kinds of text that count, by default the whole request: what the
    /// repository contributes, so that another version of Aside changes nothing.
    pub pin: Option<Vec<Pin>>,
    /// Directories that are added to the session.
    pub add_dirs: Option<AddedSpec>,
    /// Symbolic links to make in `tree`: path and target.
    #[serde(default)]
    pub symlinks: BTreeMap<String, String>,
    /// The order of the request.
    #[schemars(with = "Option<schema::LayoutForm>")]
    pub layout: Option<Layout>,
    /// Simple mode.
    pub simple: Option<bool>,
    /// Whether the provider takes `"scope":"global"`.
    pub global_scope: Option<bool>,
    /// On whose wire the expected bytes are, by default in the session's own
    /// form.
    #[schemars(with = "Option<schema::ProviderForm>")]
    pub provider: Option<Provider>,
    /// How long cache entries live.
    #[schemars(with = "Option<schema::TtlForm>")]
    pub ttl: Option<TtlPolicy>,
    /// What else counts for the cache.
    pub cache: Option<CacheSpec>,
    /// What takes the place of the default prompt, or stands behind it.
    pub prompt: Option<PromptSpec>,
    /// Sections of its own, at the end of the dynamic zone.
    pub sections: Option<Vec<SectionSpec>>,
    /// The first system block.
    pub attribution: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u64>,
    /// The day on which the session begins, by default 2026-01-31.
    #[schemars(with = "Option<schema::DateForm>")]
    pub date: Option<SessionDate>,
    /// A repository to make in `cwd`, or in the directory that it names.
    pub git: Option<GitSpec>,
    /// The tools of the session.
    pub tools: Option<Vec<ToolSpec>>,
    /// Its reminders, beside those of files in `tree`.
    pub reminders: Option<Vec<ReminderSpec>>,
    /// Whether entries bear their ids, for a model that may snip them.
    pub tag_ids: Option<bool>,
    /// How many images and documents a request may hold.
    pub media_limit: Option<usize>,
    /// Requests, from 1, that do not continue the one before them, and why:
    /// `boundary`, `snip`, `media_limit`, `tools`, `prompt`, `options` or
    /// `forked`.
    #[serde(default)]
    pub resets: BTreeMap<usize, String>,
    /// What the session reports, a line each.
    #[serde(default)]
    pub diagnostics: Vec<String>,
    /// Why the last turn makes no request.
    pub refused: Option<String>,
    /// The keys that the official SDKs do not know, such as `scope`.
    #[serde(default)]
    pub refused_by_sdk: Vec<String>,
    /// What is said before each request. As many turns, as many requests.
    pub turns: Option<Vec<Vec<Event>>>,
}

/// A repository with fixed dates and names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitSpec {
    /// The directory in `tree`, by default the working directory.
    pub directory: Option<String>,
    /// The branch, by default `main`.
    pub branch: Option<String>,
    /// `user.name`, by default `Mia`.
    pub user: Option<String>,
    /// The commits, oldest first.
    #[serde(default)]
    pub commits: Vec<CommitSpec>,
    /// Files to write when all is committed: path and text.
    #[serde(default)]
    pub write: BTreeMap<String, String>,
}

/// One commit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitSpec {
    /// Its message.
    pub message: String,
    /// The paths to add, by default everything.
    pub add: Option<Vec<String>>,
}

/// A tool.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of its input, as JSON text.
    pub input_schema: Option<String>,
    /// Whether an MCP server brought it.
    #[serde(default)]
    pub mcp: bool,
    /// Whether it is loaded on demand.
    pub defer_loading: Option<bool>,
    /// The marker that its caller put on it: `5m` or `1h`.
    pub cache: Option<Lifetime>,
}

/// A reminder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReminderSpec {
    /// Its id.
    pub id: String,
    /// What the model reads.
    pub content: String,
    /// `always` or `oneshot`.
    pub schedule: ReminderSchedule,
    /// At most so many times; 0 is no limit.
    #[serde(default)]
    pub max_fires: u32,
    /// Higher comes later.
    #[serde(default)]
    pub priority: i32,
}

/// When a [`ReminderSpec`] fires.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReminderSchedule {
    /// Every turn.
    Always,
    /// Once.
    Oneshot,
}

impl Scenario {
    /// This scenario with what it does not say taken from `base`.
    pub(crate) fn over(self, base: Self) -> Self {
        Self {
            description: self.description,
            shows: self.shows,
            extends: self.extends,
            cwd: self.cwd.or(base.cwd),
            repository: self.repository.or(base.repository),
            pin: self.pin.or(base.pin),
            add_dirs: self.add_dirs.or(base.add_dirs),
            symlinks: if self.symlinks.is_empty() {
                base.symlinks
            } else {
                self.symlinks
            },
            layout: self.layout.or(base.layout),
            simple: self.simple.or(base.simple),
            global_scope: self.global_scope.or(base.global_scope),
            provider: self.provider.or(base.provider),
            ttl: self.ttl.or(base.ttl),
            cache: self.cache.or(base.cache),
            prompt: self.prompt.or(base.prompt),
            sections: self.sections.or(base.sections),
            attribution: self.attribution.or(base.attribution),
            tag_ids: self.tag_ids.or(base.tag_ids),
            media_limit: self.media_limit.or(base.media_limit),
            model: self.model.or(base.model),
            max_tokens: self.max_tokens.or(base.max_tokens),
            date: self.date.or(base.date),
            git: self.git.or(base.git),
            tools: self.tools.or(base.tools),
            reminders: self.reminders.or(base.reminders),
            resets: self.resets,
            diagnostics: self.diagnostics,
            refused_by_sdk: self.refused_by_sdk,
            refused: self.refused,
            turns: self.turns.or(base.turns),
        }
    }

    pub(crate) fn cwd(&self) -> &str {
        self.cwd.as_deref().unwrap_or("project")
    }
}
