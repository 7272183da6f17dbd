//! This directory's instruction files, as a request's first message.
//!
//! `cargo run -p aside-claudemd --example first_message`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use std::error::Error;

use aside_claudemd::{Dirs, instructions, load};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let memory = load(&std::env::current_dir()?, &Dirs::default())?;
    for file in memory.files() {
        eprintln!("{}: {}", file.path.display(), file.reason.as_str());
    }
    let text = instructions(&memory, &[]).unwrap_or_default();
    println!("{}", json!({"role": "user", "content": text}));
    Ok(())
}
