//! Checks and writes golden snapshots: the exact bytes of the requests of every
//! scenario.
//!
//! A case is a folder in `fixtures` with a `scenario.yaml`, a tree of files and
//! the expected body of each request. The check protects prompt caches: a
//! section that moved, another order of tools or a changed separator costs
//! every user a cache write, and is seen here as a differing byte. It runs the
//! scenarios in this process, and then once more in a second one, because the
//! order of a hash map is stable within a process and differs between two.
//!
//! `cargo xtask golden NAME` checks one case without the second process, and
//! `golden --bless NAME` writes its expected bytes.

use std::future::Future;
use std::io::{Write, stdout};
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use aside_scenario::{Case, CaseFailure, Mismatch, discover};

use crate::{is_ci, say};

/// Checks every case, or the named one. Returns true if all bytes are equal.
///
/// Every difference is reported with the source of the differing byte, and
/// followed by the command that accepts it. The second process is started only
/// if all cases pass and no name was given.
///
/// # Errors
/// If a scenario cannot be read or played. Differing bytes are no error.
pub(crate) fn check(fixtures: &Path, name: Option<&str>) -> Result<bool> {
    let cases = select(fixtures, name)?;
    let mut failed = 0;
    for (case, failures) in cases.iter().zip(check_all(&cases)) {
        let failures = failures?;
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
    let count = match cases.len() {
        1 => "1 case".to_owned(),
        several => format!("{several} cases"),
    };
    say(&format!("golden: {count}, {failed} failed"));
    Ok(failed == 0 && !other)
}

/// Checks on as many threads as there are processors. Returns the results in
/// order.
///
/// A case runs on one thread, and the threads take the next case from a shared
/// counter, so a long case delays no other.
fn check_all(cases: &[Case]) -> Vec<Result<Vec<CaseFailure>>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let indices = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = indices.map_while(|index| Some((index, cases.get(index)?)));
        mine.map(|(index, case)| (index, block_on(aside_scenario::check(case))))
            .collect::<Vec<_>>()
    };
    let count = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().expect("a check does not panic"));
        done.flatten().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Writes the bytes of every case, or of the named one, and prints the
/// differences.
///
/// # Errors
/// On a CI machine, and if a scenario cannot be read or its files cannot be
/// written.
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

/// Prints a line for each request: the case, a tab, the bytes.
///
/// The bodies are JSON on one line each, so that a line end separates two
/// requests.
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

/// Returns true if a second process makes other bytes, as with the order of a
/// hash map.
///
/// The expected bodies are read from the files, which `check` has just compared
/// with this process. A request that the second process does not print counts
/// as different.
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

/// Returns the named case, or all cases in the order of `discover`.
fn select(fixtures: &Path, name: Option<&str>) -> Result<Vec<Case>> {
    let Some(name) = name else {
        return discover(fixtures);
    };
    Ok(vec![Case::read(fixtures, name)?])
}

/// Runs a future to its end on a runtime of its own, on this thread.
fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .context("failed to start a runtime")?
        .block_on(future)
}
