//! Golden snapshots: the exact bytes of the requests of every scenario.

use std::future::Future;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use aside_scenario::{Case, Mismatch, discover};

use crate::{is_ci, say};

/// Checks every case, or the named one.
pub(crate) fn check(fixtures: &Path, name: Option<&str>) -> Result<bool> {
    let cases = select(fixtures, name)?;
    let mut failed = 0;
    for case in &cases {
        let failures = block_on(aside_scenario::check(case))?;
        for failure in &failures {
            say(&failure.to_string());
        }
        if !failures.is_empty() {
            failed += 1;
            say(&format!(
                "  if this is right: cargo xtask golden --bless {}",
                case.name
            ));
        }
    }
    let other = failed == 0 && name.is_none() && differs_in_another_process(&cases)?;
    say(&format!("golden: {} cases, {failed} failed", cases.len()));
    Ok(failed == 0 && !other)
}

/// Writes the bytes of every case, or of the named one, and shows what
/// changed.
pub(crate) fn bless(fixtures: &Path, name: Option<&str>) -> Result<bool> {
    if is_ci() {
        bail!("CI is set: expected bytes are written by people, who look at them");
    }
    for case in select(fixtures, name)? {
        for blessed in block_on(aside_scenario::bless(&case))? {
            say(&blessed.to_string());
            say(&blessed.diff());
        }
    }
    Ok(true)
}

/// A line for each request: the case, a tab, the bytes.
pub(crate) fn print(fixtures: &Path) -> Result<()> {
    for case in select(fixtures, None)? {
        for bytes in block_on(aside_scenario::play(&case))?.bytes() {
            let mut out = stdout().lock();
            write!(out, "{}\t", case.name)?;
            out.write_all(&bytes)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// A hash map has another order in another process.
fn differs_in_another_process(cases: &[Case]) -> Result<bool> {
    let program = std::env::current_exe()?;
    let output = Command::new(&program)
        .args(["golden", "--print"])
        .output()
        .with_context(|| format!("failed to run {}", program.display()))?;
    let mut lines = output.stdout.split(|byte| *byte == b'\n');
    let mut differs = false;
    for case in cases {
        for request in 1..=case.len() {
            let line = lines.next().unwrap_or_default();
            let found = line.strip_prefix(format!("{}\t", case.name).as_bytes());
            let expected = std::fs::read(case.expected_path(request))?;
            let envelope = |_| aside_scenario::Source::Envelope;
            if let Some(it) = Mismatch::find(&expected, found.unwrap_or_default(), envelope) {
                say(&format!(
                    "{}: request {request} differs in another process: {it}",
                    case.name
                ));
                differs = true;
            }
        }
    }
    Ok(differs)
}

fn select(fixtures: &Path, name: Option<&str>) -> Result<Vec<Case>> {
    let Some(name) = name else {
        return discover(fixtures);
    };
    Ok(vec![Case::read(fixtures, name)?])
}

fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .context("failed to start a runtime")?
        .block_on(future)
}
