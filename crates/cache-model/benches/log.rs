//! Time and memory to explain a log of one long session.
//!
//! ```sh
//! cargo bench -p aside-cache-model --bench log             # 300 requests
//! cargo bench -p aside-cache-model --bench log -- 1000     # 1.5 GB
//! ```
//!
//! The log is generated while it is read: every request has the one before it,
//! and 3 KB more. The claims: the time is at most twice the time that
//! `serde_json` takes to read each line as `IgnoredAny`, and the memory is that of
//! a few bodies (measured: 4 to 6 times the last one; ratio of time 1.57 to 1.96).

#![expect(clippy::unwrap_used, reason = "a bench that fails panics")]
#![expect(clippy::print_stdout, reason = "the figures are for whoever runs this")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::time::Duration;

use aside_cache_model::{Bound, CacheModel, CacheRules, RequestBytes, Timed};
use aside_request_logs::{RecordedBody, read};
use serde::de::IgnoredAny;

const TURN_BYTES: usize = 3_000;

/// A log, one line per request, that is generated line by line.
struct Log {
    requests: usize,
    next: usize,
    history: String,
    line: Vec<u8>,
    at: usize,
}

impl Log {
    fn new(requests: usize) -> Self {
        Self {
            requests,
            next: 0,
            history: String::new(),
            line: Vec::new(),
            at: 0,
        }
    }

    fn write_line(&mut self) {
        let number = self.next;
        self.next += 1;
        if number > 0 {
            let text = "line of a file\\n\\t\\\"quoted\\\" and code(); ".repeat(TURN_BYTES / 44);
            self.history += &format!(
                r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{"path":"src/{number}.rs"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{number}","content":"{number} {text}"}}]}}"#
            );
        }
        let system = "You are careful. ".repeat(700);
        // An automatic marker, so that the bytes of a message never change.
        let line = format!(
            r#"{{"t":{},"session":"a","body":{{"model":"claude-opus-5-5","max_tokens":8192,"cache_control":{{"type":"ephemeral"}},"system":[{{"type":"text","text":"{system}","cache_control":{{"type":"ephemeral"}}}}],"messages":[{{"role":"user","content":"Explain the build"}}{}]}}}}"#,
            number * 10,
            self.history,
        );
        self.line.clear();
        self.line.extend_from_slice(line.as_bytes());
        self.line.push(b'\n');
        self.at = 0;
    }
}

impl Read for Log {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            if self.next == self.requests {
                return Ok(0);
            }
            self.write_line();
        }
        let count = (&self.line[self.at..]).read(to)?;
        self.at += count;
        Ok(count)
    }
}

/// Explains the log; returns the length of the last body.
fn explain(log: Log) -> usize {
    let mut model = CacheModel::new(CacheRules::anthropic());
    let mut bound = Bound::new();
    let mut last: Option<RequestBytes> = None;
    for exchange in read(BufReader::with_capacity(1 << 20, log), None) {
        let exchange = exchange.unwrap();
        let RecordedBody::Bytes(body) = exchange.request else {
            unreachable!("a log of bodies");
        };
        let request = RequestBytes::parse_after(body.into(), last.as_ref()).unwrap();
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

fn lines(log: Log, mut each: impl FnMut(&[u8])) {
    let mut log = BufReader::with_capacity(1 << 20, log);
    let mut line = Vec::new();
    while log.read_until(b'\n', &mut line).unwrap() > 0 {
        each(&line);
        line.clear();
    }
}

/// Returns the CPU time of this thread.
fn cpu_time() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = cpu_time();
    work();
    (cpu_time() - start).as_secs_f64()
}

/// Returns the most memory that the process has used, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes: usize = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kilobytes * 1024
}

fn main() {
    if !cfg!(target_os = "linux") {
        println!("the figures are read from /proc");
        return;
    }
    let requests = std::env::args()
        .find_map(|it| it.parse().ok())
        .unwrap_or(300);
    // The log keeps its history and one line; the reader a line.
    lines(Log::new(requests), |_| {});
    let before = peak();
    let mut body = 0;
    let ours = timed(|| body = explain(Log::new(requests)));
    let memory = (peak() - before) as f64 / body as f64;
    let reading = timed(|| lines(Log::new(requests), |_| {}));
    let skipping = timed(|| {
        lines(Log::new(requests), |line| {
            serde_json::from_slice::<IgnoredAny>(line).unwrap();
        });
    });
    println!("{requests} requests, last body {:.2} MB", body as f64 / 1e6);
    println!("generating and reading the lines   {reading:.2} s");
    println!(
        "IgnoredAny                         {:.2} s",
        skipping - reading
    );
    println!("explaining                         {:.2} s", ours - reading);
    println!(
        "ratio                              {:.2}",
        (ours - reading) / (skipping - reading)
    );
    println!("memory beyond reading              {memory:.2} of the last body");
}
