//! The arguments of `aside man`.

use std::path::PathBuf;

use clap::Args;

/// Print the manual page of a command.
///
/// The page is in the format of man (roff). Packages of aside contain all pages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside man | man -l -
  aside man cache explain > aside-cache-explain.1
  aside man --all ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The command, such as `cache explain`; by default aside itself.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,

    /// Write the pages of all commands into a directory, which is created if
    /// it does not exist, and print their paths.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) all: Option<PathBuf>,

    /// Print one JSON object: {"name","page"}, or {"files"} with --all.
    #[arg(long)]
    pub(crate) json: bool,
}
