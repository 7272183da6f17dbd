//! How much time and memory it takes to explain a log with one long session.
//!
//! ```sh
//! cargo bench -p aside-cache-model --bench log             # 300 requests
//! cargo bench -p aside-cache-model --bench log -- 1000     # 1.5 GB
//! ```
//!
//! The log is generated while it is read: every request repeats the one before
//! it and adds 3 KB. For each figure a process of its own reads the log from a
//! pipe. The claims: explaining takes at most twice as long as `serde_json`
//! takes to read each line as `IgnoredAny`, and at most 20 bodies more memory than
//! reading, which holds one line: 17 requests, or 32 MiB, wait for earlier ones,
//! since a log has them in the order of their responses.

#![expect(clippy::unwrap_used, reason = "a bench that fails panics")]
#![expect(clippy::print_stdout, reason = "the figures are for whoever runs this")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use aside_cache_model::{Body, Bound, CacheModel, CacheRules, Timed};
use aside_request_logs::{RecordedBody, read};
use serde::de::IgnoredAny;

const TURN_BYTES: usize = 3_000;

/// In bytes.
const READ_BYTES: usize = 64 << 10;

/// Writes one line per request.
fn write_log(requests: usize, to: &mut impl Write) {
    let system = "You are careful. ".repeat(700);
    let text = "line of a file\\n\\t\\\"quoted\\\" and code(); ".repeat(TURN_BYTES / 44);
    let mut history = String::new();
    for number in 0..requests {
        if number > 0 {
            history += &format!(
                r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{"path":"src/{number}.rs"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{number}","content":"{number} {text}"}}]}}"#
            );
        }
        // An automatic marker, so that a message's bytes never change.
        let start = format!(
            r#"{{"t":{},"session":"a","body":{{"model":"claude-opus-5-5","max_tokens":8192,"cache_control":{{"type":"ephemeral"}},"system":[{{"type":"text","text":"{system}","cache_control":{{"type":"ephemeral"}}}}],"messages":[{{"role":"user","content":"Explain the build"}}"#,
            number * 10,
        );
        for part in [start.as_str(), history.as_str(), "]}}\n"] {
            to.write_all(part.as_bytes()).unwrap();
        }
    }
}

#[derive(Clone, Copy)]
enum Work {
    Read,
    Skip,
    Explain,
}

impl Work {
    const ALL: [Self; 3] = [Self::Read, Self::Skip, Self::Explain];

    fn name(self) -> &'static str {
        match self {
            Self::Read => "--work=read",
            Self::Skip => "--work=skip",
            Self::Explain => "--work=explain",
        }
    }

    /// Returns how long the last line or body is.
    fn run(self, log: impl BufRead) -> usize {
        match self {
            Self::Read => lines(log, |_| {}),
            Self::Skip => lines(log, |line| {
                serde_json::from_slice::<IgnoredAny>(line).unwrap();
            }),
            Self::Explain => explain(log),
        }
    }
}

/// Returns how long the last body is.
fn explain(log: impl BufRead) -> usize {
    let mut model = CacheModel::new(CacheRules::anthropic());
    let mut bound = Bound::new();
    let mut last: Option<Body> = None;
    for exchange in read(log, None) {
        let exchange = exchange.unwrap();
        let RecordedBody::Bytes(body) = exchange.request else {
            unreachable!("a log of bodies");
        };
        let request = Body::parse_after(body, last.as_ref()).unwrap();
        last = Some(request.clone());
        let mut entry = Timed::new(request, exchange.at.unwrap());
        entry.session = exchange.session;
        let verdict = model.send_timed(&entry);
        assert!(verdict.miss.is_none(), "every prefix is found");
        bound.add(&model, &entry);
    }
    assert!(bound.cost().is_some());
    last.unwrap().as_bytes().len()
}

fn lines(mut log: impl BufRead, mut each: impl FnMut(&[u8])) -> usize {
    let mut line = Vec::new();
    let mut length = 0;
    while log.read_until(b'\n', &mut line).unwrap() > 0 {
        each(&line);
        length = line.len();
        // Without room to grow: the least that reading needs.
        line = Vec::with_capacity(length + 2 * TURN_BYTES);
    }
    length
}

fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

/// In bytes.
fn memory(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix(name)).unwrap();
    let kilobytes = line.trim_start_matches(':').trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().unwrap() * 1024
}

/// What one process used.
struct Figures {
    seconds: f64,
    memory: f64,
    last: f64,
}

/// Does the work in this process, and prints what it used.
fn work(work: Work) {
    let log = BufReader::with_capacity(READ_BYTES, std::io::stdin());
    let (before, start) = (memory("VmRSS"), cpu_time());
    let last = work.run(log);
    let seconds = (cpu_time() - start).as_secs_f64();
    let grown = memory("VmHWM").saturating_sub(before);
    println!("{seconds} {grown} {last}");
}

/// Starts a process to do the work on a log.
fn measured(work: Work, requests: usize) -> Figures {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(work.name())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    write_log(requests, &mut child.stdin.take().unwrap());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut numbers = text.split_whitespace().map(|it| it.parse().unwrap());
    let mut next = || numbers.next().unwrap();
    Figures { seconds: next(), memory: next(), last: next() }
}

fn main() {
    if !cfg!(target_os = "linux") {
        println!("the figures are read from /proc");
        return;
    }
    let arguments: Vec<String> = std::env::args().collect();
    let is_given = |it: &Work| arguments.iter().any(|of| of == it.name());
    if let Some(given) = Work::ALL.into_iter().find(is_given) {
        return work(given);
    }
    let requests = arguments.iter().find_map(|it| it.parse().ok());
    let requests = requests.unwrap_or(300);
    let [reading, skipping, ours] = Work::ALL.map(|it| measured(it, requests));
    println!("{requests} requests, last body {:.2} MB", ours.last / 1e6);
    let skip = skipping.seconds - reading.seconds;
    let explain = ours.seconds - reading.seconds;
    println!("reading the lines      {:.2} s", reading.seconds);
    println!("IgnoredAny             {skip:.2} s");
    println!("explaining             {explain:.2} s");
    println!("ratio                  {:.2} (at most 2)", explain / skip);
    let bodies = |bytes: f64| bytes / ours.last;
    println!("memory of reading      {:.2} of the last body", bodies(reading.memory));
    println!("memory of explaining   {:.2} of the last body", bodies(ours.memory));
    println!(
        "beyond reading         {:.2} of the last body (at most 20)",
        bodies(ours.memory - reading.memory)
    );
}
