//! `aside reminders`.

mod check;
mod list;
mod simulate;
mod simulation;

use aside_reminder::ReminderLoader;

use crate::Failure;
use crate::arguments::{CommonArgs, Reminders, RemindersCommand};
use crate::common_args;

pub(crate) fn run(arguments: &Reminders) -> Result<(), Failure> {
    match &arguments.command {
        RemindersCommand::List(list) => list::run(list),
        RemindersCommand::Check(check) => check::run(check),
        RemindersCommand::Simulate(simulate) => simulate::run(simulate),
    }
}

/// Returns the loader for the files of a session.
fn loader(arguments: &CommonArgs) -> Result<ReminderLoader, Failure> {
    let here = common_args::check(arguments)?;
    Ok(here.host.reminder_files(&here.command_line))
}
