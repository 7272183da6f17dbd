//! The arguments of `aside report`.

use std::path::PathBuf;
use std::time::Duration;

use aside_inspect::rows::GroupBy;
use aside_request_logs::{Agent, Format};
use clap::Args;

use super::cache::{duration, format};

/// Show what your agents cost, and the money lost to cache misses.
///
/// Without LOG, reads the sessions that Claude Code, Codex, Gemini CLI, Qwen
/// Code and opencode keep in your home; writes nothing there. You see what was
/// read, your bill by model, what you lost by cause with the fix, your most
/// expensive sessions, and a bar for each day, but no conversation text without
/// --text.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside report
  aside report --since 7d --by project
  aside report log.jsonl 'archive/*.jsonl.zst' --json
  aside report --rows > rows.jsonl
  aside report --html report.html
  aside report --watch

Exit codes: 0 success, 1 the named logs have no request that can be read,
2 usage error.")]
pub(crate) struct Report {
    /// Logs: files, also compressed with gzip or Zstandard, directories, patterns
    /// such as 'logs/*.jsonl', or - for stdin.
    #[arg(value_name = "FILE")]
    pub(crate) log: Vec<PathBuf>,

    /// The log format; detected from the first lines by default.
    #[arg(long, value_parser = format, value_name = "NAME", requires = "log")]
    pub(crate) format: Option<Format>,

    /// Only recent requests, such as 7d or 12h.
    #[arg(long, value_parser = span, value_name = "TIME")]
    pub(crate) since: Option<Duration>,

    /// Only this agent: claude-code, codex, gemini-cli, qwen-code, opencode.
    #[arg(long, value_parser = agent, value_name = "NAME")]
    pub(crate) agent: Option<Agent>,

    /// Only projects whose directory has this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) project: Option<String>,

    /// Print a table of one kind instead: model, cause, session, day, project,
    /// agent.
    #[arg(long, value_parser = group, value_name = "KIND", conflicts_with = "json")]
    pub(crate) by: Option<GroupBy>,

    /// Print one JSON object with the sources, the totals and every group.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print one JSON object per request; keys are added, never changed.
    #[arg(long, conflicts_with_all = ["json", "by"])]
    pub(crate) rows: bool,

    /// Write a page for a browser too: a bar for each request or day, and the
    /// tables.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["rows", "watch"])]
    pub(crate) html: Option<PathBuf>,

    /// Print the texts that differ below a cause, if the log has exact bodies.
    #[arg(long, conflicts_with_all = ["json", "by", "rows", "watch"])]
    pub(crate) text: bool,

    /// Follow the newest session that --agent and --project leave, with one line
    /// per request, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["json", "by", "rows"])]
    pub(crate) watch: bool,
}

/// Reads a time of the past, such as `7d` or `2w`, or as for other arguments,
/// with a unit.
fn span(text: &str) -> Result<Duration, String> {
    let days = |unit: &str, days: u32| -> Option<Duration> {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Duration::from_secs(86_400).checked_mul(number.checked_mul(days)?)
    };
    let has_unit = text.ends_with(|it: char| it.is_ascii_alphabetic());
    let span = days("d", 1).or_else(|| days("w", 7));
    let span = span.or_else(|| duration(text).ok().filter(|_| has_unit));
    span.ok_or_else(|| "expected a time such as 12h, 7d or 2w".to_owned())
}

fn agent(name: &str) -> Result<Agent, String> {
    name.parse().map_err(|_| expected(&Agent::ALL.map(Agent::as_str)))
}

fn group(name: &str) -> Result<GroupBy, String> {
    name.parse().map_err(|_| expected(&GroupBy::ALL.map(GroupBy::as_str)))
}

fn expected(names: &[&str]) -> String {
    format!("expected one of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_the_past_has_a_unit() {
        assert_eq!(span("2w"), span("14d"));
        assert_eq!(span("24h"), span("1d"));
        for wrong in ["7", "", "d", "7y"] {
            assert!(span(wrong).is_err(), "{wrong:?}");
        }
    }
}
