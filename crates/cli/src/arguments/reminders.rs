use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CommonArgs;

/// What the reminders of a directory are, whether their files are good, and
/// when they fire.
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

/// Prints the reminders of a session, in the order in which they load, and
/// where each comes from.
///
/// First what is built in, then the files in reminders/ of ~/.agents,
/// ~/.claude, ~/.bitcode and ~/.aside, then of the same four in the directory.
/// A later file replaces an earlier one of its id. What is wrong with a file is
/// told on stderr.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders list
  aside reminders list --no-project-reminders
  aside reminders list --json | jq '.reminders[] | select(.active)'

Exit codes: 0 done, 2 used wrongly.")]
pub(crate) struct ListReminders {
    /// Print one JSON object: {"reminders":[{"id","content","schedule",
    /// "priority","source","active"}],"diagnostics":[{"severity","code",
    /// "path","line","message"}]}. The source is builtin, or the path of a file.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) everywhere: CommonArgs,
}

/// Says what is wrong with the files of reminders.
///
/// Prints a line for each fault: the file, the line, what was found and what
/// was expected. A note is no fault.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders check
  aside reminders check .aside/reminders other/run-tests.md

Exit codes: 0 nothing wrong, 1 a fault, 2 used wrongly.")]
pub(crate) struct CheckReminders {
    /// Files, or directories of them; without any, those of a session.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Print one JSON object: {"diagnostics":[{"severity","code","path","line",
    /// "message"}]}. A severity is error, warning or note.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) everywhere: CommonArgs,
}

/// Runs a session that a file describes, and prints which reminders fire.
///
/// The file is a JSON object: {"reminders":[{"id","content","schedule",
/// "priority"}],"steps":[…]}, reminders in the form of their files. A step is
/// {"turn","last_tool_calls","message_count","elapsed_ms"}, all optional, or
/// {"register":{…}}, or {"remove":"id"}. A call is the name of a tool, or
/// {"name","input"}; the same calls in several steps are calls in a row, unless
/// a step says otherwise: {"repeated":{"tool","times"}}. Prints
/// {"fired":[["id",…],…]}, a list for each step that asks. With "messages" and
/// "inject":["id",…] it also prints "messages", as they are with these
/// reminders. All of it is in simulation.schema.json of this command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside reminders simulate session.json
  echo '{\"reminders\":[{\"id\":\"a\",\"content\":\"Hi.\"}],\"steps\":[{},{}]}' |
    aside reminders simulate -

Exit codes: 0 done, 1 it describes no session, 2 used wrongly.")]
pub(crate) struct SimulateReminders {
    /// The file; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) everywhere: CommonArgs,
}
