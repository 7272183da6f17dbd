//! `aside reminders`.

mod check;
mod list;
mod simulate;
mod simulation;

use aside_reminder::{Diagnostic, Loader};
use serde::Serialize;

use crate::Failure;
use crate::arguments::{CommonArgs, Reminders, RemindersCommand};
use crate::everywhere;

pub(crate) fn run(arguments: &Reminders) -> Result<(), Failure> {
    match &arguments.command {
        RemindersCommand::List(list) => list::run(list),
        RemindersCommand::Check(check) => check::run(check),
        RemindersCommand::Simulate(simulate) => simulate::run(simulate),
    }
}

/// Where the files are that count for a session.
fn loader(arguments: &CommonArgs) -> Result<Loader, Failure> {
    let here = everywhere::look(arguments)?;
    Ok(here.host.reminder_files(&here.command_line))
}

/// A diagnostic as `--json` has it.
#[derive(Serialize)]
struct Told<'a> {
    path: String,
    line: Option<usize>,
    message: &'a str,
}

impl<'a> From<&'a Diagnostic> for Told<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Self {
            path: diagnostic.path.to_string_lossy().into_owned(),
            line: diagnostic.line,
            message: &diagnostic.message,
        }
    }
}
