//! `aside reminders`: a session's reminders, faults in their files, and
//! simulated sessions.
//!
//! | command | module | exit code 1 |
//! |---|---|---|
//! | `list` | prints the reminders of a session | never |
//! | `check` | reports faults in the files of reminders | an error or a warning was found |
//! | `simulate FILE` | prints what fires in a described session | the file is invalid |
//!
//! `aside-reminder` reads the files and evaluates the schedules; `aside-host`
//! provides the directories.

mod check;
mod list;
mod simulate;
mod simulation;

use aside_reminder::ReminderLoader;

use crate::Failure;
use crate::arguments::{CommonArgs, Reminders, RemindersCommand};
use crate::common_args;

/// Runs one of the three subcommands.
pub(crate) fn run(arguments: &Reminders) -> Result<(), Failure> {
    match &arguments.command {
        RemindersCommand::List(list) => list::run(list),
        RemindersCommand::Check(check) => check::run(check),
        RemindersCommand::Simulate(simulate) => simulate::run(simulate),
    }
}

/// Returns the loader for a session's files, after checking the session
/// arguments.
fn loader(arguments: &CommonArgs) -> Result<ReminderLoader, Failure> {
    let invocation = common_args::check(arguments)?;
    Ok(invocation.host.reminder_files(&invocation.command_line))
}
