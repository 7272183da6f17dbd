//! The form of `scenario.yaml`.

mod added_directories;
mod distinct;
mod event;
mod section;
mod session;
mod tools;

pub use added_directories::{AddedSpec, InstructionSwitch};
pub use event::{AssistantPart, QueuedSpec, ScenarioEvent, ToolResultSpec, ToolUseSpec, True};
pub use section::{SectionLifetime, SectionSpec};
pub use session::{CacheSpec, MarkerTtl, PlatformSpec, PromptSpec};
pub use tools::{ToolSpec, ToolsSpec};

use std::collections::BTreeMap;
use std::path::Path;

use aside_cache_split::{Layout, TtlPolicy};
use aside_claudemd::Profile;
use aside_prompt_sections::SessionDate;
use aside_providers::Provider;
use aside_reminder::ScheduleName;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::feature::Feature;
use crate::pin::Pin;
use crate::schema::scenario as schema;

/// What a `scenario.yaml` holds. Every key except `turns` is optional.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario is for.
    #[serde(default)]
    pub description: String,
    /// The features that it shows.
    #[serde(default)]
    pub shows: Vec<Feature>,
    /// Another scenario: its `tree` is used in place of an own one, and its
    /// values apply to every key missing here. What a scenario is for and what
    /// to expect of it are its own: `description`, `shows`, `resets`,
    /// `diagnostics`, `refused` and `refused_by_sdk`.
    pub extends: Option<String>,
    /// The working directory in `tree`, by default `project`. With
    /// `repository`, you may give it relative to that: `packages/web`.
    pub cwd: Option<String>,
    /// The agent whose instruction files load, by default `claude`: a name from
    /// `aside memory --as all`.
    #[schemars(with = "Option<schema::ProfileForm>")]
    pub instructions: Option<Profile>,
    /// A directory, relative to the scenario's own, in place of `tree/project`.
    pub repository: Option<String>,
    /// Which kinds of text to compare, by default the whole request. With them
    /// only the repository's texts are compared, so another version of Aside
    /// changes nothing.
    pub pin: Option<Vec<Pin>>,
    /// Directories to add to the session.
    pub add_dirs: Option<AddedSpec>,
    /// Symbolic links to create in `tree`: path and target.
    #[serde(default)]
    pub symlinks: BTreeMap<String, String>,
    /// The operating system that the prompt names, by default `linux`.
    pub platform: Option<PlatformSpec>,
    /// How the request is laid out.
    #[schemars(with = "Option<schema::LayoutForm>")]
    pub layout: Option<Layout>,
    /// Simple mode.
    pub simple: Option<bool>,
    /// Whether the provider accepts `"scope":"global"`.
    pub global_scope: Option<bool>,
    /// The provider on whose wire the bytes are written, by default none: the
    /// session's own form.
    #[schemars(with = "Option<schema::ProviderForm>")]
    pub provider: Option<Provider>,
    /// How long cache entries live.
    #[schemars(with = "Option<schema::TtlForm>")]
    pub ttl: Option<TtlPolicy>,
    /// More cache options.
    pub cache: Option<CacheSpec>,
    /// Texts that replace the default prompt or are appended to it.
    pub prompt: Option<PromptSpec>,
    /// The scenario's own sections: one with the name of a default section
    /// replaces it, others go to the end of the dynamic zone.
    #[serde(default, deserialize_with = "distinct::items")]
    pub sections: Option<Vec<SectionSpec>>,
    /// Default sections to leave out, by name.
    pub removed_sections: Option<Vec<String>>,
    /// The state with which the session opens, as JSON.
    pub state: Option<String>,
    /// The first system block.
    pub attribution: Option<String>,
    /// Whether to follow `--profile documents`.
    pub documents: Option<bool>,
    /// The model.
    pub model: Option<String>,
    /// How long a response may be, in tokens.
    pub max_tokens: Option<u64>,
    /// The day on which the session begins, by default 2026-01-31.
    #[schemars(with = "Option<schema::DateForm>")]
    pub date: Option<SessionDate>,
    /// A repository to create in `cwd`, or in the directory that it names.
    pub git: Option<GitSpec>,
    /// The session's tools; `own` are those of `aside run`, with no user to
    /// respond.
    pub tools: Option<ToolsSpec>,
    /// The session's reminders, in addition to files in `tree`.
    #[serde(default, deserialize_with = "distinct::items")]
    pub reminders: Option<Vec<ReminderSpec>>,
    /// Whether entries show their ids, for a model that can snip them.
    pub tag_ids: Option<bool>,
    /// How many images and documents a request may hold.
    pub media_limit: Option<usize>,
    /// Which requests, counted from 1, do not continue the one before them,
    /// with the reason: `boundary`, `snip`, `media_limit`, `tools`, `prompt`,
    /// `options` or `forked`.
    #[serde(default)]
    pub resets: BTreeMap<usize, String>,
    /// The expected diagnostics, one line each. A file's line and column are
    /// not compared, and may be left out.
    #[serde(default)]
    pub diagnostics: Vec<String>,
    /// Why the last turn makes no request.
    pub refused: Option<String>,
    /// Keys that the official SDKs do not know, such as `scope`.
    #[serde(default)]
    pub refused_by_sdk: Vec<String>,
    /// The events before each request: one list per request.
    pub turns: Option<Vec<Vec<ScenarioEvent>>>,
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
    /// Files to write after the last commit: path and text.
    #[serde(default)]
    pub write: BTreeMap<String, String>,
}

/// One commit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitSpec {
    /// Its message.
    pub message: String,
    /// The paths to add, by default all.
    pub add: Option<Vec<String>>,
}

/// A reminder.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReminderSpec {
    /// Its id.
    pub id: String,
    /// The text for the model.
    #[serde(deserialize_with = "distinct::some_text")]
    #[schemars(regex(pattern = r"\S"))]
    pub content: String,
    /// When it fires: a kind of schedule, whose own keys have their defaults.
    pub schedule: ScheduleName,
    /// How often it may fire; 0 means no limit.
    #[serde(default)]
    pub max_fires: u32,
    /// Reminders with higher priority come later.
    #[serde(default)]
    pub priority: i32,
}

impl distinct::Named for ReminderSpec {
    const EXPECTED: &str = "an id that no reminder before it has";

    fn name(&self) -> &str {
        &self.id
    }
}

impl Scenario {
    /// Takes missing values from `base`.
    pub(crate) fn over(self, base: Self) -> Self {
        macro_rules! over {
            (inherited: $($key:ident)*; own: $($own:ident)*) => {
                Self {
                    symlinks: if self.symlinks.is_empty() { base.symlinks } else { self.symlinks },
                    $($key: self.$key.or(base.$key),)*
                    $($own: self.$own,)*
                }
            };
        }
        over! {
            inherited:
                cwd instructions repository pin add_dirs platform layout simple global_scope
                provider ttl cache prompt sections removed_sections state attribution
                documents tag_ids media_limit model max_tokens date git tools reminders
                turns;
            own: description shows extends resets diagnostics refused_by_sdk refused
        }
    }

    /// Returns the working directory in `tree`; `project` is the repository, if
    /// there is one.
    pub(crate) fn cwd(&self) -> String {
        let cwd = self.cwd.as_deref().unwrap_or("project");
        let path = Path::new(cwd);
        // An absolute path stays one, and is refused as such.
        match self.repository {
            Some(_) if !path.starts_with("project") && !path.has_root() => {
                format!("project/{}", cwd.trim_start_matches("./"))
            }
            _ => cwd.to_owned(),
        }
    }

    /// Returns the working directory, relative to the repository; empty for its
    /// root.
    #[must_use]
    pub fn directory(&self) -> String {
        let cwd = self.cwd();
        let below = cwd.strip_prefix("project").filter(|it| it.is_empty() || it.starts_with('/'));
        below.unwrap_or(&cwd).trim_matches('/').to_owned()
    }
}
