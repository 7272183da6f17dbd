//! Sets cache markers in the request body on stdin.

use aside_cache_split::{PlanOptions, mark_json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut body: serde_json::Value = serde_json::from_reader(std::io::stdin())?;
    mark_json(&mut body, PlanOptions::default())?;
    println!("{body}");
    Ok(())
}
