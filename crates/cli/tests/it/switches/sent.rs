//! `aside render ARGS PROMPT` prints the first body that
//! `aside run ARGS PROMPT` sends, except for the parameters to stream, whatever
//! the arguments are.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Output;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use super::place::Place;
use super::table::flags;

/// Arguments, and variables to set in addition to [`KEYS`].
type Row = (&'static [&'static str], &'static [(&'static str, &'static str)]);

const RESPONSES: &[(&str, &str)] = &[("OPENAI_WIRE_API", "responses")];
const HOUR_ON_BEDROCK: &[(&str, &str)] = &[("ENABLE_PROMPT_CACHING_1H_BEDROCK", "1")];
const COORDINATOR: &[&str] = &["--coordinator", "--worker-tool", "Dispatch"];

/// Every session switch, every request switch, every provider, and some
/// combinations.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    (&[], &[]),
    // Session
    (&["--cwd", "ROOT/more"], &[]),
    (&["--add-dir", "ROOT/more"], &[]),
    (&["--setting-sources", "project,local"], &[]),
    (&["--settings", r#"{"language":"French","outputStyle":"Terse"}"#], &[]),
    (&["--instructions", "gemini"], &[]),
    (&["--bare"], &[]),
    (&["--allow-external-imports"], &[]),
    (&["--no-project-reminders"], &[]),
    // Request
    (&["--layout", "classic"], &[]),
    (&["--model", "claude-opus-5-5"], &[]),
    (&["--model", "claude-haiku-4-5"], &[]),
    (&["--max-tokens", "100"], &[]),
    (&["--date", "2031-02-01"], &[]),
    (&["--query-source", "agent:review"], &[]),
    (&["--cache-ttl", "1h"], &[]),
    (&["--cache-ttl-allowlist", "agent:*,sd*"], &[]),
    (&["--cache-prefix", "1h"], &[]),
    (&["--global-scope"], &[]),
    (&["--attribution", "ci"], &[]),
    (&["--beta", "my-beta-2026-01-01"], &[]),
    (&["--cache-breaker", "v1"], &[]),
    (&["--compact-at", "off"], &[]),
    (&["--compact-method", "request"], &[]),
    (&["--clear-tool-uses", "5000"], &[]),
    (&["--snip"], &[]),
    (&["--allow-edits"], &[]),
    (&["--profile", "documents"], &[]),
    (&["--state", "ROOT/state.json"], &[]),
    // System prompt
    (&["--override-system-prompt", "Only this."], &[]),
    (COORDINATOR, &[]),
    (&["--agent", "ROOT/agent.md"], &[]),
    (&["--agent", "ROOT/agent.md", "--proactive"], &[]),
    (&["--system-prompt", "A text."], &[]),
    (&["--system-prompt-file", "ROOT/text.txt"], &[]),
    (&["--append-system-prompt", "A text."], &[]),
    (&["--append-system-prompt-file", "ROOT/text.txt"], &[]),
    (&["--unattended"], &[]),
    (&["--brief"], &[]),
    (&["--token-budget", "7000"], &[]),
    (&["--scratchpad", "ROOT/scratch"], &[]),
    // Providers
    (&["--provider", "first-party"], &[]),
    (&["--provider", "first-party", "--global-scope"], &[]),
    (&["--provider", "bedrock"], HOUR_ON_BEDROCK),
    (&["--provider", "bedrock-messages"], &[]),
    (&["--provider", "vertex"], &[]),
    (&["--provider", "foundry"], &[]),
    (&["--provider", "openai"], &[]),
    (&["--provider", "openai"], RESPONSES),
    (&["--provider", "openai", "--max-tokens-key", "--no-prompt-cache-key"], &[]),
    (&["--provider", "gemini"], &[]),
    (&["--provider", "grok"], &[]),
    (&["--provider", "openai", "--snip", "--layout", "classic"], RESPONSES),
    (&["--provider", "gemini", "--state", "ROOT/state.json"], &[]),
    // Variables
    (&[], &[("ASIDE_SIMPLE", "1")]),
    (&["--worker-tool", "Agent"], &[("ASIDE_COORDINATOR_MODE", "1")]),
    (&[], &[("DISABLE_PROMPT_CACHING", "1")]),
    (&["--layout", "classic", "--snip", "--worker-tool", "Agent"], &[]),
];

/// `aside run` switches that no row has.
const OTHERS: [(&str, &str); 6] = [
    ("--help", "ends the command"),
    ("--json", "changes the output"),
    ("--max-turns", "ends the run after the request"),
    ("--replay", "sends nothing"),
    ("--resume", "selected_provider.rs: the_printed_body_is_the_sent_body"),
    ("--steer", "a user is there, and may send more messages"),
];

/// Keys for all providers, and the variables that set their addresses.
pub(super) const KEYS: [(&str, &str); 11] = [
    ("ANTHROPIC_API_KEY", "k"),
    ("AWS_BEARER_TOKEN_BEDROCK", "k"),
    ("AWS_REGION", "us-east-1"),
    ("ANTHROPIC_VERTEX_ACCESS_TOKEN", "k"),
    ("CLOUD_ML_REGION", "us-east5"),
    ("ANTHROPIC_VERTEX_PROJECT_ID", "p"),
    ("ANTHROPIC_FOUNDRY_API_KEY", "k"),
    ("ANTHROPIC_FOUNDRY_RESOURCE", "r"),
    ("OPENAI_API_KEY", "k"),
    ("GEMINI_API_KEY", "k"),
    ("GROK_API_KEY", "k"),
];
pub(super) const ADDRESSES: [&str; 8] = [
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "OPENAI_BASE_URL",
    "GEMINI_BASE_URL",
    "GROK_BASE_URL",
];

/// A mention, and a text that a JSON writer has to escape.
const PROMPT: &str = "Explain \"it\" after @CLAUDE.local.md, näher";

/// A server that keeps each request's body, and refuses it.
pub(super) struct Recorder {
    pub(super) url: String,
    pub(super) bodies: Receiver<String>,
}

impl Recorder {
    pub(super) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, bodies) = channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut length, mut line) = (0, String::from("-"));
                while !line.trim().is_empty() {
                    line.clear();
                    reader.read_line(&mut line).unwrap();
                    let line = line.to_ascii_lowercase();
                    if let Some(value) = line.strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                // Before responding, so that the body is there when the command
                // ends.
                if sender.send(String::from_utf8(body).unwrap()).is_err() {
                    return;
                }
                let refused = "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\nconnection: close";
                write!(stream, "{refused}\r\n\r\n{{}}").unwrap();
            }
        });
        Self { url, bodies }
    }
}

/// A place with a recorder for all providers.
struct Session {
    place: Place,
    recorder: Recorder,
}

impl Session {
    fn new() -> Self {
        let (place, recorder) = (Place::new(), Recorder::new());
        let servers = r#"{"mcp_servers":[{"name":"docs","instructions":"Ask docs."}],
            "sections":{"model_override":"One sentence."}}"#;
        place.write("state.json", servers);
        Self { place, recorder }
    }

    fn aside(&self, command: &str, more: &[&str], (arguments, variables): Row) -> Output {
        let mut aside = self.place.command(&[&[command], arguments, more].concat());
        aside.envs(KEYS).envs(ADDRESSES.map(|name| (name, &self.recorder.url)));
        aside.envs(variables.iter().copied());
        if !arguments.contains(&"--date") {
            aside.args(["--date", "2026-01-31"]);
        }
        aside.output().unwrap()
    }

    fn stdout(&self, command: &str, more: &[&str], row: Row) -> String {
        let output = self.aside(command, more, row);
        let reported = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{row:?}: {reported}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Checks that `render` prints what `run` sends first, and returns it.
    #[track_caller]
    fn check(&self, id: usize, row: Row) -> String {
        let id = format!("00000000-0000-4000-8000-{id:012x}");
        let more = ["--session-id", &id, PROMPT];
        let printed = self.stdout("render", &more, row);
        let ran = self.aside("run", &more, row);
        let sent = self.recorder.bodies.try_recv().unwrap_or_default();
        assert_eq!(without_stream(&sent), printed, "{row:?}: {ran:?}");
        while self.recorder.bodies.try_recv().is_ok() {}
        printed
    }
}

/// Removes the parameters to stream, which begin the members after the model
/// and the limit. When a wire streams at another address, it has none.
fn without_stream(sent: &str) -> String {
    let chat = r#""stream":true,"stream_options":{"include_usage":true},"#;
    let sent = sent.replacen(chat, "", 1);
    sent.replacen(r#""stream":true,"#, "", 1)
}

#[test]
fn render_prints_what_run_sends() {
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let session = Session::new();
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(row) = ROWS.get(index) else { return };
                    session.check(index, *row);
                }
            });
        }
    });
}

#[test]
fn every_switch_of_run_is_in_the_table() {
    let headings = ["Options", "Session", "Request", "System prompt"];
    let of_rows = ROWS.iter().flat_map(|(arguments, _)| arguments.iter());
    let mut known: BTreeSet<String> =
        of_rows.filter(|it| it.starts_with("--")).map(|it| (*it).to_owned()).collect();
    known.extend(OTHERS.map(|(flag, _)| flag.to_owned()));
    known.insert("--session-id".to_owned());
    assert_eq!(flags("run", &headings), known);
}
