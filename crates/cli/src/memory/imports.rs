use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use aside_claudemd::Import;
use aside_host::Host;
use serde::Serialize;

use crate::Failure;
use crate::arguments::{Imports, SessionArguments};
use crate::output;
use crate::session;
use crate::visible::visible;

/// The longest text that is looked at, in bytes: as long as an instruction
/// file can be.
const LONGEST: u64 = 4 * 1024 * 1024;

#[derive(Serialize)]
struct Document<'a> {
    imports: Vec<&'a str>,
}

pub(super) fn run(arguments: &Imports, host: &Host) -> Result<(), Failure> {
    let file = arguments.file.as_path();
    let text = read(file)
        .with_context(|| format!("failed to read {}", file.display()))
        .map_err(Failure::usage)?;
    let directory = directory_of(file, &arguments.session)?;
    let found = aside_claudemd::imports(&text, &directory, &host.dirs());
    let report = if arguments.json {
        let imports = found.iter().map(|import| import.path.as_str()).collect();
        serde_json::to_string_pretty(&Document { imports })? + "\n"
    } else {
        lines(&found)
    };
    output::print([report.as_bytes()])?;
    Ok(())
}

/// What the imports are relative to.
fn directory_of(file: &Path, session: &SessionArguments) -> Result<PathBuf, Failure> {
    let cwd = session::cwd(session).map_err(Failure::usage)?;
    if file == Path::new("-") {
        return Ok(cwd);
    }
    let path = std::path::absolute(file).context("failed to find the current directory")?;
    Ok(path.parent().map_or(cwd, Path::to_owned))
}

fn read(file: &Path) -> anyhow::Result<String> {
    let source: Box<dyn Read> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(file)?)
    };
    let mut bytes = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() as u64 <= LONGEST, "more than 4 MiB");
    String::from_utf8(bytes).context("not UTF-8")
}

fn lines(imports: &[Import]) -> String {
    imports
        .iter()
        .map(|import| format!("{}: {}\n", import.line, visible(&import.path)))
        .collect()
}
