//! What it costs to check 5 MB, against reading the same body as `IgnoredAny`.
//!
//! The bodies are those of a known model, with results of 6,000 or 600 bytes. A check takes 11
//! instructions a byte with the longer results, and 35 with the shorter ones, where there is a key or
//! a value every 15 bytes; 6 and 11 of them read the JSON. `IgnoredAny` keeps no value and checks no
//! UTF-8, so it is a floor for the reading alone.
//!
//! `--count` does the check once, to count instructions:
//!
//! ```text
//! cargo bench -p aside-rules --no-run
//! valgrind --tool=cachegrind --cache-sim=no BINARY --bench --count 6000
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_rules::{Context, Wire, check};
use serde::de::IgnoredAny;

const BODY_BYTES: usize = 5_000_000;
const RUNS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    // `cargo test --all-targets` runs this too, without the argument.
    if !has("--bench") {
        return;
    }
    let named: Vec<usize> = arguments.iter().filter_map(|it| it.parse().ok()).collect();
    let sizes = if named.is_empty() { vec![6_000, 600] } else { named };
    for size in sizes {
        let body = body(size);
        let check = || check(&body, Wire::Messages, &Context::default()).findings.len();
        if has("--count") {
            println!("{} bytes, {} findings", body.len(), check());
            continue;
        }
        let checked = fastest(check);
        let read = fastest(|| serde_json::from_slice::<IgnoredAny>(&body).is_ok());
        println!(
            "results of {size} bytes: {:.0} MB/s, {:.2} times a reading as IgnoredAny",
            body.len() as f64 / 1e6 / checked.as_secs_f64(),
            checked.as_secs_f64() / read.as_secs_f64(),
        );
    }
}

fn fastest<T>(work: impl Fn() -> T) -> Duration {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// A coding agent's session whose results have this length.
fn body(result_bytes: usize) -> Vec<u8> {
    let line = "    let value = map.get(\\\"key\\\").copied(); // a line\\n";
    let result = line.repeat(result_bytes.div_ceil(line.len()));
    let mut body = format!(
        r#"{{"model":"claude-opus-5-5","max_tokens":8192,"system":[{{"type":"text","text":"{}"}}],"messages":[{{"role":"user","content":"Fix the tests"}}"#,
        "You are careful. ".repeat(700)
    );
    for number in 0.. {
        if body.len() > BODY_BYTES {
            break;
        }
        body += &format!(
            r#",{{"role":"assistant","content":[{{"type":"text","text":"I read it."}},{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{"file_path":"/src/{number}.rs","limit":200}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{number}","content":[{{"type":"text","text":"{result}"}}]}}]}}"#
        );
    }
    body += "]}";
    body.into_bytes()
}
