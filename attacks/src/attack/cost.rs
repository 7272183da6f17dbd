//! No command's cost grows faster than its input.
//!
//! A case is a generator with a size. It is played with the sizes n, 2n and 4n,
//! where the file states n as `size`, and each command that it runs may take at
//! most 2.4 times the processor time of the previous size, and at most 10 times
//! its input and 64 MB of memory. The attacker writes any input: what grows
//! faster than its input is a way to stop its reader. This is promise 4
//! in `docs/security.md`.
//!
//! Times below 0.2 s count as 0.2 s, because otherwise the command's start and
//! the clock's step would decide. A fault is tried once again, since a busy
//! machine does not slow down the same command twice.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use super::Extent;
use super::case::{Case, Class};
use super::command::Cost;
use super::outcome::Outcome;
use super::player::Player;

/// How much a cost may grow when the input doubles.
const MAX_GROWTH: f64 = 2.4;

/// Less time counts as this.
const LEAST: Duration = Duration::from_millis(200);

/// How much memory a command may use besides that for its input.
pub(super) const FIXED_KIB: u64 = 64 << 10;

/// How much memory a command may use per byte of input.
pub(super) const MAX_MEMORY_GROWTH: u64 = 10;

/// One case's commands at one size.
struct Played {
    costs: Vec<(String, Cost)>,
    outcome: Outcome,
    input_kib: u64,
}

/// Tries every generator; the short form only plays each once, at its size.
///
/// # Errors
/// A case has no size, or cannot be made.
pub(super) fn run(aside: &str, extent: Extent) -> Result<Outcome> {
    let class = Class::read("cost")?;
    let mut outcome = Outcome::default();
    for case in &class.cases {
        let faults = faults(aside, &class, case, extent, &mut outcome)?;
        let again = if faults.is_empty() {
            faults
        } else {
            self::faults(aside, &class, case, extent, &mut Outcome::default())?
        };
        again.into_iter().for_each(|it| outcome.breaks(it));
    }
    Ok(outcome)
}

/// Plays a case with each size, and returns what grows faster than its input.
fn faults(
    aside: &str,
    class: &Class,
    case: &Case,
    extent: Extent,
    outcome: &mut Outcome,
) -> Result<Vec<String>> {
    let factors: &[u64] = extent.pick(&[1, 2, 4], &[1]);
    let mut faults = Vec::new();
    let mut before: Option<Played> = None;
    for factor in factors {
        let mut played = play(aside, class, case, *factor)?;
        outcome.add(std::mem::take(&mut played.outcome));
        let most_kib = MAX_MEMORY_GROWTH * played.input_kib + FIXED_KIB;
        for (index, (command, cost)) in played.costs.iter().enumerate() {
            outcome.tried(1);
            let command: String = command.chars().take(80).collect();
            let name = format!("{} x {factor}, {command:?}", case.name);
            if cost.peak_kib > most_kib {
                let (peak, input) = (cost.peak_kib, played.input_kib);
                faults.push(format!("{name}: {peak} KiB for {input} KiB"));
            }
            let earlier = before.as_ref().and_then(|it| it.costs.get(index));
            if let Some((_, earlier)) = earlier
                && cost.cpu > earlier.cpu.max(LEAST).mul_f64(MAX_GROWTH)
            {
                let (from, to) = (earlier.cpu, cost.cpu);
                faults.push(format!("{name}: from {from:?} to {to:?}"));
            }
        }
        before = Some(played);
    }
    if let Some(last) = before.filter(|_| extent == Extent::Long) {
        let slowest = last.costs.iter().max_by_key(|it| it.1.cpu);
        let largest = last.costs.iter().map(|it| it.1.peak_kib).max();
        if let (Some((command, cost)), Some(peak)) = (slowest, largest) {
            let (name, cpu, input) = (&case.name, cost.cpu, last.input_kib);
            let command: String = command.chars().take(80).collect();
            outcome
                .note(format!("{name}: {input} KiB, at most {cpu:?} ({command}) and {peak} KiB"));
        }
    }
    Ok(faults)
}

/// Plays a case with a multiple of its size.
fn play(aside: &str, class: &Class, case: &Case, factor: u64) -> Result<Played> {
    let mut scope = class.scopes(case, Extent::Long)?.pop().context("no case")?;
    let size: u64 = scope.text("${size}")?.parse().context("a size")?;
    scope.set("size", size * factor);
    let player = Player::play(aside, class, case, scope)?;
    Ok(Played {
        input_kib: length(&player.place.path("project"))? >> 10,
        costs: player.costs,
        outcome: player.outcome,
    })
}

/// Sums up all files below a directory, in bytes.
fn length(directory: &Path) -> Result<u64> {
    let mut length = 0;
    for entry in WalkDir::new(directory) {
        let entry = entry?;
        if entry.file_type().is_file() {
            length += fs::metadata(entry.path())?.len();
        }
    }
    Ok(length)
}
