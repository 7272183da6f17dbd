//! The arguments of `aside diff` and `aside cache`, and of commands that read a log.

use std::path::PathBuf;
use std::time::Duration;

use aside_cache_model::{CacheRules, Choice, LINT_RULES, SPENDING_RULES, lint_rule};
use aside_cache_split::TtlPolicy;
use aside_messages::wire::Ttl;
use aside_request_logs::Format;
use aside_text::UnknownName;
use clap::{Args, Subcommand, ValueEnum};

use super::rules::RuleId;

/// Find the first byte that breaks the cache between two requests.
///
/// Prints one of: identical; continues; continues, level lost; changed after
/// the last marker; broken; for two APIs. Then shows the first difference: path, byte, both
/// texts, cause, fix, and what you lose in cached tokens and thinking. Given one
/// argument, a log, compares its last request with the one before it in its
/// session.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside diff turn-1.json turn-2.json
  aside diff turn-1.json - --json < turn-2.json
  aside diff turn-1.json turn-2.json --source-map map-2.json
  aside diff old.json new.json --allow level --allow after-marker
  aside diff log.jsonl --only 12

Exit codes: 0 identical, continues or a relation in --allow, 1 another relation,
2 usage error.")]
pub(crate) struct Diff {
    /// The earlier body, or a log: a file, a directory or a pattern; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) before: PathBuf,

    /// The later body; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) after: Option<PathBuf>,

    /// Compare this request of the log, counted from 1.
    #[arg(long, value_name = "N", conflicts_with = "after")]
    pub(crate) only: Option<usize>,

    /// The later body's source map, written by aside render --source-map. Also
    /// prints the section that the first changed byte comes from, and why it is
    /// there. Without it, the source is the file or heading that the text
    /// names.
    #[arg(long, value_name = "PATH")]
    pub(crate) source_map: Option<PathBuf>,

    /// Also exit with 0 for this relation.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RELATION")]
    pub(crate) allow: Vec<Allowed>,

    /// The provider whose cache rules apply: anthropic, bedrock, openai,
    /// gemini; by default the body's.
    #[arg(long, value_parser = rules, value_name = "NAME")]
    pub(crate) rules: Option<CacheRules>,

    /// Print one JSON object: {"relation","difference","parameter","lost_level",
    /// "lost_tokens","lost_cost","thinking_lost",
    /// "is_unmarked","prices_as_of","detail","source"};
    /// "detail" for a log only, "source" if it is known.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print no body text, only lengths, hashes and paths.
    #[arg(long)]
    pub(crate) no_text: bool,
}

/// A relation that `diff` accepts in addition to the good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allowed {
    /// The bytes continue, and a level of the cache is lost.
    Level,
    /// A change after the last marker.
    AfterMarker,
}

/// Explain what a log of requests reads, writes and misses.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    after_help = "Examples:
  aside cache explain log.jsonl
  aside cache lint log.jsonl --deny prefix-changed"
)]
pub(crate) struct Cache {
    #[command(subcommand)]
    pub(crate) command: CacheCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Show what each request reads, writes and misses.
    Explain(Explain),
    /// Compare the cost with other markers and lifetimes.
    Simulate(Simulate),
    /// Report what wastes the cache, and what it costs.
    Lint(Lint),
    /// Put cache markers into a body.
    Plan(PlanBody),
}

/// A log and its format.
#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Logs: files, also compressed with gzip or Zstandard, directories, patterns
    /// such as 'logs/*.jsonl', or - for stdin.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) log: Vec<PathBuf>,

    /// The format: bodies, plain, raw-bodies, proxy, har, cassette, otel,
    /// litellm, transcript. By default it is detected from the first lines.
    #[arg(long, value_parser = format, value_name = "NAME")]
    pub(crate) format: Option<Format>,

    /// How much time to assume between a request that has no time and the one
    /// before [default: 30s].
    #[arg(long, value_parser = duration, value_name = "TIME")]
    pub(crate) every: Option<Duration>,

    /// The provider whose cache rules apply: anthropic, bedrock, openai,
    /// gemini; by default each request's.
    #[arg(long, value_parser = rules, value_name = "NAME")]
    pub(crate) rules: Option<CacheRules>,

    /// Reverse an assumption to see what depends on it: look_back_unit,
    /// renew_ancestors, hour_over_five, writes_below_hit, nested, thinking,
    /// isolation, concurrency, images. No provider documents these.
    #[arg(long, value_parser = choice, value_delimiter = ',', value_name = "CHOICE")]
    pub(crate) flip: Vec<Choice>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Print no body text, only lengths, hashes and paths.
    #[arg(long)]
    pub(crate) no_text: bool,
}

/// Show what each request reads, writes and misses.
///
/// One line per request: the time, the tokens that it reads, writes for 5
/// minutes and for 1 hour, and the rest, and the cost of the input; below it,
/// the reason for a miss. Then a summary. If the log has the provider's usage,
/// every figure is printed next to the provider's.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside cache explain log.jsonl
  aside cache explain session.har --request 12
  aside cache explain bodies/ --sensitivity --json")]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) log: LogArguments,

    /// Print only this request, counted from 1, with its markers.
    #[arg(long, value_name = "N")]
    pub(crate) request: Option<usize>,

    /// Also reverse every assumption that no provider documents, to report
    /// which figures depend on one.
    #[arg(long)]
    pub(crate) sensitivity: bool,
}

/// Compare the cost with other markers and lifetimes.
///
/// One line per placement and lifetime, and one for each policy of `aside run
/// --cache`: the tokens that are read, the cost, and the savings per 1,000
/// requests, or per month if the log has a day of requests. No placement can cost
/// less than the bound; only a line with `warm`, which also repeats requests to
/// keep the cache warm, can.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside cache simulate log.jsonl
  aside cache simulate log.jsonl --place aside --cache-ttl 1h")]
pub(crate) struct Simulate {
    #[command(flatten)]
    pub(crate) log: LogArguments,

    /// Only this placement; as-is is always included.
    #[arg(long, value_enum, value_name = "PLACEMENT")]
    pub(crate) place: Vec<Placement>,

    /// Only this lifetime.
    #[arg(long, value_enum, value_name = "TTL")]
    pub(crate) cache_ttl: Option<CacheTtl>,
}

/// A placement of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Placement {
    /// The markers that the requests have.
    AsIs,
    /// No markers.
    None,
    /// The last block that can have one.
    Last,
    /// The API's automatic marker.
    Automatic,
    /// Aside's plan.
    Aside,
}

/// A lifetime of cache entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheTtl {
    /// Five minutes.
    #[value(name = "5m")]
    FiveMinutes,
    /// One hour.
    #[value(name = "1h")]
    OneHour,
}

impl CacheTtl {
    /// Returns the policy that gives everything this lifetime.
    pub(crate) fn policy(self) -> TtlPolicy {
        match self {
            Self::FiveMinutes => TtlPolicy::Short,
            Self::OneHour => TtlPolicy::Long,
        }
    }
}

/// A policy for the lifetimes of cache entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CachePolicy {
    /// Five minutes for everything.
    #[value(name = "5m")]
    FiveMinutes,
    /// One hour for the layers that sessions share, five minutes for the
    /// conversation.
    Prefix,
    /// One hour for everything.
    #[value(name = "1h")]
    OneHour,
    /// Five minutes; one hour for the end of the previous request, on the first
    /// request of a turn and at least every eight positions of a tool loop.
    Auto,
}

impl CachePolicy {
    /// Returns the policy in the form of `aside-cache-split`.
    pub(crate) fn policy(self) -> TtlPolicy {
        match self {
            Self::FiveMinutes => TtlPolicy::Short,
            Self::Prefix => TtlPolicy::LongPrefix,
            Self::OneHour => TtlPolicy::Long,
            Self::Auto => TtlPolicy::Checkpoints,
        }
    }
}

/// The lifetime of the layers that the sessions of a project share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CachePrefix {
    /// Five minutes.
    #[value(name = "5m")]
    FiveMinutes,
    /// One hour.
    #[value(name = "1h")]
    OneHour,
    /// One hour if another session of the project began 5 to 60 minutes ago, or
    /// those of the last seven days mostly began 5 to 60 minutes apart.
    Auto,
}

impl CachePrefix {
    /// Returns the lifetime; `None` if the sessions of the project decide.
    pub(crate) fn ttl(self) -> Option<Ttl> {
        match self {
            Self::FiveMinutes => Some(Ttl::FiveMinutes),
            Self::OneHour => Some(Ttl::OneHour),
            Self::Auto => None,
        }
    }
}

/// Report what wastes the cache, and what it costs.
///
/// One line per broken rule, the most expensive first: the number of requests,
/// the first of them, the lost tokens and money, and the fix.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside cache lint log.jsonl
  aside cache lint log.jsonl --deny prefix-changed --junit report.xml
  aside cache lint log.jsonl --max-cost-over-bound 1.1

Exit codes: 0 nothing denied was found, 1 a denied finding, 2 usage error.")]
pub(crate) struct Lint {
    #[command(flatten)]
    pub(crate) log: LogArguments,

    /// Treat only these rules as errors; by default all, or none with
    /// --max-cost-over-bound.
    #[arg(long, value_parser = rule, value_delimiter = ',', value_name = "RULE")]
    pub(crate) deny: Vec<RuleId>,

    /// Fail if the log costs more than this many times the least possible, or
    /// if that is unknown.
    #[arg(long, value_parser = ratio, value_name = "RATIO")]
    pub(crate) max_cost_over_bound: Option<f64>,

    /// Also write a report in the JUnit format.
    #[cfg(feature = "junit")]
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// Put cache markers into a body.
///
/// The markers of the body are kept and count towards the four. The reason for
/// each marker is printed on stderr.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside cache plan body.json > marked.json
  aside cache plan body.json --json
  aside cache plan turn-2.json --after turn-1.json --cache-ttl auto --explain")]
pub(crate) struct PlanBody {
    /// The body for the Messages API; - is stdin. To one for OpenAI's Responses or
    /// Chat Completions, a breakpoint and a cache key are added where its model has
    /// them.
    #[arg(value_name = "FILE")]
    pub(crate) body: PathBuf,

    /// How long entries live, on the Messages API. With auto, it depends on where
    /// the request is in its conversation.
    #[arg(long, value_enum, default_value = "5m", value_name = "TTL")]
    pub(crate) cache_ttl: CachePolicy,

    /// The previous request of the conversation. If the body does not continue
    /// it, the whole conversation is written again, and auto gives it five
    /// minutes.
    #[arg(long, value_name = "FILE")]
    pub(crate) after: Option<PathBuf>,

    /// Print the explanation instead of the body.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Print one JSON object: {"markers":[{"path","cache_control","reason"}]}; for
    /// OpenAI's cache, `prompt_cache_breakpoint` or `prompt_cache_key` instead of
    /// `cache_control`.
    #[arg(long)]
    pub(crate) json: bool,
}

fn ratio(text: &str) -> Result<f64, &'static str> {
    let ratio: Option<f64> = text.parse().ok();
    ratio.filter(|it| it.is_finite()).ok_or("expected a number such as 1.1")
}

/// Reads the name of a preset of cache rules.
fn rules(name: &str) -> Result<CacheRules, String> {
    CacheRules::preset(name)
        .ok_or_else(|| "expected anthropic, bedrock, openai or gemini".to_owned())
}

/// Reads the name of an assumption of the cache model; the error lists all names.
fn choice(name: &str) -> Result<Choice, String> {
    name.parse().map_err(|unknown| expected(&unknown))
}

/// Reads the name of a format of logs; the error lists all names.
pub(super) fn format(name: &str) -> Result<Format, String> {
    name.parse().map_err(|unknown| expected(&unknown))
}

fn expected(unknown: &UnknownName) -> String {
    format!("expected one of {}", unknown.expected().join(", "))
}

/// Reads the id of a lint rule; the error lists all ids.
fn rule(id: &str) -> Result<RuleId, String> {
    if lint_rule(id).is_some() {
        return Ok(RuleId(id.to_owned()));
    }
    let all = LINT_RULES.iter().chain(&SPENDING_RULES);
    let ids: Vec<&str> = all.map(|rule| rule.id).collect();
    Err(format!("expected one of {}", ids.join(", ")))
}

/// Reads a time such as `30s`, `5m`, `1h`, `1.5h` or `250ms`; a number alone is in
/// seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|it: char| it.is_ascii_alphabetic()).unwrap_or(text.len());
    let number: Option<f64> = text[..end].parse().ok();
    let unit = match &text[end..] {
        "ms" => Some(0.001),
        "" | "s" => Some(1.0),
        "m" => Some(60.0),
        "h" => Some(3_600.0),
        _ => None,
    };
    let seconds = number.zip(unit).map(|(number, unit)| number * unit);
    let duration = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
    duration.ok_or_else(|| "expected a time such as 30s, 5m or 1h".to_owned())
}
