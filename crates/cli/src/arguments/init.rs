//! The arguments of `aside init`.

use std::path::PathBuf;

use clap::Args;

/// Write a first scenario, a reminder and a workflow for your CI.
///
/// Finds the repository, its instruction files and its CI, prints the result,
/// and overwrites nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside init
  aside init ~/code/project --json

--json prints one object: {\"root\",\"found\",\"written\",\"kept\",\"next\"}")]
pub(crate) struct Init {
    /// A directory of the repository.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
