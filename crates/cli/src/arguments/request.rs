//! The arguments of a request: model, cache, compaction, system prompt. Every command
//! with a session accepts them.

use std::path::PathBuf;

use aside_prompt_sections::SessionDate;
use aside_providers::Provider;
use aside_session::CompactionMethod;
use clap::Args;

use super::model_name::model_name;
use super::provider::provider;
use super::{CachePolicy, CachePrefix, LayoutName};

/// The arguments of every command that makes a request.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestArguments {
    /// The layout of the request; by default layered, or classic if the cache
    /// has global scope. A resumed session keeps its own.
    #[arg(long, value_enum)]
    pub(crate) layout: Option<LayoutName>,

    /// The provider of the model, and the wire of the body; by default selected
    /// by a variable, such as CLAUDE_CODE_USE_BEDROCK. Conversion losses are
    /// reported on stderr.
    #[arg(long, value_parser = provider(), value_name = "PROVIDER")]
    pub(crate) provider: Option<Provider>,

    /// The model, in the provider's spelling: by default claude-sonnet-5-5, and
    /// the session's own with --resume, unless the provider is another one.
    #[arg(long, value_name = "MODEL", value_parser = model_name)]
    pub(crate) model: Option<String>,

    /// The maximum length of the response, in tokens. Needed again for each run
    /// of a session.
    #[arg(long, value_name = "N", default_value_t = aside_session::DEFAULT_MAX_TOKENS,
          value_parser = super::positive)]
    pub(crate) max_tokens: u64,

    /// The day on which the session begins; by default the local date. If it is
    /// given, the time for reminders is midnight, UTC.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) date: Option<SessionDate>,

    /// The source of the request, such as sdk or agent:review. On the API of
    /// Anthropic, one that --cache-ttl-allowlist names gets cache entries of an
    /// hour; one that begins with agent: gets the lifetime of the setting
    /// subagentPromptCacheTtl. Otherwise it changes nothing. By default sdk, or
    /// agent: and the name of --agent.
    #[arg(long, value_name = "NAME")]
    pub(crate) query_source: Option<String>,

    /// The lifetime of cache entries; by default auto in the layered layout on
    /// the API of Anthropic, otherwise 5m. The setting promptCacheTtl and the
    /// variable ASIDE_CACHE_TTL do the same. A resumed session keeps its own.
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) cache_ttl: Option<CachePolicy>,

    /// The sources of requests whose cache entries live for an hour on the API of
    /// Anthropic, separated by commas; a trailing * matches any rest. They join
    /// those of the setting promptCacheTtlAllowlist and of the variable
    /// ASIDE_CACHE_TTL_ALLOWLIST.
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) cache_ttl_allowlist: Vec<String>,

    /// The lifetime of the layers that the sessions of a project share, with
    /// --cache-ttl auto; by default auto. The setting cache.prefix and the
    /// variable ASIDE_CACHE_PREFIX do the same. A resumed session keeps its own.
    #[arg(long, value_enum, value_name = "TTL")]
    pub(crate) cache_prefix: Option<CachePrefix>,

    /// Mark the static zone for all organizations ("scope":"global"), which the
    /// public API refuses. The layout is classic then.
    #[arg(long)]
    pub(crate) global_scope: bool,

    /// Send the version and this entrypoint as the first system block. On an API
    /// that does not strip it, everything after it has another hash for each
    /// version.
    #[arg(long, value_name = "ENTRYPOINT")]
    pub(crate) attribution: Option<String>,

    /// Name the limit of the response max_tokens in requests for a server that is
    /// compatible with OpenAI's, as many of them do.
    #[arg(long)]
    pub(crate) max_tokens_key: bool,

    /// Leave out prompt_cache_key in requests for a server that is compatible
    /// with OpenAI's, if it refuses unknown keys.
    #[arg(long)]
    pub(crate) no_prompt_cache_key: bool,

    /// A beta feature to request. May be given several times. The betas that a
    /// request needs are sent in any case.
    #[arg(long, value_name = "NAME", value_parser = beta)]
    pub(crate) beta: Vec<String>,

    /// Put this value into the context of the session. Another value makes the
    /// next request miss the cache after the static zone, with the git status
    /// and the instruction files read again.
    #[arg(long, value_name = "VALUE")]
    pub(crate) cache_breaker: Option<String>,

    /// Replace the conversation with a summary when the next request would fill
    /// more than this share of the context window, such as 0.85, the default;
    /// off never does.
    #[arg(long, value_name = "SHARE|off", value_parser = compact_at)]
    pub(crate) compact_at: Option<CompactAt>,

    /// The source of the summary: api, the compaction of the API; request, a
    /// request to the model after the same prefix; auto, the first that works.
    #[arg(long, value_name = "METHOD", value_parser = compact_method)]
    pub(crate) compact_method: Option<CompactionMethod>,

    /// Let the API clear tool results, except the latest three, from a request
    /// of this many input tokens on. Each clearing misses the cache after the
    /// first result that it clears.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) clear_tool_uses: Option<u64>,

    /// Give the messages ids, and offer the tool Snip, by which the model
    /// removes old messages.
    #[arg(long)]
    pub(crate) snip: bool,

    /// Offer the tools Edit and Write, which change files in the working directory
    /// and in added ones. Plan mode holds them back. Needed again for each run of
    /// a session.
    #[arg(long)]
    pub(crate) allow_edits: bool,

    /// State that cannot be detected, such as skills, MCP servers or plan mode:
    /// a JSON file in the form of state.schema.json of aside-agent.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) prompt: PromptArguments,
}

/// The options of the system prompt. The first that is given applies, in this
/// order: override, coordinator, agent, custom prompt, default.
#[derive(Debug, Args)]
#[command(next_help_heading = "System prompt")]
pub(crate) struct PromptArguments {
    /// Use this text as the whole system prompt.
    #[arg(long, value_name = "TEXT")]
    pub(crate) override_system_prompt: Option<String>,

    /// Coordinator mode: the model delegates all work to workers. Also set by
    /// CLAUDE_CODE_COORDINATOR_MODE or ASIDE_COORDINATOR_MODE. Needs a tool
    /// that starts a worker: see --worker-tool.
    #[arg(long)]
    pub(crate) coordinator: bool,

    /// The name of the tool that starts a worker: a model with the tools of the
    /// run and a conversation of its own. It is one of Aside's own tools; with
    /// --tools FILE, the file has it.
    #[arg(long, value_name = "NAME", value_parser = tool_name)]
    pub(crate) worker_tool: Option<String>,

    /// Replace the default with the prompt of an agent: a Markdown file whose
    /// front matter may name it, or the name of an agent of .claude/agents.
    #[arg(long, value_name = "FILE")]
    pub(crate) agent: Option<PathBuf>,

    /// Append the agent's prompt to the default.
    #[arg(long, requires = "agent")]
    pub(crate) proactive: bool,

    /// Replace the default with this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,

    /// Replace the default with the text of this file.
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt")]
    pub(crate) system_prompt_file: Option<PathBuf>,

    /// Append this text to the prompt.
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,

    /// Append the text of this file to the prompt.
    #[arg(long, value_name = "FILE", conflicts_with = "append_system_prompt")]
    pub(crate) append_system_prompt_file: Option<PathBuf>,

    /// State in the prompt that no user responds during the run. This is the
    /// default, except for aside run --steer and for the requests of a caller
    /// (--messages, --conversation).
    #[arg(long)]
    pub(crate) unattended: bool,

    /// Ask for brief answers.
    #[arg(long)]
    pub(crate) brief: bool,

    /// State in the prompt the number of output tokens that the task may use.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) token_budget: Option<u64>,

    /// Name a directory for temporary files in the prompt.
    #[arg(long, value_name = "DIR")]
    pub(crate) scratchpad: Option<PathBuf>,
}

/// The value of `--compact-at`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CompactAt {
    /// The share of the context window.
    Share(f64),
    Off,
}

/// Reads a name that fits into a header.
fn beta(name: &str) -> Result<String, &'static str> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && byte != b',';
    let is_name = !name.is_empty() && name.bytes().all(is_part);
    let name = is_name.then(|| name.to_owned());
    name.ok_or("expected the name of a beta, such as compact-2026-09-04")
}

/// Reads `off`, or the share of the context window from 0.1 to 1 at which a conversation
/// is compacted. `85` is refused, so that a percentage is no share by mistake.
fn compact_at(value: &str) -> Result<CompactAt, String> {
    if value == "off" {
        return Ok(CompactAt::Off);
    }
    let share = value
        .parse()
        .ok()
        .filter(|share| (0.1..=1.0).contains(share))
        .ok_or("expected off, or a number from 0.1 to 1")?;
    Ok(CompactAt::Share(share))
}

/// Reads the name of a method of compaction, in lower case.
fn compact_method(name: &str) -> Result<CompactionMethod, String> {
    name.parse().map_err(|_| "expected auto, api or request".to_owned())
}

/// Checks the name of a tool by the rule of the API.
///
/// That is 1 to 64 letters, digits, underscores and hyphens of ASCII.
fn tool_name(name: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=64).contains(&name.len()) && name.chars().all(is_part) {
        Ok(name.to_owned())
    } else {
        Err("expected 1 to 64 letters, digits, _ and -".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beta_fits_into_a_header() {
        assert!(beta("compact-2026-09-04").is_ok());
        for wrong in ["", "a b", "a,b", "a\r\nx: y"] {
            assert!(beta(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn values_of_compaction() {
        assert_eq!(compact_at("off").unwrap(), CompactAt::Off);
        assert_eq!(compact_at("0.5").unwrap(), CompactAt::Share(0.5));
        for wrong in ["", "0", "1.5", "NaN", "85", "half"] {
            assert!(compact_at(wrong).is_err(), "{wrong}");
        }
        assert!(compact_method("api").is_ok() && compact_method("API").is_err());
    }

    #[test]
    fn names_of_tools() {
        assert!(tool_name("Agent").is_ok() && tool_name("mcp__a-b").is_ok());
        assert!(tool_name("").is_err() && tool_name("a b").is_err());
        assert!(tool_name(&"a".repeat(65)).is_err());
    }
}
