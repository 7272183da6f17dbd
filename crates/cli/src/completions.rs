use clap::CommandFactory;

use crate::Failure;
use crate::arguments::{Arguments, Completions};
use crate::output;

pub(crate) fn run(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "aside", &mut script);
    Ok(output::print([&script[..]])?)
}
