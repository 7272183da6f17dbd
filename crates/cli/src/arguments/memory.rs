//! The arguments of `aside memory` and its subcommands.

use std::path::PathBuf;

use aside_claudemd::Profile;
use clap::{Args, Subcommand};

use super::CommonArgs;

/// Show which instruction files load, and why.
///
/// Prints a tree: files in the order that the model reads them, with their
/// imports below, their owner, why they load, bytes and estimated tokens; then
/// what does not load, and why. Sends nothing.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  aside memory
  aside memory --touch src/main.rs --touch docs/a.md
  aside memory --show --touch src/main.rs
  aside memory why AGENTS.md
  aside memory --as all --touch src/main.rs
  aside memory --json --cwd ~/code/project
  aside memory imports CLAUDE.md

--json prints one object:
  {\"files\":[{\"path\",\"kind\",\"block\",\"rule\",\"reason\",\"parent\",\"globs\",
             \"trigger\",\"bytes\",\"tokens\",\"differs_from_disk\"}],
   \"skipped\":[{\"path\",\"reason\"}],
   \"not_loaded\":[{\"path\",\"reason\",\"detail\"}],
   \"searched\":[\"directory\",…],
   \"diagnostics\":[{\"severity\",\"code\",\"path\",\"line\",\"column\",\"message\"}]}
--as all --json prints one object:
  {\"agents\":[{\"name\",\"agent\",\"destination\",\"unknown\"}],
   \"files\":[{\"path\",\"states\":[{\"agent\",\"state\",\"detail\",\"bytes\"}]}]}"
)]
pub(crate) struct Memory {
    #[command(subcommand)]
    pub(crate) command: Option<MemoryCommand>,

    /// A file that the model reads, to see which files that loads; absolute, or
    /// relative to the working directory. Need not exist. Can be repeated.
    #[arg(long, value_name = "PATH")]
    pub(crate) touch: Vec<PathBuf>,

    /// Load the files that another agent would load (as --instructions), or
    /// print a table of all agents.
    #[arg(long = "as", value_name = "AGENT|all", conflicts_with = "instructions")]
    pub(crate) profile: Option<Profiles>,

    /// Print the texts that the model gets, with those for --touch.
    #[arg(long, conflicts_with = "json")]
    pub(crate) show: bool,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The value of `--as`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profiles {
    All,
    One(Profile),
}

impl std::str::FromStr for Profiles {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == "all" {
            return Ok(Self::All);
        }
        let one = name.parse().map(Self::One);
        one.map_err(|error: String| format!("{error}, or all"))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    Why(Box<Why>),
    Imports(Box<Imports>),
}

/// Print why one file is loaded or not loaded.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside memory why AGENTS.md
  aside memory why .claude/rules/rust.md --json
  aside memory why AGENTS.md --as codex

--json prints one object: {\"path\",\"loaded\",\"answer\"}")]
pub(crate) struct Why {
    /// The file, absolute or relative to the session's directory.
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,

    /// Answer for another agent (as --instructions).
    #[arg(long = "as", value_name = "AGENT", conflicts_with = "instructions")]
    pub(crate) profile: Option<Profile>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Print the imports of a Markdown text, as written, with their lines.
///
/// A word with an @ that does not look like a path is an import only if such a
/// file exists.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside memory imports CLAUDE.md
  echo 'See @docs/a.md.' | aside memory imports - --json

--json prints one object: {\"imports\":[\"path\",…]}")]
pub(crate) struct Imports {
    /// The text; - is stdin, read like a file in the session's directory.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
