//! A team's own golden scenarios.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use aside_host::Environment;
use aside_scenario::Case;
use aside_text::{one_line, terminal_lines};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::Failure;
use crate::arguments::Verify;
use crate::output;

/// A scenario that was checked.
struct Checked {
    name: String,
    /// What is wrong; nothing, if all is well.
    faults: Vec<String>,
    /// Whether all of that is gone when the expected bytes are written anew.
    goes_with_bless: bool,
    took: Duration,
}

/// What is wrong with a scenario, and whether it is gone with `--bless`.
type Faults = (Vec<String>, bool);

pub(crate) fn run(arguments: &Verify) -> Result<(), Failure> {
    let (directory, names) = scenarios(&arguments.directory).map_err(Failure::usage)?;
    if arguments.bless && Environment::of_process().get("CI").is_some() {
        return Err(Failure::usage(anyhow!(
            "--bless: CI is set: expected bytes are written by people, who look at them"
        )));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut all = Vec::new();
    for name in names {
        let start = Instant::now();
        let checked = runtime.block_on(check(&directory, &name, arguments.bless));
        let (faults, goes_with_bless) =
            checked.unwrap_or_else(|error| (vec![format!("{name}: {error:#}")], false));
        print(&faults.join("\n"))?;
        all.push(Checked {
            name,
            faults,
            goes_with_bless,
            took: start.elapsed(),
        });
    }
    if let Some(file) = &arguments.junit {
        let failed = || format!("failed to write {}", file.display());
        let report = junit(&all).to_string().with_context(failed)?;
        fs::write(file, report).with_context(failed)?;
    }
    conclude(&all, &arguments.directory)
}

/// The folder of the scenarios, and their names.
fn scenarios(given: &Path) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let failed = || format!("failed to read {}", given.display());
    let path = fs::canonicalize(given).with_context(failed)?;
    if path.join("scenario.yaml").is_file()
        && let (Some(parent), Some(name)) = (path.parent(), path.file_name())
    {
        let name = name.to_str().context("the name is not UTF-8")?;
        return Ok((parent.to_owned(), vec![name.to_owned()]));
    }
    let names = aside_scenario::names(&path)?;
    if names.is_empty() {
        bail!("{}: no folder in it has a scenario.yaml", given.display());
    }
    Ok((path, names))
}

async fn check(directory: &Path, name: &str, bless: bool) -> anyhow::Result<Faults> {
    let case = Case::read(directory, name)?;
    if bless {
        for blessed in aside_scenario::bless(&case).await? {
            print(&blessed.to_string())?;
            print(&blessed.diff())?;
        }
    }
    let failures = aside_scenario::check(&case).await?;
    let goes_with_bless = failures
        .iter()
        .all(aside_scenario::Failure::goes_with_bless);
    let faults = failures.iter().map(ToString::to_string).collect();
    Ok((faults, goes_with_bless))
}

fn conclude(all: &[Checked], directory: &Path) -> Result<(), Failure> {
    let failed: Vec<_> = all.iter().filter(|it| !it.faults.is_empty()).collect();
    let (count, scenarios) = match all.len() {
        1 => (1, "scenario"),
        count => (count, "scenarios"),
    };
    let bless_helps = failed.iter().any(|it| it.goes_with_bless);
    let failed = failed.len();
    print(&format!("{count} {scenarios}, {failed} failed"))?;
    if failed == 0 {
        return Ok(());
    }
    if !bless_helps {
        return Err(anyhow!("{failed} failed").into());
    }
    let directory = directory.display();
    Err(anyhow!("{failed} failed; if this is right: aside verify {directory} --bless").into())
}

/// Each line of it, so that what a file holds steers no terminal.
fn print(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    output::print([terminal_lines(text).as_bytes(), b"\n"])
}

fn junit(all: &[Checked]) -> Report {
    let mut suite = TestSuite::new("aside verify");
    for checked in all {
        let faults: Vec<String> = checked
            .faults
            .iter()
            .map(|it| terminal_lines(it.strip_suffix('\n').unwrap_or(it)).into_owned())
            .collect();
        let status = match faults.first().and_then(|fault| fault.lines().next()) {
            None => TestCaseStatus::success(),
            Some(first) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(first).set_description(faults.join("\n"));
                status
            }
        };
        let mut case = TestCase::new(one_line(&checked.name), status);
        case.set_classname("aside.verify").set_time(checked.took);
        suite.add_test_case(case);
    }
    let mut report = Report::new("aside verify");
    report.add_test_suite(suite);
    report
}
