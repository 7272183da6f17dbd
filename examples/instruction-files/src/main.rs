//! Prints the instruction files of the current directory, and those that are not loaded.

use aside_claudemd::{Dirs, load};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?;
    let memory = load(&cwd, &Dirs::default())?;
    if let Some(text) = aside_claudemd::instructions(&memory) {
        println!("{text}");
    }
    for unloaded in memory.unloaded().files {
        eprintln!("{}: {}", unloaded.path.display(), unloaded.reason);
    }
    Ok(())
}
