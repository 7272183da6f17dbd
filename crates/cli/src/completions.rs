//! `aside completions`: a shell completion script, made by `clap_complete` from
//! the argument definitions.

use clap::Args;
use serde_json::json;

use crate::Failure;
use crate::arguments::{self, Completions, Memory, Reminders};
use crate::output;

/// Prints the script. It is static: it contains this version's commands and
/// arguments.
pub(crate) fn run(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    // Before it is built, `help` has only the subcommands that exist.
    let mut command = arguments::command().mut_subcommands(|command| match command.get_name() {
        "memory" => Memory::augment_args(clap::Command::new("memory")),
        "reminders" => Reminders::augment_args(clap::Command::new("reminders")),
        _ => command,
    });
    clap_complete::generate(arguments.shell, &mut command, "aside", &mut script);
    if arguments.json {
        let script = String::from_utf8_lossy(&script);
        let json = json!({ "shell": arguments.shell.to_string(), "script": script });
        Ok(output::print([(json.to_string() + "\n").as_bytes()])?)
    } else {
        Ok(output::print([&script[..]])?)
    }
}
