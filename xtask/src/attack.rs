//! Attacks on the built `aside` from outside: hostile repositories, files,
//! names, configuration, bodies and transcripts. `docs/security.md` states the
//! promises, and each class here tries to break one of them.
//!
//! Nothing here uses a crate of the product: the judges have their own idea of
//! a tag, a secret and a terminal escape, each with a test that it finds one.

mod command;
mod exchange;
mod fields;
mod forms;
mod gateway;
mod git;
mod input_files;
mod judge;
mod kills;
mod links;
mod outcome;
mod plants;
mod schema;
mod server;
mod tags;
mod terminal;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{built, say};
use command::Aside;
use outcome::Outcome;

/// The extent of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every case of every class.
    Long,
    /// A sample that takes at most three minutes.
    Short,
}

type Attack = fn(&Aside, Extent) -> Result<Outcome>;

/// The classes of attack, by the names that select one.
const ATTACKS: &[(&str, Attack)] = &[
    ("tags", tags::run),
    ("links", links::run),
    ("exchange", exchange::run),
    ("kills", kills::run),
    ("git", git::run),
    ("terminal", terminal::run),
    ("input-files", input_files::run),
    ("gateway", gateway::run),
];

/// Runs the attacks, or the named one, prints the figures of each, and returns
/// true if every one held.
pub(crate) fn run(root: &Path, extent: Extent, name: Option<&str>) -> Result<bool> {
    let selected: Vec<_> = ATTACKS
        .iter()
        .filter(|(it, _)| name.is_none_or(|name| name == *it))
        .collect();
    if selected.is_empty() {
        let names: Vec<_> = ATTACKS.iter().map(|(name, _)| *name).collect();
        bail!("no attack has this name; there are: {}", names.join(", "));
    }
    let aside = Aside::new(&built::aside(root)?);
    let mut total = Outcome::default();
    for (name, attack) in selected {
        let start = Instant::now();
        let outcome = attack(&aside, extent).with_context(|| format!("the attack {name}"))?;
        for finding in outcome.findings() {
            say(&format!("attack {name}: BROKEN: {finding}"));
        }
        for note in outcome.notes() {
            say(&format!("attack {name}: {note}"));
        }
        let seconds = start.elapsed().as_secs_f64();
        say(&format!("attack {name}: {outcome} ({seconds:.1} s)"));
        total.add(outcome);
    }
    say(&format!("attack: {total}"));
    Ok(total.broken() == 0)
}
