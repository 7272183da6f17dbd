//! The arguments that `memory`, `reminders` and `skills` share with the commands that
//! make requests.

use clap::{Arg, Args};

use super::{RequestArguments, SessionArguments};

/// The arguments of a session and its requests, for the commands that make
/// none: the same list of arguments is accepted by every command.
#[derive(Debug, Args)]
#[command(mut_args = hide_unused)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) session: SessionArguments,

    #[command(flatten)]
    pub(crate) request: RequestArguments,
}

/// Hides the arguments of requests in the help: these commands check them and
/// use none of them.
fn hide_unused(argument: Arg) -> Arg {
    match argument.get_help_heading() {
        Some("Request" | "System prompt") => argument.hide(true),
        _ => argument,
    }
}
