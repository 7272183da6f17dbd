use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use aside_agent::{Git, Prepared, PromptMode, SessionConfig, SessionTool, ToolOrigin};
use aside_claudemd::{Memory, MemoryFile};
use aside_git_context::{GitOptions, UserConfig};
use aside_host::{CommandLine, Environment, Host, Variables};
use aside_messages::Source;
use aside_messages::wire::{RawJson, Tool};
use aside_prompt_sections::{Platform, SessionDate};
use aside_reminder::{Reminder, Schedule};

use crate::case::Case;
use crate::clock;
use crate::format::{ReminderSchedule, ReminderSpec, ToolSpec};
use crate::session_spec::Lifetime;
use crate::stage::Stage;
use crate::world::World;

/// The requests that a scenario made.
pub struct Played {
    world: Arc<World>,
    requests: Vec<(Prepared, Vec<u8>)>,
    files: Vec<InstructionFile>,
    /// What the session reported, a line each.
    pub diagnostics: Vec<String>,
    /// Why the last turn made no request.
    pub refused: Option<String>,
}

impl std::fmt::Debug for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Played")
            .field("requests", &self.requests.len())
            .finish_non_exhaustive()
    }
}

/// Makes the scenario's directory and every request of its session.
///
/// # Errors
/// A scenario that cannot be played: a git that fails, a turn without a
/// question.
pub async fn play(case: &Case) -> Result<Played> {
    play_in(Arc::new(World::make(case)?), case).await
}

async fn play_in(world: Arc<World>, case: &Case) -> Result<Played> {
    let mut diagnostics = Vec::new();
    let mut stage = Stage::open(case, &world, &mut diagnostics).await?;
    let memory = stage.session.opened().memory.iter();
    let files = memory.flat_map(Memory::files);
    let files = files
        .map(|file| InstructionFile::of(file, &world))
        .collect();
    let mut requests = Vec::new();
    let mut refused = None;
    for (index, turn) in case.scenario.turns.iter().flatten().enumerate() {
        let turn_name = || format!("{}: turn {}", case.name, index + 1);
        for event in turn {
            let told = stage.play(event).await.with_context(turn_name)?;
            diagnostics.extend(told.iter().map(ToString::to_string));
        }
        let mut prepared = match stage.session.prepare(&stage.conversation) {
            Ok(prepared) => prepared,
            Err(error) if index == case.len() => {
                refused = Some(error.to_string());
                break;
            }
            Err(error) => return Err(error).with_context(turn_name),
        };
        diagnostics.extend(prepared.diagnostics.iter().map(ToString::to_string));
        let bytes = prepared.body.to_vec();
        prepared.commit(&mut stage.conversation);
        requests.push((prepared, bytes));
    }
    let told = diagnostics.iter().map(|it| world.normalize_text(it));
    let diagnostics = told.collect();
    Ok(Played {
        world,
        requests,
        files,
        diagnostics,
        refused,
    })
}

impl Played {
    /// Plays the case once more in the same directory, everything else anew;
    /// where somebody writes there, the directory as well.
    pub(crate) async fn again(&self, case: &Case) -> Result<Self> {
        let mut events = case.scenario.turns.iter().flatten().flatten();
        if events.any(|event| event.write.is_some()) {
            return play(case).await;
        }
        play_in(self.world.clone(), case).await
    }

    /// The requests: typed, and as bytes.
    pub(crate) fn requests(&self) -> impl Iterator<Item = (&Prepared, &[u8])> {
        self.requests
            .iter()
            .map(|(prepared, bytes)| (prepared, &**bytes))
    }

    /// The bytes of each request, with `/scenario` in the place of the real
    /// directory.
    #[must_use]
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        self.requests
            .iter()
            .map(|(_, bytes)| self.world.normalize(bytes))
            .collect()
    }

    /// Who put the byte at `offset` of [`Played::bytes`] there.
    #[must_use]
    pub fn source_at(&self, request: usize, offset: usize) -> Source {
        let (prepared, bytes) = &self.requests[request];
        let raw = self.world.offset_before(bytes, offset);
        prepared.body.source_at(raw).clone()
    }

    /// The instruction file in whose text that byte is, as its path stands in
    /// the bytes.
    #[must_use]
    pub fn file_at(&self, request: usize, offset: usize) -> Option<&str> {
        let (_, bytes) = &self.requests[request];
        let raw = self.world.offset_before(bytes, offset);
        let bytes = std::str::from_utf8(bytes).ok()?;
        let covers = |file: &&InstructionFile| {
            let length = file.text.len();
            let from = bytes.floor_char_boundary(raw.saturating_sub(length));
            let to = bytes.ceil_char_boundary(bytes.len().min(raw + length));
            let mut places = bytes[from..to].match_indices(&file.text);
            places.any(|(at, _)| (from + at..=from + at + length).contains(&raw))
        };
        self.files
            .iter()
            .find(covers)
            .map(|file| file.path.as_str())
    }
}

/// An instruction file of the session.
struct InstructionFile {
    path: String,
    /// As it stands in JSON.
    text: String,
}

impl InstructionFile {
    fn of(file: &MemoryFile, world: &World) -> Self {
        let json = serde_json::to_string(&file.text).expect("a string is valid JSON");
        Self {
            path: world.normalize_text(&file.path.to_string_lossy()),
            text: json[1..json.len() - 1].to_owned(),
        }
    }
}

pub(crate) fn config(
    case: &Case,
    world: &World,
    diagnostics: &mut Vec<String>,
) -> Result<SessionConfig> {
    let scenario = &case.scenario;
    let host = host(case, world)?;
    let command_line = command_line(case, world)?;
    let mut faults = Vec::new();
    let mut config = host.session(&command_line, &mut faults)?;
    diagnostics.extend(faults.iter().map(ToString::to_string));
    if scenario.repository.is_some() {
        // Its state is another one in each checkout.
        config.git = Git::Skip;
    } else if matches!(config.git, Git::Snapshot(_)) {
        config.git = Git::Snapshot(GitOptions {
            user_config: UserConfig::Ignore,
            ..GitOptions::default()
        });
    }
    config.cache.ttl = scenario.ttl.unwrap_or_default();
    config.cache.global_scope.wanted = scenario.global_scope.unwrap_or_default();
    config.cache.global_scope.is_supported = config.cache.global_scope.wanted;
    if let Some(cache) = &scenario.cache {
        cache.fill(&mut config.cache);
    }
    let usual = config.cache.global_scope().default_layout();
    config.layout = scenario.layout.unwrap_or(usual);
    if let Some(prompt) = &scenario.prompt {
        prompt.fill(&mut config.prompt);
    }
    config.attribution.clone_from(&scenario.attribution);
    if let Some(tag_ids) = scenario.tag_ids {
        config.lower.tag_ids = tag_ids;
    }
    if let Some(limit) = scenario.media_limit {
        config.lower.media_limit = limit;
    }
    if scenario.simple == Some(true) {
        config.mode = PromptMode::Simple;
    }
    if let Some(model) = &scenario.model {
        config.model.clone_from(model);
    }
    config.max_tokens = scenario.max_tokens.unwrap_or(config.max_tokens);
    config.tools = tools(scenario.tools.iter().flatten())?;
    config.time = clock::time(config.date, Duration::ZERO);
    for spec in scenario.reminders.iter().flatten() {
        config.reminders.register(reminder(spec));
    }
    Ok(config)
}

/// The machine of a scenario.
fn host(case: &Case, world: &World) -> Result<Host> {
    let today = match case.scenario.date {
        Some(date) => date,
        None => SessionDate::new(2026, 1, 31)?,
    };
    let variables = [
        ("HOME", world.path("home")?.into_os_string()),
        ("ASIDE_MANAGED_DIR", world.path("managed")?.into_os_string()),
        ("SHELL", "/bin/bash".into()),
    ];
    let environment: Environment = variables.into_iter().collect();
    Ok(Host {
        variables: Variables::from_pairs(environment.iter()),
        environment,
        platform: Platform::Linux,
        os_version: Some("Linux 6.8.0".to_owned()),
        today,
        now: String::new(),
        terminal_width: None,
    })
}

fn command_line(case: &Case, world: &World) -> Result<CommandLine> {
    let cwd = world.path(case.scenario.cwd())?;
    // What this machine has above the scenario's directory is not part of it.
    let above = world.path("project")?;
    let above = above.ancestors().skip(1).filter(|it| *it != world.root);
    let above: Vec<_> = above
        .flat_map(|directory| {
            ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude"]
                .map(|name| directory.join(name).to_string_lossy().into_owned())
        })
        .collect();
    let mut command_line = CommandLine::new(cwd);
    // Somebody's own, which nobody else has.
    command_line.sources.local = case.scenario.repository.is_none();
    let settings = BTreeMap::from([("claudeMdExcludes", above)]);
    command_line.settings = Some(serde_json::to_string(&settings)?);
    Ok(command_line)
}

pub(crate) fn tools<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Result<Vec<SessionTool>> {
    specs.into_iter().map(tool).collect()
}

fn tool(spec: &ToolSpec) -> Result<SessionTool> {
    let schema = spec
        .input_schema
        .as_deref()
        .unwrap_or(r#"{"type":"object"}"#);
    let schema =
        RawJson::parse(schema).with_context(|| format!("input_schema of {}", spec.name))?;
    let origin = if spec.mcp {
        ToolOrigin::Mcp
    } else {
        ToolOrigin::Builtin
    };
    let tool = Tool::new(&spec.name, &spec.description, schema);
    Ok(SessionTool {
        origin,
        tool: Tool {
            defer_loading: spec.defer_loading,
            cache_control: spec.cache.map(Lifetime::marker),
            ..tool
        },
    })
}

fn reminder(spec: &ReminderSpec) -> Reminder {
    let schedule = match spec.schedule {
        ReminderSchedule::Always => Schedule::ALWAYS,
        ReminderSchedule::Oneshot => Schedule::ONESHOT,
    };
    let schedule = Schedule {
        max_fires: spec.max_fires,
        ..schedule
    };
    Reminder {
        priority: spec.priority,
        ..Reminder::new(&spec.id, &spec.content, schedule)
    }
}
