//! Runs all steps of CI in order, up to the first that fails.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::package::{self, Verify};
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
    let mut steps: Vec<Vec<String>> = vec![
        words("fmt --all --check"),
        words("clippy --workspace --all-targets --quiet -- --deny warnings"),
    ];
    if tests == Tests::Included {
        steps.push(words("test --workspace --quiet"));
    }
    // In a process of its own: the tests may have rebuilt this program, and the
    // check starts it a second time.
    steps.push(words("run --quiet --package xtask -- golden"));
    steps.push(words(
        "check --quiet --manifest-path examples/Cargo.toml --target-dir target",
    ));
    if cfg!(unix) {
        steps.push(words("run --quiet --package xtask -- attack --short"));
    }
    for step in steps {
        if !cargo(&step, &[])? {
            return Ok(false);
        }
    }
    if !conformance::run(&root())? {
        return Ok(false);
    }
    say("clients");
    if !clients::run(&root())? {
        return Ok(false);
    }
    say("tidy");
    if !tidy::run(&root())? {
        return Ok(false);
    }
    say("package");
    if !package::run(&root(), Verify::None)? {
        return Ok(false);
    }
    say("docs");
    if !docs::check(&root())? {
        return Ok(false);
    }
    if !cargo(
        &words("doc --workspace --no-deps --quiet"),
        &[("RUSTDOCFLAGS", "--deny warnings")],
    )? {
        return Ok(false);
    }
    // Each crate and its tests have to compile with its own features only. The
    // tests themselves ran once, with the features of the workspace.
    for package in tidy::packages(&root())? {
        let step = words(&format!(
            "check --quiet --all-targets --package {}",
            package.name
        ));
        if !cargo(&step, &[])? {
            return Ok(false);
        }
    }
    say("ci: all is well");
    Ok(true)
}

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

fn cargo(arguments: &[String], variables: &[(&str, &str)]) -> Result<bool> {
    let line = format!("cargo {}", arguments.join(" "));
    say(&line);
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(root());
    command.env("INSTA_UPDATE", "no");
    let start = Instant::now();
    let status = command
        .status()
        .with_context(|| format!("failed to run {line}"))?;
    say(&format!(
        "{line}: {} s of {BUDGET_SECONDS} s",
        start.elapsed().as_secs()
    ));
    Ok(status.success())
}
