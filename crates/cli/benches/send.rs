//! The cost of a request from the conversation to the socket, against a plain
//! vectored write of the same bytes to the same server, and against writing the
//! request with serde: `cargo bench --package aside --bench send`.
//!
//! The measured part is `Session::prepare` and `HttpClient::complete`, up to
//! the headers of the response: lowering, due attachments and reminders, the
//! plan of cache markers, encoding, the check of the request, conversion, HTTP.
//! The journal and reading the response are not included. The plain write has
//! the bytes ready. All three include the copy into the socket and waiting for
//! the server, which reads everything before it responds. CPU time is that of
//! the sending thread, including the system's part.
//!
//! Ours is 1.6 times the CPU time of the plain write for a request of 4 MB, and
//! 4.5 to 6 times for one of 270 KB, which takes 0.03 to 0.04 ms to write. Serde
//! costs 1.7 to 1.9 times ours at 270 KB and 8 to 9 times at
//! 4 MB. The goal, 1.15 times and 0.06 ms, is not reached. Three parts are left,
//! none of which grows with the session but for the copy into the socket:
//!
//! - preparing, 0.05 to 0.2 ms: lowering and estimating the new messages;
//! - `complete` before the socket, mostly the HTTP library: the check of the new
//!   messages is on typed values, and costs less than encoding them;
//! - writing without blocking, 0.4 ms at 4 MB: a write ends when the buffer of
//!   the socket is full, so there are more of them, each with its own part of
//!   the way through the system. The plain write blocks, and is one.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::io::{BufRead, BufReader, IoSlice, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Add;
use std::thread;
use std::time::{Duration, Instant};

use aside_agent::{Client, Prepared};
use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{EntryDraft, Origin, Part};
use aside_messages::wire::{ContentBlock, RawJson, Role, Tool, ToolResult};
use aside_prompt_sections::OsKind;
use aside_providers::{Converter, ModelChoice, Options, Outgoing, Provider, ResponseMode};
use aside_session::{Git, PromptOptions, Session, SessionConfig, SessionTool, ToolOrigin};
use aside_transport::{
    Credentials, Endpoint, Http, HttpClient, Limits, Proxies, RetryPolicy, Secret,
};
use uuid::Uuid;

/// The turns at which the cost is measured.
const TURNS: [usize; 4] = [100, 400, 1_000, 1_600];

/// The number of turns before each of them that are measured: ours in every other one, the plain
/// write in the others.
const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --all-targets` also runs this program, and measures nothing.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!(
        "medians of {} turns, in microseconds: time of the processor, elapsed time",
        ROUNDS / 2
    );
    println!(
        "{:<12} {:>6} {:>9} {:>15} {:>15} {:>15} {:>7} {:>17} {:>7}",
        "",
        "turns",
        "bytes",
        "ours",
        "of it prepare",
        "plain write",
        "ratio",
        "serde and write",
        "ratio"
    );
    for provider in [Provider::FirstParty, Provider::OpenAi, Provider::Gemini] {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(measure(provider))?;
    }
    Ok(())
}

async fn measure(provider: Provider) -> Result<(), Box<dyn Error>> {
    let server = serve()?;
    let url = format!("http://{server}");
    let key = Credentials::ApiKey(Secret::new("k"));
    let endpoint = Endpoint::new(provider, Some(&url), &[], key)?;
    let http = Http::new(Limits::default(), RetryPolicy::default(), Proxies::None);
    let options = Options {
        models: ModelChoice {
            outright: (provider != Provider::FirstParty).then(|| "a-model".to_owned()),
            ..ModelChoice::default()
        },
        delivery: Some(ResponseMode::Streamed),
        ..Options::default()
    };
    let mut converter = Converter::of_lowered(provider, options.clone());
    let client = HttpClient::new(http, endpoint, options);
    let mut plain = TcpStream::connect(server)?;
    plain.set_nodelay(true)?;

    let mut session = Session::open(config()?).await;
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("Go on."));
    let mut times: [Vec<Time>; 4] = Default::default();
    for turn in 1..=TURNS[TURNS.len() - 1] {
        for entry in turn_entries(turn)? {
            conversation.push(entry);
        }
        let next = TURNS.into_iter().find(|next| *next >= turn).unwrap_or_default();
        let is_measured = turn + ROUNDS > next;
        let clock = Clock::start();
        let mut prepared = session.prepare(&conversation)?;
        let preparing = clock.stop();
        // In every other turn the bytes are converted and written plainly first: whoever sends
        // second finds them in the cache of the processor, as serde always does.
        let mut plain_time = None;
        if turn % 2 == 0 {
            let converted = converter.outgoing(&prepared.body)?;
            plain_time = Some(write_plain(&mut plain, &converted)?);
        }
        let clock = Clock::start();
        let answer = client.complete(&prepared.body).await;
        let sending = clock.stop();
        drop(answer.map_err(|error| error.to_string())?);
        if is_measured {
            match plain_time {
                Some(time) => times[1].push(time),
                None => {
                    times[0].push(preparing + sending);
                    times[3].push(preparing);
                }
            }
            times[2].push(with_serde(&mut plain, &prepared)?);
        }
        if turn == next {
            let bytes = converter.outgoing(&prepared.body)?.body_len();
            show(provider, turn, bytes, &mut times);
        }
        prepared.commit(&mut conversation);
    }
    Ok(())
}

/// Writes the bytes of a request, which are ready.
fn write_plain(plain: &mut TcpStream, outgoing: &Outgoing) -> Result<Time, Box<dyn Error>> {
    let segments = &outgoing.segments;
    let head = head(outgoing.body_len());
    let mut parts: Vec<&[u8]> = vec![&head];
    parts.extend(segments.iter().map(|segment| &segment[..]));
    let clock = Clock::start();
    write_vectored(plain, &parts)?;
    receive(plain)?;
    Ok(clock.stop())
}

fn with_serde(plain: &mut TcpStream, prepared: &Prepared) -> Result<Time, Box<dyn Error>> {
    let request = prepared.request();
    let clock = Clock::start();
    let body = serde_json::to_vec(&request)?;
    write_vectored(plain, &[&head(body.len()), &body])?;
    receive(plain)?;
    Ok(clock.stop())
}

fn show(provider: Provider, turn: usize, bytes: usize, times: &mut [Vec<Time>; 4]) {
    let medians = times.each_mut().map(|times| {
        let median = |of: fn(&Time) -> Duration| {
            let mut all: Vec<_> = times.iter().map(of).collect();
            all.sort();
            all[all.len() / 2]
        };
        let medians = [median(|time| time.processor), median(|time| time.elapsed)];
        times.clear();
        medians
    });
    let [ours, plain, serde, preparing] = medians;
    let shown = |times: [Duration; 2]| {
        let [processor, elapsed] = times.map(|time| time.as_secs_f64() * 1e6);
        format!("{processor:.0}, {elapsed:.0}")
    };
    let ratio = |a: [Duration; 2], b: [Duration; 2]| a[0].as_secs_f64() / b[0].as_secs_f64();
    println!(
        "{provider:<12} {turn:>6} {bytes:>9} {:>15} {:>15} {:>15} {:>7.2} {:>17} {:>7.2}",
        shown(ours),
        shown(preparing),
        shown(plain),
        ratio(ours, plain),
        shown(serde),
        ratio(serde, ours),
    );
}

/// The elapsed time and the CPU time of an operation.
#[derive(Clone, Copy)]
struct Time {
    processor: Duration,
    elapsed: Duration,
}

impl Add for Time {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { processor: self.processor + other.processor, elapsed: self.elapsed + other.elapsed }
    }
}

struct Clock {
    processor: Duration,
    since: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { processor: processor_time(), since: Instant::now() }
    }

    fn stop(&self) -> Time {
        let elapsed = self.since.elapsed();
        Time { processor: processor_time().saturating_sub(self.processor), elapsed }
    }
}

/// Returns the CPU time of this thread, exact to the moment of the call.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

fn config() -> Result<SessionConfig, Box<dyn Error>> {
    let schema = r#"{"type":"object","properties":{"file_path":{"type":"string"}}}"#;
    let tool = |index| -> Result<SessionTool, serde_json::Error> {
        let description = "Reads a file and returns its lines. ".repeat(20);
        Ok(SessionTool {
            origin: ToolOrigin::Builtin,
            tool: Tool::new(format!("Tool{index}"), description, RawJson::parse(schema)?),
        })
    };
    Ok(SessionConfig {
        git: Git::Skip,
        tools: (0..15).map(tool).collect::<Result<_, _>>()?,
        prompt: PromptOptions {
            custom: Some("You are an agent. ".repeat(1_100)),
            ..PromptOptions::default()
        },
        ..SessionConfig::new(
            std::env::temp_dir(),
            OsKind::Linux,
            Loader::new(Dirs::default()),
            "2026-01-31".parse()?,
        )
    })
}

/// A call of a tool, and its result of 2 KB.
fn turn_entries(turn: usize) -> Result<[EntryDraft; 2], Box<dyn Error>> {
    let id = format!("toolu_{turn:024}");
    let model = Origin::Model { provider: "first-party".into(), name: "claude-sonnet-5-5".into() };
    let call = vec![
        Part::text(format!("Now I read file {turn}.")),
        Part::tool_use(id.as_str(), "Tool1", r#"{"file_path":"a.txt"}"#),
    ];
    let text = format!("File {turn} has \"quotes\" and\ttabs.\n").repeat(60);
    let result = Part::ToolResult(ToolResult::new(id, vec![ContentBlock::text(text)]));
    Ok([
        EntryDraft::message(Role::Assistant, model, call),
        EntryDraft::message(Role::User, Origin::Human, vec![result]),
    ])
}

fn head(length: usize) -> Vec<u8> {
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    format!("{head}\r\ncontent-length: {length}\r\n\r\n").into_bytes()
}

fn write_vectored(stream: &mut TcpStream, parts: &[&[u8]]) -> std::io::Result<()> {
    let mut slices: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut slices = &mut slices[..];
    while !slices.is_empty() {
        let written = stream.write_vectored(slices)?;
        IoSlice::advance_slices(&mut slices, written);
    }
    Ok(())
}

/// The response of the server to every request.
const ANSWER: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 0\r\n\r\n";

fn receive(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.read_exact(&mut [0; ANSWER.len()])
}

/// Starts a server that reads each request completely and responds to it.
fn serve() -> std::io::Result<std::net::SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    Ok(address)
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::with_capacity(256 << 10, stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            if line.is_empty() {
                break;
            }
        }
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink())?;
        reader.get_mut().write_all(ANSWER.as_bytes())?;
    }
}
