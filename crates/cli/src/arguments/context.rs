//! The arguments of `aside context`.

use std::path::PathBuf;
use std::time::Duration;

use aside_request_logs::Format;
use clap::{Args, Command, Id};

#[cfg(feature = "network")]
use super::McpArguments;
use super::cache::{duration, format};
use super::{NextRequest, RequestArguments};

/// Show what fills a request: tokens, cost and cache state.
///
/// You see a table by layer with cache markers in place, the largest parts, and
/// hints: tools that were never called, text that is there twice, results far
/// back. Parts sum to the body, to the byte; tokens marked with ~ are
/// estimates. Without --file, shows the next request in this directory. With a
/// log, shows a line for each request with what changed, and the table for the
/// last one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside context
  aside context --resume 67e55044-10b1-426f-9247-bb680e5fe0c8 'Go on'
  aside context --file body.json
  aside context --file log.jsonl --html context.html
  aside context --file body.json --at 'messages[3].content[0].text'
  aside context --file body.json --at 123456
  aside context --json | jq '.hints[] | {kind, tokens}'

Exit codes: 0 success, 1 failed, 2 usage error.")]
pub(crate) struct Context {
    /// A recorded body or a log to read instead of the next request in this
    /// directory; - is stdin. Of the arguments for the next request, --model
    /// names the model of a body that names none, and --provider is for --exact.
    #[arg(long, value_name = "FILE", conflicts_with_all = of_the_next_request())]
    pub(crate) file: Option<PathBuf>,

    /// The log format; detected from the first lines by default.
    #[arg(long, value_parser = format, value_name = "NAME", requires = "file",
          conflicts_with_all = of_the_next_request())]
    pub(crate) format: Option<Format>,

    /// How much time to assume between a request that has no time and the one before
    /// [default: 30s].
    #[arg(long, value_parser = duration, value_name = "TIME", requires = "file",
          conflicts_with_all = of_the_next_request())]
    pub(crate) every: Option<Duration>,

    /// Only this request in the log, counted from 1.
    #[arg(long, value_name = "N", requires = "file", conflicts_with_all = of_the_next_request())]
    pub(crate) only: Option<usize>,

    /// Print JSON as report.schema.json of aside-inspect describes it; for a
    /// log, per line a request with that as "report". With --at, print
    /// {"offset","line","parts","source","why"}.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page to open in your browser: one file that loads nothing.
    #[arg(long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,

    /// Leave texts out of the page.
    #[arg(long, requires = "html", conflicts_with = "at")]
    pub(crate) redact: bool,

    /// How many levels of parts to show below each layer; with --json, how many
    /// in total.
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,

    /// Print where a byte or a JSON path comes from, and why it is there.
    #[arg(long, value_name = "BYTE|PATH", conflicts_with_all = ["html", "depth"])]
    pub(crate) at: Option<String>,

    /// Ask the provider to count tokens exactly. Sends the request to its
    /// count_tokens, for which you need a key; nothing else in this command
    /// sends anything.
    #[arg(long)]
    pub(crate) exact: bool,

    #[command(flatten)]
    pub(crate) next: NextRequest,

    #[cfg(feature = "network")]
    #[command(flatten)]
    pub(crate) servers: McpArguments,
}

/// Returns the arguments that a request in a file has no use for.
fn of_the_next_request() -> impl Iterator<Item = Id> {
    let command = RequestArguments::augment_args(Command::new(""));
    #[cfg(feature = "network")]
    let command = McpArguments::augment_args(command);
    let ids: Vec<Id> = command.get_arguments().map(|it| it.get_id().clone()).collect();
    let own = ["prompt", "conversation", "messages", "tools", "resume", "session_id"];
    let ids = ids.into_iter().filter(|id| *id != "model" && *id != "provider");
    own.map(Id::from).into_iter().chain(ids)
}
