//! Runs all steps of CI in order, up to the first that fails.
//!
//! Formatting and clippy are first, since they find the most common faults in
//! the least time. A contributor whose step failed repeats that step alone: the
//! log names it as the command line after `cargo`, or as a subcommand of `cargo
//! xtask`.
//!
//! Steps that need Python, Node or npm are skipped with a message on a machine
//! that lacks them; see the module of each step for the variable that makes it
//! fail instead.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::package::{self, Extent};
use crate::{clients, conformance, docs, root, say, tidy};

/// The budget of all steps together, on two cores.
///
/// It is printed next to the sum and does not end a run.
const BUDGET_SECONDS: u64 = 60 * 60;

/// Selects whether the tests are part of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    /// `cargo test --workspace` is a step.
    Included,
    /// The caller runs them.
    Left,
}

/// Runs the steps and prints the seconds of each. Returns true if all passed.
///
/// The summary is printed after a failed step, too, and then ends with the step
/// that failed:
///
/// ```text
///      2 s  cargo fmt --all --check
///     40 s  package
///     42 s of 3600 s
/// ```
pub(crate) fn run(tests: Tests) -> Result<bool> {
    let mut steps = Steps::default();
    let all_are_green = run_steps(tests, &mut steps);
    say(&steps.summary());
    if all_are_green? {
        say("ci: all is well");
        return Ok(true);
    }
    Ok(false)
}

/// Runs the steps up to the first that finds a fault, for which it returns
/// false.
///
/// The last steps compile each crate alone. Within the workspace, cargo unites
/// the features of all crates, so a crate that forgot a feature of a dependency
/// compiles there and fails for its users.
fn run_steps(tests: Tests, steps: &mut Steps) -> Result<bool> {
    let root = root();
    let all = steps.cargo("fmt --all --check")?
        && steps.cargo("clippy --workspace --all-targets --quiet -- --deny warnings")?
        && (tests == Tests::Left || steps.cargo("test --workspace --quiet")?)
        // In a process of its own: the tests may have rebuilt this program, and the
        // check starts it a second time.
        && steps.cargo("run --quiet --package xtask -- golden")?
        && steps.cargo("check --quiet --manifest-path examples/Cargo.toml --target-dir target")?
        && (cfg!(not(unix)) || steps.cargo("run --quiet --package xtask -- attack --short")?)
        && steps.step("conformance", || conformance::run(&root))?
        && steps.step("clients", || clients::run(&root, clients::Extent::Short))?
        && steps.step("tidy", || tidy::run(&root))?
        && steps.step("package", || package::run(&root, Extent::Artefacts))?
        && steps.step("docs", || docs::check(&root))?
        && steps.step("doc", || {
            let variables = [("RUSTDOCFLAGS", "--deny warnings")];
            cargo("doc --workspace --no-deps --quiet", &variables)
        })?;
    if !all {
        return Ok(false);
    }
    // Each crate and its tests have to compile with its own features only. The
    // tests themselves ran once, with the features of the workspace.
    for package in tidy::packages(&root)? {
        let arguments = format!("check --quiet --all-targets --package {}", package.name);
        if !steps.cargo(&arguments)? {
            return Ok(false);
        }
    }
    // And without those that are on by default, where nothing may be left unused.
    for package in ["aside-reminder", "aside-tools", "aside-transport", "aside"] {
        if !steps.cargo(&format!(
            "clippy --quiet --no-default-features --package {package} -- --deny warnings"
        ))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The steps that ran, with their seconds.
#[derive(Debug, Default)]
struct Steps(Vec<(String, u64)>);

impl Steps {
    /// Runs a step, and records its seconds even if it fails or cannot be run.
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<bool>) -> Result<bool> {
        say(name);
        let start = Instant::now();
        let result = step();
        let seconds = start.elapsed().as_secs();
        say(&format!("{name}: {seconds} s"));
        self.0.push((name.to_owned(), seconds));
        result
    }

    /// Runs `cargo` with these arguments as a step of that name.
    fn cargo(&mut self, arguments: &str) -> Result<bool> {
        self.step(&format!("cargo {arguments}"), || cargo(arguments, &[]))
    }

    /// Returns a line for each step, and the sum against the budget.
    fn summary(&self) -> String {
        let lines: String = self
            .0
            .iter()
            .map(|(name, seconds)| format!("{seconds:>6} s  {name}\n"))
            .collect();
        let total: u64 = self.0.iter().map(|(_, seconds)| seconds).sum();
        format!("{lines}{total:>6} s of {BUDGET_SECONDS} s")
    }
}

/// Runs cargo in the root of the workspace with additional environment
/// variables. The arguments are separated at single spaces, so none can contain
/// one. `INSTA_UPDATE=no` keeps snapshot tests from writing a file.
fn cargo(arguments: &str, variables: &[(&str, &str)]) -> Result<bool> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command
        .args(arguments.split(' '))
        .envs(variables.iter().copied())
        .current_dir(root());
    command.env("INSTA_UPDATE", "no");
    let status = command
        .status()
        .with_context(|| format!("failed to run cargo {arguments}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_seconds_and_the_sum_is_against_the_budget() {
        let steps = Steps(vec![("fmt".to_owned(), 2), ("package".to_owned(), 40)]);
        let expected = "     2 s  fmt\n    40 s  package\n    42 s of 3600 s";
        assert_eq!(steps.summary(), expected);
    }

    #[test]
    fn a_step_that_fails_is_in_the_summary() {
        let mut steps = Steps::default();
        assert!(!steps.step("red", || Ok(false)).unwrap());
        assert!(steps.summary().contains("  red\n"));
    }
}
