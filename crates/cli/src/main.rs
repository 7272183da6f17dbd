//! The command `aside`. Results go to stdout, everything else to stderr.
//!
//! ```text
//! arguments ─ clap ─> Arguments ─ output::configure ─> the module of the command
//!           ─> stdout, and () or a Failure with its exit code
//! ```
//!
//! - `arguments` contains the clap definitions, to make help, manual pages and
//!   completions from; it does nothing else.
//! - A module named after a command runs it: it reads its inputs, calls the
//!   library crates and prints their results.
//! - `session`, `request`, `provider` and `session_tools` turn the arguments
//!   that many commands share into a `SessionPlan`, which every command uses to
//!   make its session.
//! - `input`, `output`, `failure`, `kinds` and `interrupt` hold what all
//!   commands do the same way: read files, print, choose exit codes, report
//!   diagnostics, handle signals.
//!
//! Exit codes: 0 success, 1 a fault was found or the command failed, 2 usage
//! error, 128 plus the signal number when a signal ended the command.

mod arguments;
mod cache;
mod check;
mod common_args;
#[cfg(feature = "shell")]
mod completions;
mod context;
mod convert;
mod count;
mod counter;
mod diff;
mod failure;
#[cfg(feature = "network")]
mod gateway;
mod highlight;
#[cfg(feature = "verify")]
mod init;
mod input;
mod interrupt;
#[cfg(feature = "junit")]
mod junit;
mod kinds;
mod logs;
#[cfg(feature = "shell")]
mod man;
mod marker;
#[cfg(feature = "network")]
mod mcp;
mod memory;
mod models;
mod output;
mod output_file;
mod paint;
mod prompt;
mod provider;
mod reminders;
mod render;
mod report;
mod request;
mod rules;
mod run;
mod screen;
mod session;
mod session_plan;
mod session_tools;
mod skills;
mod table;
mod usage;
#[cfg(feature = "verify")]
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::anyhow;
use clap::FromArgMatches;

use crate::arguments::{Arguments, Command};
use crate::failure::Failure;

/// Reads the arguments, runs the command and returns its exit code.
///
/// `usage` prints clap's errors. Their code is 2, or 0 for help and the
/// version. For every command, naming stdin twice is a usage error, as is an
/// output that would replace an input.
fn main() -> ExitCode {
    let given = aside_host::arguments();
    let parsed = match arguments::only(&given).map(|command| parse(command, &given)) {
        Some(Ok(parsed)) => Ok(parsed),
        // The error, or the help, is about all commands.
        _ if given.len() < 2 => parse(arguments::start(), &given),
        _ => parse(arguments::command(), &given),
    };
    let result = match parsed {
        Ok((arguments, Some(conflict))) => {
            output::configure(&arguments);
            Err(Failure::usage(anyhow!(conflict)))
        }
        Ok((arguments, None)) => {
            output::configure(&arguments);
            let start = Instant::now();
            output::detail(|| {
                let network = if cfg!(feature = "network") { "with" } else { "without" };
                format!("aside {}, {network} network", env!("CARGO_PKG_VERSION"))
            });
            let figures = arguments.models.as_deref().map_or(Ok(()), models::lay_over);
            let figures = figures.map_err(Failure::usage);
            let result = figures.and_then(|()| match &arguments.command {
                Command::Render(render) => render::run(render),
                Command::Context(arguments) => context::run(arguments),
                Command::Run(arguments) => run::run(arguments),
                Command::Prompt(prompt) => prompt::run(prompt),
                Command::Memory(memory) => memory::run(memory),
                Command::Convert(convert) => convert::request(convert),
                Command::ConvertStream(stream) => convert::stream(stream),
                Command::Report(arguments) => report::run(arguments),
                Command::Check(check) => check::run(check),
                Command::Rules(rules) => rules::run(rules),
                Command::Diff(arguments) => diff::run(arguments),
                Command::Cache(arguments) => cache::run(arguments),
                Command::Models(models) => models::run(models),
                #[cfg(feature = "verify")]
                Command::Init(init) => init::run(init),
                #[cfg(feature = "verify")]
                Command::Verify(verify) => verify::run(verify),
                Command::Reminders(reminders) => reminders::run(reminders),
                Command::Skills(skills) => skills::run(skills),
                #[cfg(feature = "network")]
                Command::Proxy(proxy) => gateway::proxy(proxy),
                #[cfg(feature = "network")]
                Command::Serve(serve) => gateway::serve(serve),
                #[cfg(feature = "shell")]
                Command::Completions(completions) => completions::run(completions),
                #[cfg(feature = "shell")]
                Command::Man(man) => man::run(man),
            });
            output::detail(|| format!("took {} ms", start.elapsed().as_millis()));
            result
        }
        Err(error) => return usage::report(&error, &given),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::report(&failure.diagnostic());
            ExitCode::from(failure.code)
        }
    }
}

/// Returns the arguments, and why their files cannot be used together.
fn parse(
    mut command: clap::Command,
    given: &[OsString],
) -> Result<(Arguments, Option<String>), clap::Error> {
    let mut matches = command.try_get_matches_from_mut(given)?;
    let conflict = input::conflict(&command, &matches);
    let arguments = Arguments::from_arg_matches_mut(&mut matches);
    Ok((arguments.map_err(|error| error.format(&mut command))?, conflict))
}
