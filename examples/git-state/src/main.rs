//! Prints the state of the repository of the current directory, for a model.

use aside_git_context::{GitOptions, snapshot_blocking};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    match snapshot_blocking(".".as_ref(), &GitOptions::default())? {
        Some(snapshot) => println!("{}", snapshot.render()),
        None => println!("not in a repository"),
    }
    Ok(())
}
