//! `aside memory imports FILE`: what an instruction file would import.
//!
//! ```text
//! 3: docs/style.md
//! 12: ~/.claude/own.md
//! ```
//!
//! This loads nothing: imported files do not have to exist. Imports in code
//! blocks do not count. Exit code 2 when the file cannot be read.

use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::Import;
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Imports;
use crate::common_args;
use crate::input::{self, MIB};
use crate::output;

/// The maximum text length, in bytes: the same as for an instruction file.
const MAX_TEXT_BYTES: u64 = 4 * MIB;

/// The object that `--json` prints: `{"imports": ["docs/style.md"]}`.
#[derive(Serialize)]
struct Document<'a> {
    /// Paths, ordered and spelled as in the file.
    imports: Vec<&'a str>,
}

/// Prints a text's imports. The text is at most 4 MiB long.
pub(super) fn run(arguments: &Imports) -> Result<(), Failure> {
    let invocation = common_args::check(&arguments.common)?;
    let file = arguments.file.as_path();
    let text = input::text(file, MAX_TEXT_BYTES).map_err(Failure::usage)?;
    let directory = directory_of(file, invocation.command_line.cwd)?;
    let found = aside_claudemd::imports(&text, &directory, &invocation.host.dirs());
    if arguments.json {
        let imports = found.iter().map(|import| import.path.as_str()).collect();
        output::json(&Document { imports })?;
    } else if found.is_empty() {
        output::text("no imports\n")?;
    } else {
        output::text(&lines(&found))?;
    }
    Ok(())
}

/// Returns the directory that imports are relative to: the file's, or the
/// working directory for stdin.
fn directory_of(file: &Path, cwd: PathBuf) -> Result<PathBuf, Failure> {
    if file == Path::new("-") {
        return Ok(cwd);
    }
    let path = std::path::absolute(file).context("failed to find the current directory")?;
    Ok(path.parent().map_or(cwd, Path::to_owned))
}

/// Returns `LINE: PATH` for each import, with lines from 1.
fn lines(imports: &[Import]) -> String {
    imports.iter().map(|import| format!("{}: {}\n", import.line, one_line(&import.path))).collect()
}
