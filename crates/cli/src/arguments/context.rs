//! The arguments of `aside context`.

use std::path::PathBuf;
use std::time::Duration;

use aside_request_logs::Format;
use clap::Args;

#[cfg(feature = "network")]
use super::McpArguments;
use super::NextRequest;
use super::cache::{duration, format};

/// Show what fills a request: tokens, cost and cache state.
///
/// A table by layer with the share of each, the cache markers in place, the
/// largest parts, and hints: tools that were never called, text that is there
/// twice, results that are far back. The parts sum to the body, to the byte;
/// tokens are estimates and marked with ~. Without --file, the request is the
/// next one of this directory; with a log, each request has a line with its
/// change, and the last one its table.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside context
  aside context --resume 67e55044-10b1-426f-9247-bb680e5fe0c8 --depth 2
  aside context --file body.json
  aside context --file log.jsonl --html context.html
  aside context --file body.json --at 'messages[3].content[0].text'
  aside context --file body.json --at 123456
  aside context --json | jq '.hints[] | {kind, tokens}'

Exit codes: 0 success, 1 failed, 2 usage error.")]
pub(crate) struct Context {
    /// A recorded body, or a log of requests, instead of the next request of
    /// this directory; - is stdin.
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["prompt", "conversation", "messages", "tools", "resume", "session_id"])]
    pub(crate) file: Option<PathBuf>,

    /// The format of a log; by default it is detected from the first
    /// lines.
    #[arg(long, value_parser = format, value_name = "NAME", requires = "file")]
    pub(crate) format: Option<Format>,

    /// The time between requests if the log has no times [default: 30s].
    #[arg(long, value_parser = duration, value_name = "TIME", requires = "file")]
    pub(crate) every: Option<Duration>,

    /// Only this request of a log, from 1.
    #[arg(long, value_name = "N", requires = "file")]
    pub(crate) only: Option<usize>,

    /// Print JSON, of the form of report.schema.json of aside-inspect; for a log
    /// an object on a line for each request.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a page for a browser: one file that loads nothing.
    #[arg(long, value_name = "PATH")]
    pub(crate) html: Option<PathBuf>,

    /// Leave the texts out of the page.
    #[arg(long, requires = "html")]
    pub(crate) redact: bool,

    /// The maximum number of levels of parts below each layer; with --json, the
    /// most levels in total.
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,

    /// Print the source of a byte or of a JSON path, and why it is there.
    #[arg(long, value_name = "BYTE|PATH", conflicts_with_all = ["html", "depth"])]
    pub(crate) at: Option<String>,

    /// Ask the provider for the exact number of tokens. This sends the request
    /// to its count_tokens, and needs a key; nothing else of this command sends
    /// anything.
    #[arg(long)]
    pub(crate) exact: bool,

    #[command(flatten)]
    pub(crate) next: NextRequest,

    #[cfg(feature = "network")]
    #[command(flatten)]
    pub(crate) servers: McpArguments,
}
