//! A request's cache markers with the reason for each, and the places that get none.
//!
//! `cargo run -p aside-cache-split --example explain_markers`
#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use aside_cache_split::wire::Request;
use aside_cache_split::{PlanOptions, plan_request};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut request = Request::try_from(json!({
        "model": "claude-opus-5-5",
        "max_tokens": 1024,
        "system": "You review database migrations.",
        "messages": [
            {"role": "user", "content": "Review the last one"},
            {"role": "assistant", "content": "It drops a column."},
            {"role": "user", "content": "Which one?"},
        ],
    }))?;
    let plan = plan_request(&request, PlanOptions::default())?;
    println!("{}", plan.explain(&request));
    plan.apply(&mut request);
    println!("{}", serde_json::to_string(&request)?);
    Ok(())
}
