//! `aside memory`: which instruction files load, and why.

mod imports;
mod json;
mod report;
mod tree;

use std::path::PathBuf;

use anyhow::Context;
use aside_session::Area;

use crate::Failure;
use crate::arguments::{Memory, MemoryCommand};
use crate::everywhere;
use crate::output;
use crate::paint::Paint;

use self::report::{Report, Touched};

pub(crate) fn run(arguments: &Memory) -> Result<(), Failure> {
    if let Some(MemoryCommand::Imports(arguments)) = &arguments.command {
        return imports::run(arguments);
    }
    let here = everywhere::look(&arguments.everywhere)?;
    let (config, mut faults) = here.session();
    faults.retain(|fault| fault.area != Area::Reminders);
    let cwd = config.cwd;
    let mut memory = config
        .memory
        .load(&cwd)
        .context("failed to load instruction files")
        .map_err(Failure::usage)?;
    let touch = |path: &PathBuf| Touched {
        path: path.clone(),
        files: memory.touch(path),
    };
    let touched: Vec<_> = arguments.touch.iter().map(touch).collect();
    let report = Report {
        cwd: &cwd,
        memory: &memory,
        touched: &touched,
        faults: &faults,
    };
    let text = if arguments.json {
        json::render(&report)?
    } else {
        tree::render(&report, Paint::of_stdout(&here.host.environment))
    };
    output::print([text.as_bytes()])?;
    Ok(())
}
