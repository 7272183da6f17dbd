use std::path::PathBuf;

use aside_cache_split::Layout;
use aside_prompt_sections::SessionDate;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Decides what the model of a coding agent sees, byte for byte.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Render(Render),
}

/// Prints the exact body of the next request for a directory.
///
/// The body is what would be sent to POST /v1/messages: the system prompt, the
/// instruction files, the state of git, the prompt, and the cache markers.
/// Nothing is sent. What could not be read is told on stderr, and the body is
/// printed all the same.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside render \"Explain the build\"
  aside render \"Explain the build\" --pretty | less
  aside render --layout classic --date 2026-01-31 | sha256sum")]
pub(crate) struct Render {
    /// What the user says. Without it, the request ends with what the model is
    /// told before the user's first word.
    pub(crate) prompt: Option<String>,

    /// The directory in which the session works.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,

    /// The order of what a request holds.
    #[arg(long, value_enum, default_value = "layered")]
    pub(crate) layout: LayoutName,

    /// Print the body indented, to be read by people. These are not the bytes
    /// that would be sent.
    #[arg(long)]
    pub(crate) pretty: bool,

    /// The model, as the provider calls it.
    #[arg(long, value_name = "MODEL", default_value = aside_agent::DEFAULT_MODEL)]
    pub(crate) model: String,

    /// The longest answer, in tokens.
    #[arg(long, value_name = "N", default_value_t = aside_agent::DEFAULT_MAX_TOKENS,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: u64,

    /// The day on which the session begins; by default the local date.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) date: Option<SessionDate>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutName {
    /// What sessions share first: a second session of the project finds the
    /// instruction files in the cache.
    Layered,
    /// The git status ends the system prompt, the date stands beside the
    /// instruction files.
    Classic,
}

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Layered => Self::Layered,
            LayoutName::Classic => Self::Classic,
        }
    }
}
