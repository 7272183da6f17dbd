use clap::{Args, CommandFactory};

use crate::Failure;
use crate::arguments::{Arguments, Completions, Memory, Reminders};
use crate::output;

pub(crate) fn run(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    // `help` has only the subcommands that exist before it is built.
    let mut command = Arguments::command().mut_subcommands(|command| match command.get_name() {
        "memory" => Memory::augment_args(clap::Command::new("memory")),
        "reminders" => Reminders::augment_args(clap::Command::new("reminders")),
        _ => command,
    });
    clap_complete::generate(arguments.shell, &mut command, "aside", &mut script);
    Ok(output::print([&script[..]])?)
}
