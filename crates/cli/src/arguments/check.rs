//! The arguments of `aside check`.

use std::path::PathBuf;

use aside_models::Platform;
use aside_rules::{ApiVersion, RuleLevel};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::api_version;
use super::convert::FormName;
use super::rules::{RuleId, rule_id};

/// Report which API rules a request breaks.
///
/// Pass it a body, JSON Lines with one body per line, a HAR file, a YAML
/// cassette (VCR), or recordings: {"headers": {…}, "body": …}, alone, in a
/// list, or under "request". In a batch for Anthropic or OpenAI, each request
/// is checked. Headers and address set betas, API version and platform. Bodies
/// for Messages, Chat Completions, Responses and Gemini are checked; those for
/// Bedrock's Converse are counted. To decide which rules apply, it looks at
/// --wire or --platform, then at the recorded address, the model's vendor, and
/// the body's keys; -v prints the reason. A key that belongs to another wire is
/// then a violation. Prints one line per violation, FILE:line: rule: path:
/// found, expected (source), then the questions that the bodies alone do not
/// decide.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside render \"Explain the build\" | aside check -
  aside check logs 'archive/*.jsonl.zst'
  aside check requests.jsonl --beta compact-2026-09-04 --json
  aside check body.json --platform bedrock-invoke --model claude-opus-5-5
  aside check body.json --deny lossy,doubled-key --allow blank-text

Exit codes: 0 nothing refused, 1 a violation that is refused or denied, 2 usage
error, or a file that cannot be read; the others are checked.")]
pub(crate) struct Check {
    /// The files, also compressed with gzip or Zstandard, directories, patterns
    /// such as 'logs/*.jsonl', or - for stdin.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// A beta from the header anthropic-beta, or a comma-separated list; "none"
    /// means none. Without it, a rule that depends on a beta reports "needs".
    #[arg(long = "beta", value_name = "NAME", value_delimiter = ',')]
    pub(crate) betas: Vec<String>,

    /// The API version, from the header anthropic-version. Without it, a rule
    /// that depends on the version reports "needs".
    #[arg(long, value_parser = api_version(), value_name = "VERSION")]
    pub(crate) api_version: Option<ApiVersion>,

    /// The model, if it differs from the one in the body.
    #[arg(long, value_name = "ID")]
    pub(crate) model: Option<String>,

    /// The wire to check for. By default, the platform, the recorded address,
    /// the model or the keys decide for each body.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) wire: Option<FormName>,

    /// The platform that receives the request.
    #[arg(long, value_name = "PLATFORM", value_parser = platform_values())]
    pub(crate) platform: Option<String>,

    /// The bodies are of POST /v1/messages/count_tokens.
    #[arg(long)]
    pub(crate) count_tokens: bool,

    /// Levels (refused, needs, lossy, unknown, deprecated, cost) and rule ids
    /// to fail on, in addition to refused.
    #[arg(long, value_name = "LEVEL|RULE", value_delimiter = ',', value_parser = selected)]
    pub(crate) deny: Vec<Selected>,

    /// Levels and rule ids not to fail on.
    #[arg(long, value_name = "LEVEL|RULE", value_delimiter = ',', value_parser = selected)]
    pub(crate) allow: Vec<Selected>,

    /// Print one JSON object: {"violations":[{"file","line","rule","level",
    /// "path","found","expected","source"}],
    /// "not_checked":[{"topic","count","reason"}],
    /// "wires":[{"wire","reason","bodies"}],
    /// "bodies","levels"}.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Returns a parser that accepts the names of all platforms and lists them in the help.
fn platform_values() -> PossibleValuesParser {
    PossibleValuesParser::new(Platform::ALL.map(Platform::as_str))
}

/// The rules that an argument selects.
#[derive(Clone, Debug)]
pub(crate) enum Selected {
    /// All rules of a level.
    Level(RuleLevel),
    /// One rule.
    Rule(RuleId),
}

fn selected(name: &str) -> Result<Selected, String> {
    match name.parse() {
        Ok(level) => Ok(Selected::Level(level)),
        Err(_) => rule_id(name).map(Selected::Rule),
    }
}
