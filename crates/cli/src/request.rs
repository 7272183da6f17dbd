//! Sets request arguments, and the files that they name, in a session's
//! configuration.
//!
//! An argument takes precedence over a variable, and a variable over a setting:
//! `Invocation::session` has applied the last two, and `fill` overrides them.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use aside_cache_split::{Attribution, Layout, TtlSwitches};
use aside_claudemd::agents::AgentFile;
use aside_prompt_sections::{AgentMode, Attendance};
use aside_session::{AgentDefinition, SessionConfig, SessionState};
use aside_user_files::json;
use aside_user_files::open::Fence;

use crate::Failure;
use crate::arguments::{CompactAt, PromptArguments, RequestArguments};
use crate::input::{self, MIB};
use crate::{kinds, output};

/// The longest system prompt or agent text, in bytes.
const MAX_BYTES: u64 = MIB;

/// The longest session state, in bytes.
const MAX_STATE: u64 = 16 * MIB;

/// Sets request arguments, and reads the files that they name.
///
/// `--cache-ttl` also applies to sub-agents. `--date` also sets the clock, so
/// that the same command always yields the same bytes. `--query-source` takes
/// precedence over an agent's name.
///
/// # Errors
/// When a file cannot be read or is invalid, this is a usage error.
pub(crate) fn fill(config: &mut SessionConfig, request: &RequestArguments) -> Result<(), Failure> {
    if let Some(file) = &request.state {
        config.state = state(file).map_err(Failure::usage)?;
    }
    if let Some(ttl) = request.cache_ttl {
        let cache = &mut config.cache;
        cache.ttl = Some(ttl.policy());
        cache.subagent_ttl = None;
        // A flag wins over variables and settings, apart from the one that forces five minutes.
        cache.ttl_allowlist.clear();
        cache.ttl_switches =
            TtlSwitches { force_short: cache.ttl_switches.force_short, ..TtlSwitches::default() };
    }
    let allowlist = &mut config.cache.ttl_allowlist;
    allowlist.extend(request.cache_ttl_allowlist.iter().cloned());
    if let Some(prefix) = request.cache_prefix {
        config.cache.prefix = prefix.ttl();
    }
    if request.global_scope {
        config.cache.global_scope.enabled = true;
        config.cache.global_scope.is_supported = true;
    }
    if let Some(entrypoint) = &request.attribution {
        let version = env!("CARGO_PKG_VERSION");
        let attribution = Attribution { version, entrypoint };
        config.attribution = Some(attribution.to_string());
    }
    if let Some(value) = &request.cache_breaker {
        config.cache_breaker = Some(value.clone());
    }
    match request.compact_at {
        Some(CompactAt::Off) => config.compaction = None,
        Some(CompactAt::Share(at)) => config.compaction.get_or_insert_default().at = at,
        None => {}
    }
    if let (Some(method), Some(policy)) = (request.compact_method, &mut config.compaction) {
        policy.method = method;
    }
    if let Some(tokens) = request.clear_tool_uses {
        let clearing = config.clear_tool_uses.get_or_insert_default();
        clearing.trigger_tokens = tokens;
    }
    config.lower.tag_ids |= request.snip;
    let usual = match config.layout {
        // Set by --profile.
        Layout::Classic => Layout::Classic,
        Layout::Layered => config.cache.global_scope().default_layout(),
    };
    config.layout = request.layout.map_or(usual, Into::into);
    if let Some(model) = &request.model {
        config.model.clone_from(model);
    }
    config.max_tokens = request.max_tokens;
    if let Some(date) = request.date {
        // So that the same command yields the same bytes.
        config.date = date;
        config.time.now = Some(format!("{date} 00:00 +00:00"));
        config.time.since_epoch = None;
    }
    request.prompt.fill(config).map_err(Failure::usage)?;
    if let Some(source) = &request.query_source {
        config.cache.query_source.clone_from(source);
    }
    Ok(())
}

impl PromptArguments {
    /// Sets the prompts and the section inputs. You can pass a text or a file for a prompt: clap
    /// accepts only one.
    fn fill(&self, config: &mut SessionConfig) -> anyhow::Result<()> {
        let text = |given: &Option<String>, file: &Option<PathBuf>| match file {
            Some(file) => input::text(file, MAX_BYTES).map(Some),
            None => Ok(given.clone()),
        };
        let agent = self.agent_definition(config)?;
        let prompt = &mut config.prompt;
        prompt.override_prompt.clone_from(&self.override_system_prompt);
        prompt.custom = text(&self.system_prompt, &self.system_prompt_file)?;
        prompt.append = text(&self.append_system_prompt, &self.append_system_prompt_file)?;
        if self.coordinator {
            prompt.coordinator.get_or_insert_default();
        }
        if let (Some(coordinator), Some(name)) = (&mut prompt.coordinator, &self.worker_tool) {
            coordinator.worker_tool.clone_from(name);
        }
        if let Some(agent) = agent {
            config.cache.query_source = format!("agent:{}", agent.name);
            prompt.agent = Some(agent);
        }
        // An argument takes precedence over the state.
        let sections = &mut config.state.sections;
        if self.unattended {
            sections.attendance = Some(Attendance::Unattended);
        }
        sections.brief |= self.brief;
        sections.token_budget = self.token_budget.or(sections.token_budget);
        if let Some(directory) = &self.scratchpad {
            let directory = std::path::absolute(directory)
                .with_context(|| format!("failed to use {}", directory.display()))?;
            sections.scratchpad = Some(directory.to_string_lossy().into_owned());
        }
        Ok(())
    }

    /// Reads the `--agent`: a file, or an agent in `.claude/agents` by name.
    fn agent_definition(&self, config: &SessionConfig) -> anyhow::Result<Option<AgentDefinition>> {
        let mode = if self.proactive { AgentMode::Proactive } else { AgentMode::Replace };
        let Some(given) = &self.agent else {
            return Ok(None);
        };
        let is_name = given.components().count() == 1 && given.extension().is_none();
        match given.to_str().filter(|it| is_name && *it != "-" && !given.exists()) {
            Some(name) => named_agent(name, config, mode).map(Some),
            None => agent(given, mode, &config.memory.fence(&config.cwd)).map(Some),
        }
    }
}

/// Returns the agent that a project or user file defines under this name.
///
/// # Errors
/// When no file does, fails with the names that exist.
fn named_agent(
    name: &str,
    config: &SessionConfig,
    mode: AgentMode,
) -> anyhow::Result<AgentDefinition> {
    let agents = config.memory.agents(&config.cwd).agents;
    let Some(found) = agents.iter().find(|agent| agent.name == name) else {
        let names: Vec<_> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let known = if names.is_empty() {
            "none is defined in .claude/agents".to_owned()
        } else {
            format!("expected one of {}", names.join(", "))
        };
        return Err(anyhow!(
            "failed to read {name}: no such file, and no agent has this name: {known}"
        ));
    };
    Ok(definition(found, mode))
}

/// Reads an agent from a Markdown file. The source of queries becomes `agent:` and its name.
///
/// # Errors
/// Fails with the line when the front matter cannot be read, and also when the
/// body is empty or a link leads outside the project.
fn agent(file: &Path, mode: AgentMode, fence: &Fence) -> anyhow::Result<AgentDefinition> {
    let text = input::text_within(fence, file, MAX_BYTES)?;
    let agent = AgentFile::parse(&text, file)
        .map_err(|fault| anyhow!("failed to read {}", fault.without_severity()))?;
    Ok(definition(&agent, mode))
}

/// Takes the prompt of an agent, and says what is left out: a user may rely on `tools` to restrict
/// it.
fn definition(agent: &AgentFile, mode: AgentMode) -> AgentDefinition {
    if !agent.unused_keys.is_empty() {
        let message = format!("--agent uses the prompt only, not {}", agent.unused_keys.join(", "));
        output::report(&kinds::AGENT_KEYS_UNUSED.diagnostic(message).at(&*agent.path));
    }
    AgentDefinition { name: agent.name.clone(), prompt: agent.prompt.as_str().into(), mode }
}

/// Reads the `--state` JSON; the error has the line and column.
fn state(file: &Path) -> anyhow::Result<SessionState> {
    let text = input::text(file, MAX_STATE)?;
    json::read(&text).map_err(|error| anyhow!("failed to read {}:{error}", file.display()))
}
