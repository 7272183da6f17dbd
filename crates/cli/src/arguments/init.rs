//! The arguments of `aside init`.

use std::path::PathBuf;

use aside_claudemd::Profile;
use clap::Args;

/// Write scenarios for your agents, and a workflow for your CI.
///
/// Finds the repository, the agents whose files it has, each directory with
/// instruction files of its own, and its CI. Prints which texts the scenarios
/// compare and which they do not, and overwrites nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside init
  aside init --agent codex --agent cursor
  aside init ~/code/project --json

--json prints one object:
{\"root\",\"found\",\"written\",\"kept\",\"pinned\",\"not_pinned\",\"next\"}")]
pub(crate) struct Init {
    /// A directory of the repository.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,

    /// Write scenarios for this agent, a name of `aside memory --as all`, instead
    /// of those whose files are found. Can be repeated.
    #[arg(long = "agent", value_name = "AGENT", value_parser = super::session::profile())]
    pub(crate) agents: Vec<Profile>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
