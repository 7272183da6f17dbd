//! `aside verify`: checks the golden scenarios of a repository, as `docs/verify.md`
//! describes them.
//!
//! `aside-scenario` plays each scenario and compares the bytes of its requests with the
//! files next to it. With `--bless` these files are written first, and their changes are
//! printed. Nothing is sent.
//!
//! ```text
//! aside: error: 1 failed; if the change is intended: aside verify --bless
//! ```
//!
//! A change of one instruction file often changes every scenario. So a fault is printed
//! once, with the first scenario that has it, and the others with the same cause are
//! listed at the end.
//!
//! Exit code 0: no scenario failed. Exit code 1: at least one. Exit code 2: there are no
//! scenarios, or `--bless` is used in CI: expected bytes are to be reviewed by a person.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use aside_host::EnvVars;
use aside_scenario::Case;
use aside_text::{one_line, terminal_lines};
use quick_junit::{Report, TestCase};
use serde::Serialize;

use crate::Failure;
use crate::arguments::Verify;
use crate::counter::Counter;
use crate::interrupt;
use crate::junit::{report, status};
use crate::kinds;
use crate::output;

/// The result of a scenario.
///
/// ```json
/// {"name": "first", "failures": ["first: .aside/scenarios/first/request-1.txt is missing"],
///  "warnings": []}
/// ```
#[derive(Serialize)]
struct Checked {
    /// The name of its folder.
    name: String,
    /// The differences from the expected files, each a text with a diff.
    #[serde(rename = "failures")]
    faults: Vec<String>,
    /// Warnings about the scenario, which fail nothing.
    warnings: Vec<String>,
    /// For each fault, a text that is the same for the same cause in another scenario.
    #[serde(skip)]
    causes: Vec<String>,
    /// The files that `--bless` wrote or removed.
    #[serde(skip)]
    blessed: Vec<String>,
    /// True if blessing removes all faults.
    #[serde(skip)]
    goes_with_bless: bool,
    /// The time of the check, for the JUnit report.
    #[serde(skip)]
    took: Duration,
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// All scenarios, in the order of their names.
    scenarios: &'a [Checked],
    /// The files that `--bless` wrote or removed, in all scenarios.
    blessed: Vec<&'a str>,
    /// The number of scenarios with a failure.
    failed: usize,
}

/// The folder of the scenarios, unless another one is given.
const DEFAULT: &str = ".aside/scenarios";

/// The maximum number of names of scenarios that are listed for one cause.
const MAX_LISTED_NAMES: usize = 10;

/// Checks the scenarios one after the other, and prints faults as they are found.
///
/// A scenario that cannot be read or played is a fault of this scenario, and the others
/// are checked nevertheless. The report of `--junit` is written in every case.
///
/// # Errors
/// Fails with exit code 1 if a scenario has a fault, with the hint at `--bless` if that
/// would remove one of them.
pub(crate) fn run(arguments: &Verify) -> Result<(), Failure> {
    let (directory, names) = scenarios(&arguments.directory).map_err(Failure::usage)?;
    if arguments.bless && EnvVars::of_process().get("CI").is_some() {
        return Err(Failure::usage(anyhow!(
            "--bless: CI is set: expected bytes are written by people, who look at them"
        )));
    }
    let mut all: Vec<Checked> = Vec::new();
    let paths = ShownPaths::new();
    let mut counter = Counter::new("scenarios");
    for name in names {
        let start = Instant::now();
        let mut checked = Checked::new(name);
        let result = interrupt::block_on(checked.check(&directory, arguments, &paths))?;
        if let Err(error) = result {
            let fault = format!("{}: {error:#}", checked.name);
            checked.causes.push(fault.clone());
            checked.faults.push(fault);
            checked.goes_with_bless = false;
        }
        counter.add();
        if !checked.faults.is_empty() || !checked.warnings.is_empty() {
            counter.clear();
        }
        for fault in checked.faults.iter_mut().chain(&mut checked.warnings) {
            *fault = paths.shorten(fault);
        }
        if !arguments.json {
            for warning in &checked.warnings {
                output::report(&kinds::SCENARIO_REPOSITORY.diagnostic(warning));
            }
            print_new(&checked, &all)?;
        }
        checked.took = start.elapsed();
        all.push(checked);
    }
    drop(counter);
    if arguments.json {
        print_json(&all)?;
    } else {
        print(&same_causes(&all))?;
    }
    if let Some(file) = &arguments.junit {
        let failed = || format!("failed to write {}", file.display());
        let report = junit(&all).to_string().with_context(failed)?;
        fs::write(file, report).with_context(failed)?;
    }
    conclude(&all, arguments)
}

/// Returns the folder of the scenarios, and their names. `given` is that folder, or the
/// folder of one scenario.
///
/// # Errors
/// Fails if the folder does not exist, or none of its folders has a `scenario.yaml`.
fn scenarios(given: &Path) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let failed = || {
        let hint = match given == Path::new(DEFAULT) {
            true => " (aside init writes a first scenario)",
            false => "",
        };
        format!("failed to read {}{hint}", given.display())
    };
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

impl Checked {
    /// Returns a result without faults.
    fn new(name: String) -> Self {
        Self {
            name,
            faults: Vec::new(),
            warnings: Vec::new(),
            causes: Vec::new(),
            blessed: Vec::new(),
            goes_with_bless: true,
            took: Duration::ZERO,
        }
    }

    /// Reads and plays the scenario, after writing its expected files with `--bless`. An
    /// error is a scenario that cannot be read or played; differences are added to
    /// `faults`.
    async fn check(
        &mut self,
        directory: &Path,
        arguments: &Verify,
        paths: &ShownPaths,
    ) -> anyhow::Result<()> {
        let case = Case::read(directory, &self.name)?;
        self.warnings = aside_scenario::warnings(&case);
        if arguments.bless {
            for blessed in aside_scenario::bless(&case).await? {
                self.blessed
                    .push(paths.shorten(&blessed.path.display().to_string()));
                if !arguments.json {
                    print(&paths.shorten(&blessed.to_string()))?;
                    print(&blessed.diff())?;
                }
            }
        }
        for failure in aside_scenario::check(&case).await? {
            self.goes_with_bless &= failure.goes_with_bless();
            self.causes.push(failure.cause());
            self.faults.push(failure.to_string());
        }
        Ok(())
    }
}

/// Paths as a user of this directory writes them. The field is the directory with a slash
/// at its end, if there is one.
struct ShownPaths(Option<String>);

impl ShownPaths {
    /// Finds the current directory, links resolved.
    fn new() -> Self {
        let cwd = fs::canonicalize(".").ok();
        Self(cwd.map(|cwd| format!("{}/", cwd.display())))
    }

    /// Returns a text in which the paths below the current directory are relative.
    fn shorten(&self, text: &str) -> String {
        match &self.0 {
            Some(cwd) if cwd != "/" => text.replace(cwd.as_str(), ""),
            _ => text.to_owned(),
        }
    }
}

/// Prints the faults with causes that no earlier scenario had, so that a change that all
/// have is printed once.
fn print_new(checked: &Checked, before: &[Checked]) -> anyhow::Result<()> {
    for (fault, cause) in checked.faults.iter().zip(&checked.causes) {
        if !before.iter().any(|it| it.causes.contains(cause)) {
            print(fault)?;
        }
    }
    Ok(())
}

/// Returns a line for each cause that more than one scenario has.
///
/// ```text
/// the same change in 3 scenarios: first, resume, compaction
/// ```
fn same_causes(all: &[Checked]) -> String {
    let mut causes: Vec<(&str, Vec<&str>)> = Vec::new();
    for checked in all {
        for cause in &checked.causes {
            match causes.iter_mut().find(|(known, _)| known == cause) {
                Some((_, names)) if names.last() == Some(&checked.name.as_str()) => {}
                Some((_, names)) => names.push(&checked.name),
                None => causes.push((cause, vec![&checked.name])),
            }
        }
    }
    let several = causes.iter().filter(|(_, names)| names.len() > 1);
    let lines = several.map(|(_, names)| {
        let others = &names[1..];
        let listed = others[..others.len().min(MAX_LISTED_NAMES)].join(", ");
        let more = match others.len() > MAX_LISTED_NAMES {
            true => ", …",
            false => "",
        };
        let count = names.len();
        format!(
            "the same change in {count} scenarios: {}, {listed}{more}\n",
            names[0]
        )
    });
    lines.collect()
}

/// Prints the document of all scenarios.
fn print_json(all: &[Checked]) -> anyhow::Result<()> {
    let blessed = all
        .iter()
        .flat_map(|it| it.blessed.iter().map(String::as_str));
    let document = Document {
        scenarios: all,
        blessed: blessed.collect(),
        failed: all.iter().filter(|it| !it.faults.is_empty()).count(),
    };
    let json = serde_json::to_string_pretty(&document)? + "\n";
    output::print([json.as_bytes()])
}

/// Prints the totals, and returns the failure of the command, if there is one.
fn conclude(all: &[Checked], arguments: &Verify) -> Result<(), Failure> {
    let failed: Vec<_> = all.iter().filter(|it| !it.faults.is_empty()).collect();
    let (count, scenarios) = match all.len() {
        1 => (1, "scenario"),
        count => (count, "scenarios"),
    };
    let bless_helps = failed.iter().any(|it| it.goes_with_bless);
    let failed = failed.len();
    if !arguments.json {
        print(&format!("{count} {scenarios}, {failed} failed"))?;
    }
    if failed == 0 {
        return Ok(());
    }
    if !bless_helps {
        return Err(anyhow!("{failed} failed").into());
    }
    let directory = match arguments.directory == Path::new(DEFAULT) {
        true => String::new(),
        false => format!(" {}", arguments.directory.display()),
    };
    Err(
        anyhow!("{failed} failed; if the change is intended: aside verify{directory} --bless")
            .into(),
    )
}

/// Prints each line with terminal control characters escaped.
fn print(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    output::print([terminal_lines(text).as_bytes(), b"\n"])
}

/// Returns a report with a test for each scenario, whose message is the first line of its
/// first fault.
fn junit(all: &[Checked]) -> Report {
    let cases = all.iter().map(|checked| {
        let faults: Vec<String> = checked
            .faults
            .iter()
            .map(|it| terminal_lines(it.strip_suffix('\n').unwrap_or(it)).into_owned())
            .collect();
        let first = faults.first().and_then(|fault| fault.lines().next());
        let mut status = status(first);
        if first.is_some() {
            status.set_description(faults.join("\n"));
        }
        let mut case = TestCase::new(one_line(&checked.name), status);
        case.set_time(checked.took);
        case
    });
    report("aside verify", cases)
}
