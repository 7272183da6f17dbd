//! A system prompt whose first part is the same for every user, as request blocks.
//!
//! `cargo run -p aside-prompt-sections --example two_zones`
#![expect(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use aside_prompt_sections::{SystemPrompt, Zone};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    for directory in ["/home/mia/shop", "/home/ada/shop"] {
        let prompt = SystemPrompt::builder()
            .fixed("role", "You review database migrations.")
            .fixed("rules", "Never drop a column.")
            .boundary()
            .dynamic("directory", format!("You are in {directory}."))
            .build()?;
        let text = |zone| {
            let texts = prompt.zone(zone).map(|section| section.text().to_owned());
            texts.collect::<Vec<_>>().join("\n\n")
        };
        let shared = json!({
            "type": "text",
            "text": text(Zone::Static),
            "cache_control": {"type": "ephemeral"},
        });
        let own = json!({"type": "text", "text": text(Zone::Dynamic)});
        println!("{}", json!([shared, own]));
    }
    Ok(())
}
