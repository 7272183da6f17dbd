//! Checks and writes golden snapshots: the exact bytes of every scenario's
//! requests.
//!
//! A case is a folder in `fixtures` with a `scenario.yaml`, a file tree and
//! each request's expected body. The check protects prompt caches: a section
//! that moved, another order of tools or a changed separator costs every user a
//! cache write, and shows here as a differing byte. The expected bodies were
//! made by another process, so an order that is stable within a process, such
//! as that of a hash map, shows as well.
//!
//! CI checks the same in a test, `every_scenario_has_its_bytes`. `golden review`
//! accepts changes, each distinct one by itself.

use std::future::Future;
use std::io::{IsTerminal, Write, stderr, stdin, stdout};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use aside_scenario::{Accepted, Baseline, Case, Checked, Review, Scope, Settled, discover};

use crate::{is_ci, root};

/// Checks every case, or the named one. Returns true if all bytes are equal.
///
/// Reports the distinct changes, rarest first, and then the command that
/// accepts them.
///
/// # Errors
/// A scenario cannot be read or played. Differing bytes are no error.
pub(crate) fn check(fixtures: &Path, name: Option<&str>) -> Result<bool> {
    let cases = select(fixtures, name)?;
    let (review, failed) = reviewed(fixtures, &cases, name, &Baseline::Files)?;
    if !review.is_empty() {
        say(&review.to_string());
        say("  if this is right: cargo xtask golden review");
    }
    say(&format!("golden: {}, {failed} failed", counted(cases.len())));
    Ok(review.is_empty() && failed == 0)
}

/// Reviews the changes in every case, or the named one, and writes the accepted
/// ones: by `accepted`, or by answers on a terminal. With a revision, or two as
/// `BASE..REVISION`, it only prints what changed since then.
///
/// # Errors
/// Files would be written on a CI machine, a scenario cannot be played, or git
/// fails.
pub(crate) fn review(fixtures: &Path, options: &ReviewOptions<'_>) -> Result<bool> {
    let ReviewOptions { name, base, accepted } = options;
    if let Some(base) = base {
        let review = since(fixtures, base, *name)?;
        say(&format!("{review}\n\n{}", review.paragraph()));
        return Ok(true);
    }
    let cases = select(fixtures, *name)?;
    let (review, failed) = reviewed(fixtures, &cases, *name, &Baseline::Files)?;
    if review.is_empty() {
        say(&format!("golden: {}, nothing changed", counted(cases.len())));
        return Ok(failed == 0);
    }
    let accepted = match accepted {
        Some(list) => {
            say(&review.to_string());
            Accepted::parse(list)
        }
        None if stdin().is_terminal() && !is_ci() => {
            review.ask(&mut stdin().lock(), &mut stderr())?
        }
        None => {
            say(&review.to_string());
            say("  to write them: cargo xtask golden review --accept all, or ids from above");
            return Ok(false);
        }
    };
    if is_ci() {
        bail!(
            "CI is set, so nothing is accepted: run this on your machine, review the diff and commit it"
        );
    }
    let Settled { done, paragraph, left, .. } = review.accept(&accepted)?;
    for line in &done {
        say(line);
    }
    say(&format!("\n{paragraph}"));
    say(&format!("golden: {} files written; left: {}", done.len(), left.totals()));
    Ok(left.is_empty() && failed == 0)
}

/// Prints a line of a report, with paths relative to the workspace.
fn say(text: &str) {
    crate::say(&text.replace(&format!("{}/", root().display()), ""));
}

/// How to review.
#[derive(Default)]
pub(crate) struct ReviewOptions<'a> {
    /// One case; all without it.
    pub(crate) name: Option<&'a str>,
    /// The revision to compare with, or two as `BASE..REVISION`.
    pub(crate) base: Option<&'a str>,
    /// `all`, or the ids of the changes to write.
    pub(crate) accepted: Option<&'a str>,
}

/// Returns the changes since a revision, or between two.
fn since(fixtures: &Path, base: &str, name: Option<&str>) -> Result<Review> {
    if let Some((base, revision)) = base.split_once("..") {
        let base = Baseline::revision(fixtures, base)?;
        return Ok(Review::between(&base, &Baseline::revision(fixtures, revision)?));
    }
    let cases = select(fixtures, name)?;
    let base = Baseline::revision(fixtures, base)?;
    Ok(reviewed(fixtures, &cases, name, &base)?.0)
}

/// Plays cases and compares them. Prints and counts broken laws.
fn reviewed(
    fixtures: &Path,
    cases: &[Case],
    name: Option<&str>,
    baseline: &Baseline,
) -> Result<(Review, usize)> {
    let checked = check_all(cases).into_iter().collect::<Result<Vec<_>>>()?;
    let failures = checked.iter().flat_map(|it| &it.failures);
    let mut failed = 0;
    for failure in failures {
        say(&failure.to_string());
        failed += 1;
    }
    let scope = if name.is_none() { Scope::All } else { Scope::Some };
    Ok((Review::of(fixtures, &checked, scope, baseline), failed))
}

fn counted(cases: usize) -> String {
    match cases {
        1 => "1 case".to_owned(),
        several => format!("{several} cases"),
    }
}

/// Checks on as many threads as there are processors. Returns the results in
/// order.
///
/// A case runs on one thread, and threads take the next case from a shared
/// counter, so a long case delays no other.
fn check_all(cases: &[Case]) -> Vec<Result<Checked>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let indices = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let mine = indices.map_while(|index| Some((index, cases.get(index)?)));
        let checked =
            |case: &Case| block_on(aside_scenario::check(case)).with_context(|| case.name.clone());
        mine.map(|(index, case)| (index, checked(case))).collect::<Vec<_>>()
    };
    let count = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().map(|thread| thread.join().expect("a check does not panic"));
        done.flatten().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Prints a line for each request: the case, a tab, the bytes.
///
/// Each body is JSON on one line, so a line end separates two requests.
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

/// Returns the named case, or all cases in the order of `discover`.
fn select(fixtures: &Path, name: Option<&str>) -> Result<Vec<Case>> {
    let Some(name) = name else {
        return discover(fixtures);
    };
    Ok(vec![Case::read(fixtures, name)?])
}

/// Runs a future to its end on its own runtime, on this thread.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("failed to start a runtime")?.block_on(future)
}
