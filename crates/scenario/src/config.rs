//! Configuring a scenario's session.
//!
//! A scenario runs on an invented machine: Linux, a fixed date, a home below
//! the scenario's directory, and an environment with at most four variables.
//! The configuration is made as the command makes it, from that machine's
//! settings and files; then keys in `scenario.yaml` replace parts of it, each
//! only if it is present.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use aside_claudemd::exclude_below;
use aside_diagnostic::Diagnostic;
use aside_git_context::{GitOptions, UserConfig};
use aside_host::{CommandLine, EnvVars, Host, Variables, reminder_manager};
use aside_messages::wire::{RawJson, Tool};
use aside_prompt_sections::{Attendance, CodingInstructions, OsKind, SessionDate};
use aside_providers::ModelChoice;
use aside_reminder::{Loaded, Reminder, Schedule};
use aside_session::{
    CacheOptions, Git, PromptMode, SessionConfig, SessionTime, SessionTool, ToolOrigin,
};
use aside_tools::OwnTools;

use crate::case::Case;
use crate::clock;
use crate::format::{AddedSpec, InstructionSwitch, MarkerTtl, ReminderSpec, ToolSpec, ToolsSpec};
use crate::pin::Pin;
use crate::sections::Texts;
use crate::world::World;

/// Configures the session. Diagnostics from the host, such as an invalid
/// settings file, are added to `diagnostics`.
///
/// The real user's git configuration is ignored; in a repository that a
/// scenario names, git's state is left out, because it differs between
/// checkouts.
///
/// # Errors
/// A setting, the state or a tool's schema cannot be read.
pub(crate) fn config(
    case: &Case,
    world: &World,
    texts: &Texts,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<SessionConfig> {
    let scenario = &case.scenario;
    let host = host(case, world)?;
    let command_line = command_line(case, world)?;
    let mut config = host.session(&command_line, diagnostics)?;
    config.memory = config.memory.ceiling(world.root.clone());
    if let Some(pins) = &scenario.pin {
        leave_out(&mut config, pins);
    }
    if scenario.repository.is_some() {
        // Its state differs between checkouts.
        config.git = Git::Skip;
    } else if matches!(config.git, Git::Snapshot(_)) {
        config.git = Git::Snapshot(GitOptions {
            user_config: UserConfig::Ignore,
            // A missing status would mean other bytes.
            time_limit: Duration::from_secs(60),
            ..GitOptions::default()
        });
    }
    if let Some(platform) = scenario.platform {
        config.platform = platform.kind();
    }
    config.cache.ttl = scenario.ttl;
    let is_published = scenario.documents == Some(true);
    config.cache.global_scope.enabled = scenario.global_scope.unwrap_or(is_published);
    config.cache.global_scope.is_supported = config.cache.global_scope.enabled;
    if let Some(provider) = scenario.provider {
        config.cache.hosting = CacheOptions::hosting_of(provider);
        config.service = provider.spec().platform;
    }
    if let Some(cache) = &scenario.cache {
        cache.fill(&mut config.cache);
    }
    let usual =
        if is_published { config.layout } else { config.cache.global_scope().default_layout() };
    config.layout = scenario.layout.unwrap_or(usual);
    if let Some(prompt) = &scenario.prompt {
        prompt.fill(&mut config.prompt);
    }
    let sections = scenario.sections.iter().flatten();
    config.sections = sections.map(|spec| texts.section(spec)).collect();
    config.removed_sections = scenario.removed_sections.clone().unwrap_or_default();
    if let Some(state) = &scenario.state {
        config.state = aside_user_files::json::read(state).context("state")?;
    }
    if !is_published {
        config.attribution.clone_from(&scenario.attribution);
    }
    if let Some(tag_ids) = scenario.tag_ids {
        config.lower.tag_ids = tag_ids;
    }
    config.media_limit = scenario.media_limit.or(config.media_limit);
    if scenario.simple == Some(true) {
        config.mode = PromptMode::Simple;
    }
    if let Some(model) = &scenario.model {
        config.model.clone_from(model);
    }
    if let Some(provider) = scenario.provider {
        let answering = ModelChoice::default().resolve(provider, &config.model);
        config.answering_model = Some(answering).filter(|it| *it != config.model);
    }
    config.max_tokens = scenario.max_tokens.unwrap_or(config.max_tokens);
    match &scenario.tools {
        Some(spec @ (ToolsSpec::Own | ToolsSpec::OwnWithEdits)) => of_run(&mut config, spec),
        Some(ToolsSpec::List(specs)) => config.tools = tools(specs)?,
        None => {}
    }
    config.time = clock::time(config.date, Duration::ZERO);
    for spec in scenario.reminders.iter().flatten() {
        config.reminders.register(reminder(spec));
    }
    Ok(config)
}

/// Leaves out the kinds of text that a scenario does not pin, because its agent
/// does not read them. Their faults are reported as ever.
fn leave_out(config: &mut SessionConfig, pins: &[Pin]) {
    if !pins.contains(&Pin::Reminders) {
        config.reminders = Arc::new(reminder_manager(&Loaded::default()));
    }
    if !pins.contains(&Pin::Settings) {
        config.language = None;
        config.output_style = None;
        config.coding = CodingInstructions::Included;
        config.cache = CacheOptions::default();
    }
    config.file_skills = pins.contains(&Pin::Skills);
    config.file_agents = pins.contains(&Pin::Agents);
}

/// Returns a scenario's machine.
///
/// Without a date in the scenario, it is 2026-01-31.
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
    let asked = case
        .scenario
        .add_dirs
        .as_ref()
        .and_then(AddedSpec::variable)
        .map(|name| (name, "1".into()));
    let environment: EnvVars = variables.into_iter().chain(asked).collect();
    Ok(Host {
        variables: Variables::from_pairs(environment.iter()),
        environment,
        platform: OsKind::Linux,
        os_version: Some("Linux 6.8.0".to_owned()),
        today,
        time: SessionTime::default(),
    })
}

/// Returns what the command line would say: the working directory, the added
/// directories, and settings that exclude instruction files above the
/// scenario's directory.
fn command_line(case: &Case, world: &World) -> Result<CommandLine> {
    let cwd = world.path(&case.scenario.cwd())?;
    let above = excludes_above(&world.path("project")?);
    // The scenario has files of its own there.
    let is_own = |path: &str| Path::new(path).starts_with(&world.root);
    let above: Vec<_> = above.into_iter().filter(|it| !is_own(it)).collect();
    let mut command_line = CommandLine::new(cwd);
    if case.scenario.documents == Some(true) {
        command_line = command_line.published();
    }
    if let Some(profile) = case.scenario.instructions {
        command_line.instructions = profile;
    }
    // Local files belong to one user and are not in the repository.
    command_line.sources.local = case.scenario.repository.is_none();
    let settings = BTreeMap::from([("claudeMdExcludes", above)]);
    command_line.settings = Some(serde_json::to_string(&settings)?);
    if let Some(added) = &case.scenario.add_dirs {
        let paths = added.paths.iter().map(|path| {
            let failed = || format!("add_dirs: {path:?}");
            world.directory(path).with_context(failed)
        });
        command_line.additional_directories = paths.collect::<Result<_>>()?;
        command_line.bare = added.asked == Some(InstructionSwitch::Bare);
    }
    Ok(command_line)
}

/// Returns excludes for the instruction files above a repository, which belong
/// to this machine: in another checkout they are missing.
#[must_use]
pub fn excludes_above(repository: &Path) -> Vec<String> {
    // Not all of `.claude`, which may contain the repository: `.claude/worktrees/fix`.
    let names =
        ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/AGENTS.md"];
    let above = || repository.ancestors().skip(1);
    let paths = above().flat_map(|directory| names.map(|name| directory.join(name)));
    // A repository may be `.claude` itself.
    let own = ["CLAUDE.md", "AGENTS.md"].map(|name| repository.join(name));
    let paths = paths.filter(|path| !own.contains(path));
    let paths = paths.map(|it| it.to_string_lossy().into_owned());
    paths.chain(above().map(|it| exclude_below(&it.join(".claude/rules")))).collect()
}

/// Makes it the session of `aside run`: with its tools, and without a user who
/// responds.
fn of_run(config: &mut SessionConfig, spec: &ToolsSpec) {
    let attendance = &mut config.state.sections.attendance;
    attendance.get_or_insert(Attendance::Unattended);
    let coordinator = config.prompt.coordinator.as_ref();
    let tools = OwnTools {
        edits: matches!(spec, ToolsSpec::OwnWithEdits),
        snip: config.lower.tag_ids,
        worker: coordinator.map(|it| it.worker_tool.as_str()),
    };
    config.tools = tools.definitions();
}

/// Converts tools in a scenario or an event, in order.
///
/// # Errors
/// An input schema is not JSON.
pub(crate) fn tools<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Result<Vec<SessionTool>> {
    specs.into_iter().map(tool).collect()
}

/// A tool without an input schema accepts any object.
fn tool(spec: &ToolSpec) -> Result<SessionTool> {
    let schema = spec.input_schema.as_deref().unwrap_or(r#"{"type":"object"}"#);
    let schema =
        RawJson::parse(schema).with_context(|| format!("input_schema of {}", spec.name))?;
    let origin = if spec.mcp { ToolOrigin::Mcp } else { ToolOrigin::Builtin };
    let tool = Tool::new(&spec.name, &spec.description, schema);
    Ok(SessionTool {
        origin,
        tool: Tool {
            defer_loading: spec.defer_loading,
            cache_control: spec.cache.map(MarkerTtl::marker),
            ..tool
        },
    })
}

fn reminder(spec: &ReminderSpec) -> Reminder {
    let schedule = Schedule::from(spec.schedule).at_most(spec.max_fires);
    Reminder { priority: spec.priority, ..Reminder::new(&spec.id, &spec.content, schedule) }
}
