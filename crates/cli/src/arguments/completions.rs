//! The arguments of `aside completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside completions bash > ~/.local/share/bash-completion/completions/aside
  aside completions fish > ~/.config/fish/completions/aside.fish
  aside completions zsh > ~/.zfunc/_aside")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,

    /// Print one JSON object: {"shell","script"}.
    #[arg(long)]
    pub(crate) json: bool,
}
