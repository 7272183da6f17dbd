use clap::Args;
use clap_complete::Shell;

/// Prints a script by which a shell completes the arguments of aside.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside completions bash > ~/.local/share/bash-completion/completions/aside
  aside completions fish > ~/.config/fish/completions/aside.fish
  aside completions zsh > ~/.zfunc/_aside")]
pub(crate) struct Completions {
    /// Whose script.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}
