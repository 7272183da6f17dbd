//! Attacks on the built `aside` from outside: hostile repositories, files,
//! names, configuration, bodies and transcripts. `docs/security.md` states the
//! promises, and each class here tries to break one of them.
//!
//! Nothing here uses a crate of the product: the judges have their own idea of
//! a tag, a secret and a terminal escape, each with a test that it finds one.
//!
//! A class is a case file in `attacks/cases`; for its form see `case.rs`. To
//! add a case, add an entry there. The driver (`player.rs`) makes a place (a
//! project, a home and a directory outside both), takes a case's steps, runs
//! the command as a process, and judges what the case expects. `tags`, `kills`
//! and `gateway` need code as well, for forms in a request, for resumed
//! sessions and for servers, and read their cases from files, too.
//!
//! Each class has a control that must be found, such as a secret in a file that
//! the command may read, or a reader with the hole; without it, a judge that
//! sees nothing would report that everything held. For `tags` it is a unit
//! test.
//!
//! | class | promise | attacker |
//! |---|---|---|
//! | `tags` | 1 | the author of any text that reaches a request |
//! | `links` | 2 | a repository with links |
//! | `exchange` | 2 | a program that changes a directory during a read |
//! | `git` | 3 | a repository with a configuration and hooks |
//! | `input-files` | 4 | a repository with devices, pipes and endless files |
//! | `kills` | 5 | a crash at any moment, and an edited transcript |
//! | `terminal` | 6 | the author of a name, a file or a response |
//! | `gateway` | 6, 7, 8 | a web page, a client or an upstream of the servers |
//! | `faults` | 5 | a system that has no space, no descriptors or a broken disk |
//! | `cost` | 4 | the author of any input that is larger than usual |
//!
//! `cargo xtask attack links` runs one class in full, `attack --short` all
//! classes with a sample of the cases. A class prints its figures and up to
//! twelve findings:
//!
//! ```text
//! attack links: BROKEN: the link CLAUDE.md -> secret.md, "render go": shows "the-secret-outside"
//! attack links: 2761 tried, 2760 held, 1 broken (61.0 s)
//! ```
//!
//! To repeat a broken case, run its class alone: its cases are always made in
//! the same order. Only the kills, the exchanges and the load on the servers
//! depend on time.

mod case;
mod check;
mod command;
mod cost;
mod faults;
mod fields;
mod fuzz;
mod gateway;
mod judge;
mod kills;
mod outcome;
mod place;
mod plants;
mod player;
mod schema;
mod server;
mod tags;
mod template;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};

use case::Class;
use outcome::Outcome;

/// How much to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Every case in every class.
    Long,
    /// A sample that takes at most three minutes.
    Short,
}

impl Extent {
    fn pick<T>(self, long: T, short: T) -> T {
        match self {
            Self::Long => long,
            Self::Short => short,
        }
    }
}

/// Tries a class's cases. An error means that a case could not be made, and is
/// no finding.
type Attack = fn(&str, Extent) -> Result<Outcome>;

/// The classes, the longest first, by the names that select one. Without a function, a class is
/// the case file `attacks/cases/NAME.json`.
const ATTACKS: &[(&str, Option<Attack>)] = &[
    ("tags", Some(tags::run)),
    ("cost", Some(cost::run)),
    ("links", None),
    ("exchange", None),
    ("kills", Some(kills::run)),
    ("git", None),
    ("terminal", None),
    ("input-files", None),
    ("gateway", Some(gateway::run)),
    ("faults", Some(faults::run)),
];

/// Runs the program with its arguments.
pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match &arguments[..] {
        [aside, "--short"] => run(aside, Extent::Short, None),
        [aside, "--short", name] => run(aside, Extent::Short, Some(name)),
        [aside, "fuzz"] => fuzz::run(aside, fuzz::DEFAULT_SECONDS),
        [aside, "fuzz", "--seconds", seconds] => match seconds.parse() {
            Ok(seconds) => fuzz::run(aside, seconds),
            Err(_) => Err(anyhow!("expected a number of seconds, found {seconds:?}")),
        },
        [aside] => run(aside, Extent::Long, None),
        [aside, name] if !name.starts_with('-') => run(aside, Extent::Long, Some(name)),
        _ => Err(anyhow!("usage: cargo xtask attack [--short] [NAME]")),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Attacks the program at a path with every class, or the named one, prints
/// each one's figures, and returns true if every one held.
///
/// # Errors
/// No class has the name, or a case could not be made.
fn run(aside: &str, extent: Extent, name: Option<&str>) -> Result<bool> {
    let selected: Vec<_> =
        ATTACKS.iter().filter(|(it, _)| name.is_none_or(|name| name == *it)).collect();
    if selected.is_empty() {
        let names: Vec<_> = ATTACKS.iter().map(|(name, _)| *name).collect();
        bail!("no attack has this name; there are: {}", names.join(", "));
    }
    let classes = Mutex::new(selected.into_iter());
    // The long form compares times, so nothing may run beside it.
    let threads = extent.pick(1, 2);
    let outcomes: Vec<Result<Outcome>> = thread::scope(|scope| {
        let attack = || attack_with_each(aside, extent, &classes);
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(attack)).collect();
        running.into_iter().map(|it| it.join().expect("no attack panics")).collect()
    });
    let mut total = Outcome::default();
    for outcome in outcomes {
        total.add(outcome?);
    }
    say(&format!("attack: {total}"));
    Ok(total.broken == 0)
}

/// Attacks with one class after the other, until none is left.
fn attack_with_each(
    aside: &str,
    extent: Extent,
    classes: &Mutex<impl Iterator<Item = &'static (&'static str, Option<Attack>)>>,
) -> Result<Outcome> {
    let mut total = Outcome::default();
    let next = || classes.lock().expect("no iterator panics").next();
    while let Some((name, attack)) = next() {
        let start = Instant::now();
        let outcome = match attack {
            Some(attack) => attack(aside, extent),
            None => Class::read(name)
                .and_then(|class| player::play(aside, &class, &class.cases, extent)),
        };
        let outcome = outcome.with_context(|| format!("the attack {name}"))?;
        report(&format!("attack {name}"), &outcome, start);
        total.add(outcome);
    }
    Ok(total)
}

fn report(name: &str, outcome: &Outcome, start: Instant) {
    for finding in &outcome.findings {
        say(&format!("{name}: BROKEN: {finding}"));
    }
    for note in &outcome.notes {
        say(&format!("{name}: {note}"));
    }
    let seconds = start.elapsed().as_secs_f64();
    say(&format!("{name}: {outcome} ({seconds:.1} s)"));
}

fn root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

#[expect(clippy::print_stderr, reason = "this program reports on stderr")]
fn say(message: &str) {
    eprintln!("{message}");
}
