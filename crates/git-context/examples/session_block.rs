//! Prints the state of this repository as a block for the first message.
//!
//! `cargo run -p aside-git-context --example session_block`
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use std::error::Error;

use aside_git_context::{GitOptions, snapshot_blocking};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(snapshot) = snapshot_blocking(".".as_ref(), &GitOptions::default())? else {
        println!("not in a repository");
        return Ok(());
    };
    for fault in &snapshot.diagnostics {
        eprintln!("{fault}");
    }
    println!("{}", json!({"type": "text", "text": snapshot.render()}));
    Ok(())
}
