//! The arguments of `aside init`.

use std::path::PathBuf;

use aside_claudemd::Profile;
use clap::Args;

/// Write scenarios for your agents, and a workflow for your CI.
///
/// Looks for your repository, your agents by their files, directories with
/// their own instruction files, and your CI. Tells you which texts the
/// scenarios compare and which they do not. Overwrites nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside init
  aside init --agent codex --agent cursor
  aside init ~/code/project --json

--json prints one object:
{\"root\",\"found\",\"written\",\"kept\",\"pinned\",\"not_pinned\",\"next\"}")]
pub(crate) struct Init {
    /// A directory in your repository.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,

    /// Write scenarios for this agent instead of those whose files are found;
    /// `aside memory --as all` lists the names. Can be repeated.
    #[arg(long = "agent", value_name = "AGENT", value_parser = super::session::profile())]
    pub(crate) agents: Vec<Profile>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
