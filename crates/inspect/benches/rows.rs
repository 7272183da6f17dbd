//! The rows for a 200 MB session, against reading each line with `serde_json` and keeping nothing.
//! `-- BYTES` sets another size.
//!
//! Most of a session's bytes are tool results, as here. The memory peak is the process's (Linux).

#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::io::{BufRead, BufReader, Read};
use std::time::Instant;

use aside_inspect::rows::{RequestOptions, RequestReader, RowBuilder, Sums};
use aside_request_logs::read;
use serde::de::IgnoredAny;

const DEFAULT_BYTES: usize = 200_000_000;

/// In bytes.
const READ_BYTES: usize = 256 << 10;

/// A session that is made while it is read, so that it takes no memory.
struct Session {
    line: Vec<u8>,
    at: usize,
    number: usize,
    rest: usize,
}

impl Session {
    fn new(bytes: usize) -> Self {
        Self { line: Vec::new(), at: 0, number: 0, rest: bytes }
    }

    fn next_line(&mut self) {
        let number = self.number;
        self.number += 1;
        let (session, id) = (number / 400, number / 2);
        let facts = format!(
            r#""parentUuid":"p{number}","isSidechain":false,"sessionId":"s{session}","cwd":"/src/app","version":"2.1.0","timestamp":"2026-11-{:02}T{:02}:{:02}:{:02}Z""#,
            1 + id / 86_400 % 28,
            id / 3_600 % 24,
            id / 60 % 60,
            id % 60
        );
        self.line = if number.is_multiple_of(2) {
            let result = r#"fn main() {\n    println!(\"{}\", 1 + 1);\n}\n"#.repeat(80 + number % 97);
            format!(r#"{{{facts},"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","content":"{result}"}}]}},"toolUseResult":{{"stdout":"{result}"}}}}"#)
        } else {
            format!(r#"{{{facts},"type":"assistant","message":{{"id":"m{id}","model":"claude-opus-5-5","content":[{{"type":"text","text":"Done."}}],"usage":{{"input_tokens":3,"cache_read_input_tokens":{},"cache_creation_input_tokens":900,"output_tokens":50}}}}}}"#, id % 200 * 900)
        }
        .into_bytes();
        self.line.push(b'\n');
        self.at = 0;
    }
}

impl Read for Session {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            if self.rest == 0 {
                return Ok(0);
            }
            self.next_line();
            self.rest = self.rest.saturating_sub(self.line.len());
        }
        let length = to.len().min(self.line.len() - self.at);
        to[..length].copy_from_slice(&self.line[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

fn main() {
    // `cargo test` runs benches for a moment only to see that they work.
    if !std::env::args().any(|it| it == "--bench") {
        return;
    }
    let bytes = std::env::args().filter_map(|it| it.parse().ok()).next();
    let bytes = bytes.unwrap_or(DEFAULT_BYTES);
    let log = || BufReader::with_capacity(READ_BYTES, Session::new(bytes));

    let start = Instant::now();
    let (mut line, mut input) = (Vec::new(), log());
    while input.read_until(b'\n', &mut line).expect("reads") > 0 {
        serde_json::from_slice::<IgnoredAny>(&line).expect("JSON");
        line.clear();
    }
    let ignored = start.elapsed();

    let start = Instant::now();
    let mut reader = RequestReader::new(RequestOptions::default());
    let (mut builder, mut sums) = (RowBuilder::default(), Sums::default());
    for exchange in read(log(), None) {
        let item = reader.read(exchange.expect("a line")).expect("no body");
        if let Some(row) = item.and_then(|it| builder.row(it)) {
            sums.add(&row);
        }
    }
    let rows = start.elapsed();
    let ratio = rows.as_secs_f64() / ignored.as_secs_f64();
    println!(
        "{} MB, {} requests: {:.2} s, {ratio:.2} times the {:.2} s of IgnoredAny",
        bytes / 1_000_000,
        sums.all.requests,
        rows.as_secs_f64(),
        ignored.as_secs_f64()
    );
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|it| it.starts_with("VmHWM")) {
        println!("peak of memory: {}", peak.trim_start_matches("VmHWM:").trim());
    }
}
