//! Runs all steps of CI in order, up to the first that fails.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::package::{self, Extent};
use crate::{clients, conformance, docs, root, say, tidy};

/// The budget of all steps together, on two cores.
const BUDGET_SECONDS: u64 = 60 * 60;

/// Selects whether the tests are part of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    Included,
    /// The caller runs them.
    Left,
}

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
        && steps.step("clients", || clients::run(&root))?
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
    for package in ["aside-reminder", "aside-transport", "aside"] {
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
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<bool>) -> Result<bool> {
        say(name);
        let start = Instant::now();
        let result = step();
        let seconds = start.elapsed().as_secs();
        say(&format!("{name}: {seconds} s"));
        self.0.push((name.to_owned(), seconds));
        result
    }

    fn cargo(&mut self, arguments: &str) -> Result<bool> {
        self.step(&format!("cargo {arguments}"), || cargo(arguments, &[]))
    }

    /// Returns a line for each step, and the sum against the budget.
    fn summary(&self) -> String {
        let lines = self
            .0
            .iter()
            .map(|(name, seconds)| format!("{seconds:>6} s  {name}\n"));
        let total: u64 = self.0.iter().map(|(_, seconds)| seconds).sum();
        let lines: String = lines.collect();
        format!("{lines}{total:>6} s of {BUDGET_SECONDS} s")
    }
}

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
