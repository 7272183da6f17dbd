//! What a session of 1,000 turns costs: text, page, and the page in a browser.
//!
//! `cargo bench --package aside-inspect`

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    reason = "a benchmark"
)]

#[path = "../tests/browser/chromium.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod chromium;

use std::time::Instant;

use aside_cache_model::RequestBytes;
use aside_inspect::{PageOptions, TextOptions, report};
use serde_json::json;

const TURNS: usize = 1_000;

fn body() -> Vec<u8> {
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let path = format!("src/module_{}/file_{turn}.rs", turn % 40);
        messages.push(json!({"role": "user", "content": [{"type": "text", "text": format!("Turn {turn}: what is in {path}?")}]}));
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("I read {path}.")},
            {"type": "tool_use", "id": format!("toolu_{turn}"), "name": "Read", "input": {"file_path": path}}]}));
        let text: String = (0..58)
            .map(|line| {
                format!(
                    "{line:>5}→    let value_{line} = compute({turn}, {});\n",
                    line * 7
                )
            })
            .collect();
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("toolu_{turn}"), "content": [{"type": "text", "text": text}]}]}));
        messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "It computes values.".repeat(4)}]}));
    }
    messages.push(json!({"role": "user", "content": [{"type": "text", "text": "Go on", "cache_control": {"type": "ephemeral"}}]}));
    let tools: Vec<_> = (0..30)
        .map(|index| json!({"name": format!("tool_{index}"), "description": "Does something useful. ".repeat(30), "input_schema": {"type": "object"}}))
        .collect();
    json!({"model": "claude-opus-5-5", "max_tokens": 32000, "tools": tools,
        "system": [{"type": "text", "text": "You are a coding agent. ".repeat(400)}], "messages": messages})
    .to_string()
    .into_bytes()
}

fn main() {
    // `cargo test` runs benches for a moment only to see that they work.
    if !std::env::args().any(|it| it == "--bench") {
        return;
    }
    let body = body();
    println!("body: {TURNS} turns, {} bytes", body.len());
    let start = Instant::now();
    let request = RequestBytes::parse(&body).unwrap();
    let parsed = start.elapsed();
    let found = report(&request, None, None);
    let reported = start.elapsed();
    let text = found.to_text(&TextOptions::default());
    println!(
        "text: {:?} (parse {parsed:?}, report {:?}), {} bytes",
        start.elapsed(),
        reported - parsed,
        text.len()
    );
    let start = Instant::now();
    let html = found.to_html(&request, &PageOptions::default());
    println!("page: {:?}, {} bytes", start.elapsed(), html.len());
    let redacted = found.to_html(&request, &PageOptions::default().with_texts(false));
    println!("page without texts: {} bytes", redacted.len());
    let Some(program) = chromium::program() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, html).unwrap();
    let mut browser = chromium::Chromium::start(program);
    for _ in 0..3 {
        browser.open(&file, 1200, 900, "light");
        let ready = browser.evaluate("document.documentElement.dataset.ready");
        let opened = browser.evaluate(
            "(() => { const t = performance.now(); document.querySelector('.box').click(); return performance.now() - t; })()",
        );
        println!(
            "interactive after {} ms; the first text after {opened} ms more",
            ready.as_str().unwrap()
        );
    }
}
