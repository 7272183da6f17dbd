//! The arguments of `aside prompt`.

use clap::{Arg, Args};

use super::{RequestArguments, SessionArguments};

/// List the system prompt's sections.
///
/// Prints one line per section: where it is sent, its zone, how long its text
/// stays the same, whether it is cached, bytes and estimated tokens; then the
/// rule that chose the prompt.
#[derive(Debug, Args)]
#[command(mut_args = hide_unused, after_help = "Examples:
  aside prompt
  aside prompt --agent .claude/agents/review.md --proactive
  aside prompt --json | jq '.sections[] | select(.cached | not)'")]
pub(crate) struct Prompt {
    /// Print one JSON object: {"rule","layout","mode","bytes","tokens",
    /// "sections":[{"name","zone","lifetime","cached","reason",
    /// "sent","fault","bytes","tokens","filled_by"}]}.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// The arguments of a request that change nothing in its system prompt. They are checked, like
/// those of every command.
const UNUSED: [&str; 11] = [
    "max_tokens",
    "max_tokens_key",
    "no_prompt_cache_key",
    "date",
    "query_source",
    "cache_ttl",
    "cache_ttl_allowlist",
    "cache_prefix",
    "beta",
    "compact_method",
    "snip",
];

/// Hides them in the help.
fn hide_unused(argument: Arg) -> Arg {
    let is_unused = UNUSED.contains(&argument.get_id().as_str());
    if is_unused { argument.hide(true) } else { argument }
}
