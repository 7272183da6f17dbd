use clap::{Arg, Args};

use super::{RequestArguments, SessionArguments};

/// The arguments of a session and its requests, for the commands that make
/// none: the same list of arguments is accepted by every command.
#[derive(Debug, Args)]
#[command(mut_args = under_one_heading)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) session: SessionArguments,

    #[command(flatten)]
    pub(crate) request: RequestArguments,
}

const HEADING: &str = "Session options (accepted by every command, ignored if they do not apply)";

fn under_one_heading(argument: Arg) -> Arg {
    match argument.get_help_heading() {
        Some(_) => argument.help_heading(HEADING),
        None => argument,
    }
}
