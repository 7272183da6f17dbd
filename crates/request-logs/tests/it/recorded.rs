//! Sessions that agents wrote themselves, against `aside serve`.
//!
//! Each read two files and then answered: four requests. Long texts are cut to `…`, and some lines
//! that say nothing about requests are left out.

use aside_request_logs::{Agent, Exchange, Format};

use crate::formats::all;

/// For each request what was read from the cache, the rest of the input, and the output, as the
/// server counted them.
#[track_caller]
fn check(log: &str, agent: Agent, model: &str, expected: [[u64; 3]; 4]) {
    let found = all(log, Format::Transcript);
    let session = found.first().and_then(|it| it.session.clone());
    for it in &found {
        assert_eq!((it.agent, it.model.as_deref()), (Some(agent), Some(model)));
        assert!(it.at.is_some() && it.project.is_some() && it.session == session);
    }
    let row = |it: &Exchange| {
        let usage = it.usage.unwrap();
        [usage.read, usage.written() + usage.uncached, usage.output]
    };
    assert_eq!(found.iter().map(row).collect::<Vec<_>>(), expected);
}

#[test]
fn claude_code() {
    check(
        include_str!("recorded/claude-code-2.1.332.jsonl"),
        Agent::ClaudeCode,
        "claude-opus-5-5",
        [[0, 15_970, 155], [15_970, 384, 168], [16_354, 439, 174], [16_793, 393, 109]],
    );
}

#[test]
fn codex() {
    check(
        include_str!("recorded/codex-0.171.0.jsonl"),
        Agent::Codex,
        "gpt-5.5",
        [[0, 7_804, 20], [7_680, 301, 26], [7_936, 266, 23], [8_192, 231, 10]],
    );
}

#[test]
fn gemini_cli() {
    check(
        include_str!("recorded/gemini-cli-0.61.0.jsonl"),
        Agent::GeminiCli,
        "gemini-3.8-flash",
        [[0, 9_441, 21], [9_441, 288, 27], [9_729, 300, 25], [10_029, 296, 10]],
    );
}

#[test]
fn qwen_code() {
    check(
        include_str!("recorded/qwen-code-0.15.10.jsonl"),
        Agent::QwenCode,
        "gpt-4.1",
        [[0, 16_545, 21], [16_512, 322, 26], [16_768, 365, 26], [17_024, 248, 6]],
    );
}

#[test]
fn opencode() {
    check(
        include_str!("recorded/opencode-1.18.33.json"),
        Agent::OpenCode,
        "claude-opus-5-5",
        [[0, 9_716, 157], [9_716, 448, 167], [10_164, 502, 168], [10_666, 458, 105]],
    );
}
