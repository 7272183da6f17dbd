//! The program behind `cargo xtask guard`, which builds the command and passes its path:
//!
//! ```text
//! aside-guards PROGRAM [NAME]
//! ```
//!
//! It counts the instructions of the command in user space, which repeat where times do not, and
//! compares them with `guards/limits.toml`. A count that is more than 5 % above its limit is a
//! fault; one that is more than 5 % below asks for a lower limit. A commit that raises a limit says
//! why.
//!
//! The command has the development profile, which every other check has compiled already. Its
//! instructions are ten times those of a release, and grow with the work as those do; `cargo bench`
//! has the figures of a release.
//!
//! Counting needs valgrind. Without it nothing is measured, which is a fault if `ASIDE_VALGRIND` is
//! `required`, as CI sets it.

#[path = "../../crates/cli/benches/turns/counted.rs"]
#[expect(dead_code, reason = "one way of counting is of use")]
mod counted;
mod guards;
mod inputs;
mod process;
#[path = "../../crates/cli/benches/turns/server.rs"]
mod server;
mod turns;
#[path = "../../crates/cli/benches/turns/wire.rs"]
mod wire;
#[path = "../../crates/cli/benches/turns/wire_name.rs"]
#[expect(dead_code, reason = "the benchmark runs on every wire")]
mod wire_name;

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use counted::Counter;

const LIMITS: &str = include_str!("../limits.toml");

/// How far a count may be from its limit.
const TOLERANCE: f64 = 0.05;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (program, wanted) = match &arguments[..] {
        [program] => (program, None),
        [program, name] => (program, Some(name.as_str())),
        _ => {
            say("usage: aside-guards PROGRAM [NAME]");
            return ExitCode::FAILURE;
        }
    };
    match run(Path::new(program), wanted) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(faults) => {
            say(&format!("guard: {faults} of the limits do not hold"));
            ExitCode::FAILURE
        }
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures, and returns the number of faults.
fn run(program: &Path, wanted: Option<&str>) -> Result<usize> {
    if Counter::own_instructions(&Command::new("true")).is_err() {
        if std::env::var_os("ASIDE_VALGRIND").is_some_and(|it| it == "required") {
            bail!("valgrind is required, and missing");
        }
        say("guard: skipped, because valgrind is missing");
        return Ok(0);
    }
    let limits = limits(LIMITS)?;
    let names: Vec<&str> = limits.iter().map(|(name, _)| *name).collect();
    let mut faults = 0;
    let guards = guards::ALL.iter();
    for (name, measure) in guards.filter(|it| wanted.is_none_or(|name| it.0 == name)) {
        let count = measure(program).with_context(|| (*name).to_owned())?;
        let limit = limits.iter().find(|it| it.0 == *name);
        let (_, limit) = limit.with_context(|| format!("limits.toml has no {name}: {count:.0}"))?;
        let fault = match count / limit {
            ratio if ratio > 1.0 + TOLERANCE => "  more than its limit",
            ratio if ratio < 1.0 - TOLERANCE => "  less: lower the limit",
            _ => "",
        };
        faults += usize::from(count > limit * (1.0 + TOLERANCE));
        say(&format!("{count:>12.0} of {limit:>12.0}  {name}{fault}"));
    }
    for name in names {
        if !guards::ALL.iter().any(|it| it.0 == name) {
            bail!("limits.toml: there is no guard {name}");
        }
    }
    Ok(faults)
}

/// Reads lines of `name = number`.
fn limits(text: &'static str) -> Result<Vec<(&'static str, f64)>> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line));
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    let limit = |line: &'static str| {
        let (name, number) = line.split_once('=')?;
        let number = number.replace('_', "").trim().parse().ok()?;
        Some((name.trim(), number))
    };
    lines
        .map(|line| limit(line).with_context(|| format!("limits.toml: expected a limit: {line}")))
        .collect()
}

#[expect(clippy::print_stderr, reason = "this program reports on stderr")]
fn say(message: &str) {
    eprintln!("{message}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guard_has_one_limit() {
        let limits = limits(LIMITS).unwrap();
        let guards: Vec<_> = guards::ALL.iter().map(|it| it.0).collect();
        let names: Vec<_> = limits.iter().map(|it| it.0).collect();
        assert_eq!(names, guards);
    }
}
