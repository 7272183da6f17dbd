//! `aside memory`: which instruction files load, and why.
//!
//! `aside-claudemd` loads the files that a session in this directory would
//! start with, and those that load when you read the `--touch` files. You can
//! get the result as a tree (`tree`), as JSON (`json`), as the file texts
//! (`--show`), or for every agent at once (`profiles`). `memory imports` and
//! `memory why` are separate commands.
//!
//! A faulty file is a diagnostic in the output, not a failure: the exit code is
//! 0 when files could be looked for, and 2 when they could not.

mod imports;
mod json;
mod profiles;
mod report;
mod tree;
mod why;

use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::{Loader, Memory};
use aside_diagnostic::Diagnostic;
use aside_models::find;
use aside_text::{terminal_lines, without_ci_commands};

use crate::Failure;
use crate::arguments::{self, MemoryCommand, Profiles};
use crate::common_args;
use crate::kinds;
use crate::output;
use crate::paint::Paint;

use self::report::{Report, Touched};

/// Prints a session's instruction files. Leaves out diagnostics about
/// reminders, since it shows none.
pub(crate) fn run(arguments: &arguments::Memory) -> Result<(), Failure> {
    match &arguments.command {
        Some(MemoryCommand::Imports(arguments)) => return imports::run(arguments),
        Some(MemoryCommand::Why(arguments)) => return why::run(arguments),
        None => {}
    }
    let invocation = common_args::check(&arguments.common)?;
    let (mut config, mut faults) = common_args::without_reminders(&invocation);
    let touch = files(&arguments.touch, &config.cwd, &mut faults);
    let tokenizer = find(&config.model).facts.estimated_tokenizer();
    match arguments.profile {
        Some(Profiles::All) => {
            output::report_all(faults);
            return profiles::run(&config, arguments, &touch, Paint::of_stdout());
        }
        Some(Profiles::One(profile)) => config.memory = config.memory.profile(profile),
        None => {}
    }
    let mut memory = load(config.memory, &config.cwd)?;
    let touch = touch.into_iter();
    let touched: Vec<_> =
        touch.map(|path| Touched { path: path.clone(), files: memory.touch(path) }).collect();
    let unloaded = memory.unloaded();
    let report = Report {
        cwd: &config.cwd,
        memory: &memory,
        layout: arguments.profile.is_none().then_some(config.layout),
        unloaded: &unloaded,
        touched: &touched,
        tokenizer,
        faults: &faults,
    };
    if arguments.json {
        output::json(&json::document(&report))?;
    } else if arguments.show {
        output::report_all(faults.iter().chain(memory.diagnostics()).cloned());
        // No line is broken: these are the lines that the model gets.
        output::print([without_ci_commands(&texts(&report)).as_bytes()])?;
    } else {
        output::text(&tree::render(&report, Paint::of_stdout()))?;
    }
    Ok(())
}

/// Returns the paths that the model can read, and reports the others: no tool
/// and no mention reads a directory.
fn files<'a>(paths: &'a [PathBuf], cwd: &Path, faults: &mut Vec<Diagnostic>) -> Vec<&'a PathBuf> {
    let (directories, files) = paths.iter().partition(|path| cwd.join(path).is_dir());
    let directories: Vec<&PathBuf> = directories;
    let message = "a directory, which is not read: use --touch with a file in it";
    let note = |path| kinds::TOUCHED_DIRECTORY.diagnostic(message).at(path);
    faults.extend(directories.into_iter().map(note));
    files
}

/// Loads the instruction files that a session starts with.
///
/// A failure is a usage error.
fn load(loader: Loader, cwd: &Path) -> Result<Memory, Failure> {
    let memory = loader.load(cwd);
    memory.context("failed to load instruction files").map_err(Failure::usage)
}

/// Returns the texts as the model gets them, each below its header.
///
/// A file's text is the same as in a request in the layered layout; control
/// characters are escaped, except those of line ends.
fn texts(report: &Report<'_>) -> String {
    let texts: Vec<_> = report.files().map(|file| report.rendered(file)).collect();
    let texts = texts.join("\n\n");
    let lines: Vec<_> = texts.split("\r\n").map(terminal_lines).collect();
    let mut texts = lines.join("\r\n");
    if !texts.is_empty() {
        texts.push('\n');
    }
    texts
}
