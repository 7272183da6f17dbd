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

#[path = "../tests/it/browser/chromium.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod chromium;
#[path = "../tests/it/support/long_session.rs"]
mod long_session;

use std::time::Instant;

use aside_cache_model::Body;
use aside_inspect::{PageOptions, TextOptions, report};

const TURNS: usize = 1_000;

fn main() {
    // `cargo test` runs benches for a moment only to see that they work.
    if !std::env::args().any(|it| it == "--bench") {
        return;
    }
    let body = long_session::body(TURNS);
    println!("body: {TURNS} turns, {} bytes", body.len());
    let start = Instant::now();
    let request = Body::parse(&body).unwrap();
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
