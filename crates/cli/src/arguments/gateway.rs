//! The arguments of `aside proxy` and `aside serve`.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use aside_gateway::proxy::Deny;
use aside_gateway::serve::Faults;
use clap::{Args, ValueEnum};

/// Record what a command sends to its model provider.
///
/// Forwards bodies and streams byte for byte (--place changes the cache
/// markers), and prints one line per request on stderr; add --record to keep
/// them. You need not change your command: it gets ANTHROPIC_BASE_URL,
/// OPENAI_BASE_URL, GOOGLE_GEMINI_BASE_URL and GEMINI_BASE_URL. Without a
/// command, runs until you interrupt it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside proxy --record traces -- my-agent \"Fix the tests\"
  aside proxy --place aside -- my-agent
  aside proxy --upstream messages=https://gateway.example.com -- my-agent

Exit codes: that of the command; 1 a denied finding, or the proxy failed; 2
usage error.")]
pub(crate) struct Proxy {
    /// The upstream of a wire: messages, responses, chat or gemini. May be
    /// given once for each wire; wires without one are not served. By default,
    /// the base URL variable of the environment, else the vendor's address.
    #[arg(long, value_name = "WIRE=URL")]
    pub(crate) upstream: Vec<String>,

    /// Record requests and usage to this directory, as JSON Lines, one file per
    /// session. Leaves out API keys in headers, addresses and known places in a
    /// body. Texts are kept: if your prompts contain keys, add --redact.
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,

    /// Replace texts in records with hashes of the same length. Names of tools
    /// and schema properties stay.
    #[arg(long, requires = "record")]
    pub(crate) redact: bool,

    /// Replace the agent's cache markers in messages with planned ones, unless
    /// they are as good; on Responses, add a breakpoint and a cache key. All
    /// other bytes stay.
    #[arg(long, value_enum, value_name = "PLACER")]
    pub(crate) place: Option<Placer>,

    /// Exit with 1 on a finding: miss, one reason of model_changed,
    /// tools_changed, system_changed, messages_changed,
    /// previous_message_not_found, one of OpenAI's such as
    /// service_tier_changed, or a rule of `aside cache lint`. May be given
    /// several times.
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<Deny>,

    /// The address to listen on; port 0 selects a free port.
    #[arg(long, value_parser = address, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,

    /// Allow listening on an address that other machines can reach.
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// The largest request, in megabytes.
    #[arg(long, default_value_t = 64, value_name = "MB")]
    pub(crate) max_request: usize,

    /// Print each request and the summary as one JSON object per line on
    /// stderr: the keys of a request, {"refused"}, or {"summary"}.
    #[arg(long)]
    pub(crate) json: bool,

    /// The command and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let expected = "expected an address such as 127.0.0.1:8080";
    text.parse().map_err(|_| expected)
}

/// The source of the planned cache markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Placer {
    /// The plan of aside.
    Aside,
}

/// The arguments that a suite, whose situations have their own servers, has no
/// use for.
const OF_ONE_SERVER: [&str; 5] = ["script", "replay", "strict", "fail", "allow_remote"];

/// Serve the model APIs for tests, without a key or a model.
///
/// Responds to Messages, Responses, Chat Completions and generateContent.
/// Prints ANTHROPIC_BASE_URL=... on stdout and the other APIs' variables on
/// stderr, then serves until you interrupt it, and reports requests, refusals
/// and cost on stderr; GET /report returns them as JSON. To set the time of a
/// request, send the header x-aside-now, in seconds since 1970.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside serve --strict
  aside serve --script script.json --listen 127.0.0.1:8080
  aside serve --strict --fail 429:3,529:1 --junit report.xml
  aside serve --suite -- my-agent -p {prompt}
  aside serve --suite resume fork.json --resume --continue -- my-agent -p

Exit codes: 0 every request was accepted and none missed the cache, 1 one was
refused or missed it, or the suite has findings, 2 usage error.")]
pub(crate) struct Serve {
    /// Respond from a script: a JSON file with responses in order, matchers,
    /// delays, errors and streams that break off.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub(crate) script: Option<PathBuf>,

    /// Respond from a recording in the form of `aside run --replay`, or from
    /// records of `aside proxy`, one after the other: a file, also compressed, a
    /// directory, a pattern or -. It can be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Vec<PathBuf>,

    /// Refuse requests that break a known API rule, and unknown models; sign
    /// thinking, and refuse it after another prefix.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Fail the first requests: statuses, each with a number of requests, by
    /// default one.
    #[arg(long, value_name = "STATUS[:TIMES],...")]
    pub(crate) fail: Option<Faults>,

    /// The address to listen on; port 0 selects a free port.
    #[arg(long, value_parser = address, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,

    /// Allow listening on an address that other machines can reach.
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Print the report as one JSON object on stdout at the end.
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write a report in the JUnit format at the end.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Run your command through situations and print a score card. Name
    /// built-in ones or files; without names, all built-in ones run. Each gets
    /// its own strict server and empty directory.
    #[arg(long, value_name = "NAME", num_args = 0.., requires = "command",
          conflicts_with_all = OF_ONE_SERVER)]
    pub(crate) suite: Option<Vec<String>>,

    /// With --suite, the arguments of the command for a new session, which
    /// replace {session} in it; {id} is a new UUID.
    #[arg(long, value_name = "ARGS", requires = "suite", conflicts_with_all = OF_ONE_SERVER,
          allow_hyphen_values = true)]
    pub(crate) new: Option<String>,

    /// With --suite, the arguments that continue the session. Without them,
    /// situations with a second call are skipped.
    #[arg(long, value_name = "ARGS", requires = "suite", conflicts_with_all = OF_ONE_SERVER,
          allow_hyphen_values = true)]
    pub(crate) resume: Option<String>,

    /// With --suite, the arguments that fork the session.
    #[arg(long, value_name = "ARGS", requires = "suite", conflicts_with_all = OF_ONE_SERVER,
          allow_hyphen_values = true)]
    pub(crate) fork: Option<String>,

    /// With --suite, the seconds that each call of the command may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 180, requires = "suite",
          conflicts_with_all = OF_ONE_SERVER)]
    pub(crate) timeout: u64,

    /// With --suite, the command. {prompt} in its arguments is the prompt, which
    /// is otherwise the last one.
    #[arg(last = true, value_name = "COMMAND", requires = "suite",
          conflicts_with_all = OF_ONE_SERVER)]
    pub(crate) command: Vec<OsString>,
}
