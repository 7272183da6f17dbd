//! Running all steps of CI in order, up to the first that fails.
//!
//! Formatting and clippy come first, since they find the most common faults in
//! the least time. To repeat a failed step alone, take its name from the log:
//! it is a command line after `cargo`, or a subcommand of `cargo xtask`.
//!
//! `ci` is what every change needs; `ci --full` adds what a release needs: all
//! cases of the property tests, the model figures, each crate alone, every
//! attack, real clients, installs of every published form. `golden`, `tidy` and
//! `docs --check` are no steps, because they are tests of this package, too:
//! `every_scenario_has_its_bytes`, `this_workspace_is_tidy` and
//! `generated_files_are_current`.
//!
//! On a machine without Python, Node or npm, the steps that need them are
//! skipped with a message; each step's module names the variable that makes it
//! fail instead.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};

use crate::{
    Extent, bindings, budget, built, clients, conformance, deny, examples, maps, package, root,
    say, size, tidy,
};

/// For each property test in `ci --full`; by default it is the number in
/// `.cargo/config.toml`.
const ALL_CASES: &str = "1024";

/// How long to fuzz in `ci --full`.
const FUZZ_SECONDS: u64 = 600;

/// Who runs `cargo test --workspace`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    Here,
    ByCaller,
}

/// Runs the steps and prints each one's seconds next to its budget. Returns
/// true if all passed.
///
/// The summary is printed after a failed step, too, and then ends with that
/// step:
///
/// ```text
///      2 s of    5  cargo fmt --all --check
///     40 s of   60  package
///     42 s of   65
/// ```
///
/// A step over its budget fails nothing: machines differ.
pub(crate) fn run(extent: Extent, tests: Tests) -> Result<bool> {
    let mut steps = Steps {
        budgets: budget::read(&root().join("xtask/budget.toml"), "seconds")?,
        ran: Vec::new(),
    };
    let all_are_green = run_steps(extent, tests, &mut steps);
    say(&steps.summary());
    if all_are_green? {
        say("ci: all is well");
        return Ok(true);
    }
    Ok(false)
}

/// Runs the steps up to the first that finds a fault, for which it returns
/// false.
fn run_steps(extent: Extent, tests: Tests, steps: &mut Steps) -> Result<bool> {
    let root = root();
    let is_full = extent == Extent::Full;
    let sample = if is_full { "" } else { " --short" };
    let attack = format!("run --quiet --package xtask -- attack{sample}");
    // Lints over the tests cost a second check of every crate.
    let targets = if is_full { " --all-targets" } else { "" };
    let clippy = format!("clippy --workspace{targets} --quiet -- --deny warnings");
    let guard = "run --quiet --package xtask -- guard";
    let fuzz = format!("run --quiet --package xtask -- fuzz --seconds {FUZZ_SECONDS}");
    let bindings = || bindings::run(&root, extent);
    // The first waits for programs most of the time, the last for registries. In full it measures.
    let mut waiting: Vec<(&str, Step<'_>)> = vec![
        ("package", Box::new(|| package::run(&root, extent.of_packages()))),
        ("doc", Box::new(doc)),
    ];
    if !is_full {
        waiting.push(("bindings", Box::new(bindings)));
    }
    let all = steps.cargo("fmt --all --check")?
        && steps.step("size", || size::run(&root))?
        && steps.cargo(&clippy)?
        && steps.step("tests are built", || built::tests(&root).map(|()| true))?
        && (tests == Tests::ByCaller || steps.tests(is_full)?)
        && steps.at_once(vec![
            (&attack, Box::new(|| Ok(cfg!(not(unix)) || cargo(&attack, &[])?))),
            (guard, Box::new(|| Ok(cfg!(not(unix)) || cargo(guard, &[])?))),
        ])?
        // The examples are compiled one after the other; most programs that the others wait for use
        // one core, too.
        && steps.at_once(vec![
            ("examples", Box::new(|| examples::run(&root, extent))),
            ("conformance", Box::new(|| conformance::run(&root, extent))),
            ("clients", Box::new(|| clients::run(&root, extent))),
        ])?
        && steps.at_once(waiting)?;
    if !all || !is_full {
        return Ok(all);
    }
    Ok(steps.step("bindings", bindings)?
        && steps.step("models", || maps::run(&root, maps::Figures::Check))?
        && steps.step("deny", || deny::run(&root))?
        && (cfg!(not(unix)) || steps.cargo(&fuzz)?)
        && fuzz_targets_compile(steps, &root)?
        && steps.cargo("run --quiet --package xtask -- golden --mutate")?
        && each_alone(steps)?)
}

/// Writes the crates' documentation, where a broken link is an error.
fn doc() -> Result<bool> {
    cargo("doc --workspace --no-deps --quiet", &[("RUSTDOCFLAGS", "--deny warnings")])
}

/// Compiles each crate and its tests with its own features only, and crates
/// with default features without these, when nothing may be left unused.
///
/// Within the workspace, cargo unites all crates' features, so a crate that
/// forgot a feature of a dependency compiles there and fails for its users.
fn each_alone(steps: &mut Steps) -> Result<bool> {
    for package in tidy::packages(&root())? {
        let arguments = format!("check --quiet --all-targets --package {}", package.name);
        if !steps.cargo(&arguments)? {
            return Ok(false);
        }
    }
    let packages = "aside-claudemd aside-gateway aside-mcp aside-reminder aside-tools \
                    aside-transport aside-user-files aside";
    let packages = packages.split(' ');
    let without_yaml = "test --quiet --no-default-features --package aside-claudemd without_yaml";
    if !steps.cargo(without_yaml)? {
        return Ok(false);
    }
    let features = "compressed network search shell verify".split(' ');
    let of_command = features.map(|feature| format!("aside --features {feature}"));
    for package in packages.map(str::to_owned).chain(of_command) {
        if !steps.cargo(&format!(
            "clippy --quiet --no-default-features --package {package} -- --deny warnings"
        ))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compiles the fuzz targets, which are outside of the workspace: nothing else would find that one
/// was left behind by a change. `libfuzzer-sys` needs a C++ compiler.
fn fuzz_targets_compile(steps: &mut Steps, root: &Path) -> Result<bool> {
    for package in tidy::packages(root)? {
        let manifest = Path::new(&package.manifest_path).with_file_name("fuzz/Cargo.toml");
        let check = format!(
            "check --quiet --target-dir target/fuzz-targets --manifest-path {}",
            manifest.display()
        );
        if manifest.exists() && !steps.cargo(&check)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if it finds no fault.
type Step<'a> = Box<dyn FnOnce() -> Result<bool> + Send + 'a>;

/// The steps so far, with their seconds.
#[derive(Debug, Default)]
struct Steps {
    /// In seconds.
    budgets: BTreeMap<String, usize>,
    ran: Vec<(String, u64)>,
}

impl Steps {
    /// Runs a step, and records its seconds even if it fails or cannot be run.
    fn step(&mut self, name: &str, step: impl FnOnce() -> Result<bool>) -> Result<bool> {
        let (result, seconds) = timed(name, step);
        self.ran.push((name.to_owned(), seconds));
        result
    }

    /// Runs steps at the same time, and records all. Their lines are mixed.
    fn at_once(&mut self, steps: Vec<(&str, Step<'_>)>) -> Result<bool> {
        let results: Vec<_> = thread::scope(|scope| {
            let start = |(name, step)| scope.spawn(move || (name, timed(name, step)));
            let running: Vec<_> = steps.into_iter().map(start).collect();
            running.into_iter().map(|it| it.join().expect("no step panics")).collect()
        });
        self.ran.extend(results.iter().map(|(name, (_, seconds))| ((*name).to_owned(), *seconds)));
        let mut is_green = true;
        for (_, (result, _)) in results {
            is_green &= result?;
        }
        Ok(is_green)
    }

    /// Runs `cargo` with these arguments as a step by that name.
    fn cargo(&mut self, arguments: &str) -> Result<bool> {
        self.step(&format!("cargo {arguments}"), || cargo(arguments, &[]))
    }

    /// Runs all tests; in a full run with every case of the property tests.
    fn tests(&mut self, is_full: bool) -> Result<bool> {
        let arguments = "test --workspace --quiet";
        let variables: &[(&str, &str)] =
            if is_full { &[("PROPTEST_CASES", ALL_CASES)] } else { &[] };
        self.step(&format!("cargo {arguments}"), || cargo(arguments, variables))
    }

    /// Returns a line for each step, and the sums.
    fn summary(&self) -> String {
        let mut lines = String::new();
        let (mut total, mut budgets) = (0, 0);
        for (name, seconds) in &self.ran {
            let keys = self.budgets.keys().filter(|key| name.contains(key.as_str()));
            let key = keys.max_by_key(|key| key.len());
            let budget = key.map_or(0, |key| self.budgets[key]);
            lines += &format!("{seconds:>6} s of {budget:>4}  {name}\n");
            total += seconds;
            budgets += budget;
        }
        format!("{lines}{total:>6} s of {budgets:>4}")
    }
}

/// Runs a step, and returns its seconds, too.
fn timed(name: &str, step: impl FnOnce() -> Result<bool>) -> (Result<bool>, u64) {
    say(name);
    let start = Instant::now();
    let result = step();
    let seconds = start.elapsed().as_secs();
    // Of steps that run at the same time, nothing else says which one failed.
    let outcome = if matches!(result, Ok(true)) { "" } else { ", failed" };
    say(&format!("{name}: {seconds} s{outcome}"));
    (result, seconds)
}

/// Runs cargo at the workspace's root with additional environment variables.
/// The arguments are separated at single spaces, so none can contain one.
/// `INSTA_UPDATE=no` keeps snapshot tests from writing a file.
fn cargo(arguments: &str, variables: &[(&str, &str)]) -> Result<bool> {
    let mut command = crate::cargo();
    command.args(arguments.split(' ')).envs(variables.iter().copied()).current_dir(root());
    command.env("INSTA_UPDATE", "no");
    command.envs(built::of_tests().map(|program| (built::PROGRAM, program)));
    let status = command.status().with_context(|| format!("failed to run cargo {arguments}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_its_seconds_next_to_its_budget() {
        let steps = Steps {
            budgets: BTreeMap::from([("fmt".to_owned(), 5), ("package".to_owned(), 60)]),
            ran: vec![("cargo fmt".to_owned(), 2), ("package".to_owned(), 70)],
        };
        let expected = "     2 s of    5  cargo fmt\n    70 s of   60  package\n    72 s of   65";
        assert_eq!(steps.summary(), expected);
    }

    #[test]
    fn one_of_the_steps_that_fails_is_enough() {
        let mut steps = Steps::default();
        let step = |is_green: bool| -> Step<'_> { Box::new(move || Ok(is_green)) };
        assert!(!steps.at_once(vec![("red", step(false)), ("green", step(true))]).unwrap());
        assert!(steps.at_once(vec![("one", step(true)), ("other", step(true))]).unwrap());
        let none: Step<'_> = Box::new(|| anyhow::bail!("no"));
        assert!(steps.at_once(vec![("green", step(true)), ("none", none)]).is_err());
        let names = steps.ran.iter().map(|it| &*it.0).collect::<Vec<_>>();
        assert_eq!(names, ["red", "green", "one", "other", "green", "none"]);
    }

    #[test]
    fn a_step_that_fails_is_in_the_summary() {
        let mut steps = Steps::default();
        assert!(!steps.step("red", || Ok(false)).unwrap());
        assert!(steps.summary().contains("  red\n"));
    }
}
