//! The arguments of `aside reminders` and its subcommands.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CommonArgs;

/// List, check and simulate reminders.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders list
  aside reminders check .aside/reminders
  aside reminders simulate session.json")]
pub(crate) struct Reminders {
    #[command(subcommand)]
    pub(crate) command: RemindersCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RemindersCommand {
    List(ListReminders),
    Check(CheckReminders),
    Simulate(SimulateReminders),
}

/// List a session's reminders in load order, with their sources.
///
/// Built-in reminders come first, then the files in reminders/ of ~/.agents,
/// ~/.claude, ~/.bitcode and ~/.aside, then of the same four in your directory.
/// To replace a reminder, write a later file with the same id. Faults are
/// reported on stderr.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders list
  aside reminders list --no-project-reminders
  aside reminders list --json | jq '.reminders[] | select(.active)'

Exit codes: 0 success, 2 usage error.")]
pub(crate) struct ListReminders {
    /// Print one JSON object: {"reminders":[{"id","content","schedule",
    /// "priority","source","active"}],"diagnostics":[{"severity","code",
    /// "path","line","message"}]}. The source is builtin, or the path of a
    /// file.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Check reminder files.
///
/// Prints one line per fault: file, line, what was found and what was expected.
/// A note is not a fault.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders check
  aside reminders check .aside/reminders other/run-tests.md

Exit codes: 0 no fault, 1 a fault was found, 2 usage error.")]
pub(crate) struct CheckReminders {
    /// Files or directories to check; by default a session's.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print one JSON object: {"diagnostics":[{"severity","code","path","line",
    /// "message"}]}. A severity is error, warning or note.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Simulate a session, and print the reminders that fire.
///
/// The file is a JSON object: {"reminders":[{"id","content","schedule",
/// "priority"}],"steps":[…]}, with reminders in the form of their files. A step
/// is {"turn","last_tool_calls","message_count","elapsed_ms"}, all optional, or
/// {"register":{…}}, or {"remove":"id"}. A call is the name of a tool, or
/// {"name","input"}; the same calls in successive steps count as repeated
/// calls, unless a step sets {"repeated":{"tool","times"}}. Prints
/// {"fired":[["id",…],…]}, one list per step that is a request. With "messages"
/// and "inject":["id",…] it also prints "messages" with these reminders
/// injected. The whole form is in simulation.schema.json of this command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders simulate session.json
  echo '{\"reminders\":[{\"id\":\"a\",\"content\":\"Hi.\"}],\"steps\":[{},{}]}' |
    aside reminders simulate -

Exit codes: 0 success, 1 the file does not describe a session, 2 usage error.")]
pub(crate) struct SimulateReminders {
    /// The file; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, which is the only form.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
