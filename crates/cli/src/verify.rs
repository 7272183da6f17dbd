//! `aside verify`: checks a repository's golden scenarios, as `docs/verify.md`
//! describes.
//!
//! `aside-scenario` plays each scenario and compares its request bytes to the
//! files next to it. Differences are printed as distinct changes, the rarest
//! first: when an instruction file changes, every scenario often changes with
//! it, and this must not hide the one change that nobody wanted. `--accept`,
//! `--bless` and answers to `--review` write files. Nothing is sent.
//!
//! ```text
//! aside: error: 1 failed; to accept the changes: aside verify --review, or --bless
//! ```
//!
//! Exit code 0: no scenario failed. Exit code 1: at least one. Exit code 2:
//! there are no scenarios, or files would be written in CI: a person has to
//! review expected bytes.

mod without_scenario;

use std::fs;
use std::io::{IsTerminal, stderr, stdin};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use aside_host::EnvVars;
use aside_scenario::{
    Accepted, Baseline, Case, CaseFailure, Checked as Played, Checkout, Fault, Review, Scope,
    TeamReview,
};
use aside_text::{one_line, shell_word, terminal_lines, without_ci_commands};
use quick_junit::{Report, TestCase};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Failure;
use crate::arguments::Verify;
use crate::count::count;
use crate::counter::Counter;
use crate::init::plan;
use crate::interrupt;
use crate::junit::{report, status, write};
use crate::kinds;
use crate::output;
use crate::paint::{Paint, Tone};

/// A scenario's result.
///
/// ```json
/// {"name": "first", "failures": ["first: .aside/scenarios/first/request-1.txt is missing"],
///  "warnings": []}
/// ```
#[derive(Serialize)]
struct Checked {
    /// Its folder's name.
    name: String,
    /// How it differs from the expected files, each as a text with a diff.
    #[serde(rename = "failures")]
    faults: Vec<String>,
    /// Warnings about the scenario, which fail nothing.
    warnings: Vec<String>,
    /// How long the check took, for the JUnit report.
    #[serde(skip)]
    took: Duration,
}

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    /// All scenarios, sorted by name.
    scenarios: &'a [Checked],
    /// Distinct changes, the rarest first, including accepted ones.
    changes: &'a RawValue,
    /// Which files were written or removed: `wrote FILE`.
    blessed: &'a [String],
    /// How many scenarios have a failure.
    failed: usize,
    /// What changed since a revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<&'a TeamReview>,
}

/// Where to look for scenarios, unless you name a folder.
const DEFAULT: &str = ".aside/scenarios";

/// Checks the scenarios one by one, then prints their changes.
///
/// When a scenario cannot be read or played, this is its own fault, and the
/// others are still checked. The `--junit` report is always written.
///
/// # Errors
/// Fails with exit code 1 when a scenario has a fault, with a hint to use
/// `--bless` when this would remove one of them.
pub(crate) fn run(arguments: &Verify) -> Result<(), Failure> {
    let (directory, names, scope) = scenarios(&arguments.directory).map_err(Failure::usage)?;
    if arguments.accepted().is_some() && EnvVars::of_process().get("CI").is_some() {
        return Err(Failure::usage(anyhow!(
            "CI is set, so nothing is accepted: run this on your machine, review the diff and commit it"
        )));
    }
    if arguments.base().is_some() && arguments.accept.is_some() {
        return Err(Failure::usage(anyhow!(
            "--accept: the changes since a revision are shown, not written"
        )));
    }
    if arguments.max_tokens_added.is_some() && arguments.base().is_none() {
        return Err(Failure::usage(anyhow!(
            "--max-tokens-added: expected a revision to compare with, such as --review main"
        )));
    }
    let checkout = arguments.base().map(|base| Checkout::new(&directory, base));
    let checkout = checkout.transpose().map_err(Failure::usage)?;
    let (mut all, mut played) = play(names, &directory, arguments)?;
    if let Some(checkout) = checkout {
        let review = TeamReview::new(&directory, &played, scope, &checkout);
        let mut review = interrupt::block_on(review)?;
        let is_played = |it: &&Checked| played.iter().any(|case| case.case().name == it.name);
        let failed = all.iter().filter(|it| !is_played(it));
        review.notes.extend(failed.flat_map(|it| it.faults.iter().cloned()));
        if scope == Scope::All {
            let absent = without_scenario::files(&directory, &played, Some(&checkout))?;
            review.without_scenario = absent.into_files();
        }
        return since(&review, all, arguments);
    }
    let scope = if played.len() == all.len() { scope } else { Scope::Some };
    if scope == Scope::All {
        without_scenario::files(&directory, &played, None)?.report();
    }
    let writes = arguments.accepted().is_some() || arguments.review.is_some();
    let scope = if writes { add_others(&directory, &mut played, scope)? } else { scope };
    let names: Vec<_> = all.iter().map(|it| it.name.clone()).collect();
    let review = Review::of(&directory, &played, scope, &Baseline::Files).only(&names);
    let changes = serde_json::value::to_raw_value(&review.changes)?;
    for checked in &mut all {
        for warning in review.warnings_of(&checked.name) {
            if !arguments.json {
                output::report(&kinds::SCENARIO_LINE_ENDS.diagnostic(&warning));
            }
            checked.warnings.push(warning);
        }
    }
    let (blessed, review) = settle(review, arguments)?;
    let mut bless_helps = false;
    for checked in &mut all {
        bless_helps |= checked.faults.is_empty() && review.has_case(&checked.name);
        checked.faults.extend(review.of_case(&checked.name));
    }
    let texts = review.of_texts();
    if !texts.is_empty() {
        // No scenario can have this name: it is taken by the shared folder.
        let mut common = Checked::new("texts".to_owned());
        common.faults = texts;
        bless_helps = true;
        all.push(common);
    }
    if arguments.json {
        print_json(&all, &changes, &blessed, None)?;
    }
    write_junit(&all, arguments)?;
    let is_report =
        |it: &CaseFailure| matches!(it.fault, Fault::Diagnostic(_) | Fault::Unreported(_));
    let reports = played.iter().any(|case| case.failures.iter().any(is_report));
    conclude(&all, arguments, Hints { bless_helps, reports })
}

/// Prints what changed since a revision.
///
/// # Errors
/// Fails with exit code 1 when a scenario cannot be played, or when requests
/// grow by more tokens than the user allows.
fn since(review: &TeamReview, mut all: Vec<Checked>, arguments: &Verify) -> Result<(), Failure> {
    let mut errors: Vec<String> = match failed(&all) {
        0 => Vec::new(),
        failed => vec![format!("{failed} failed")],
    };
    let most = arguments.max_tokens_added.unwrap_or(u64::MAX);
    for (request, tokens) in review.grown(most) {
        let fault = format!(
            "{request} grows by about {tokens} tokens: expected at most {most} (--max-tokens-added)"
        );
        let of_request = |it: &&mut Checked| request.starts_with(&format!("{}/", it.name));
        let grown = all.iter_mut().find(of_request);
        grown.into_iter().for_each(|it| it.faults.push(fault.clone()));
        errors.push(fault);
    }
    if arguments.json {
        let changes = serde_json::value::to_raw_value(&review.changes.changes)?;
        print_json(&all, &changes, &[], Some(review))?;
    } else {
        // Markdown for a pull request, whose lines must not be broken.
        let markdown = review.markdown();
        let markdown = terminal_lines(&markdown);
        output::print([without_ci_commands(markdown.trim_end()).as_bytes(), b"\n"])?;
    }
    write_junit(&all, arguments)?;
    if errors.is_empty() { Ok(()) } else { Err(anyhow!(errors.join("; ")).into()) }
}

/// Writes the `--junit` report.
fn write_junit(all: &[Checked], arguments: &Verify) -> anyhow::Result<()> {
    let file = arguments.junit.as_ref();
    file.map_or(Ok(()), |file| write(file, &junit(all)))
}

/// Prints the changes, and writes the accepted ones. Returns a line for each
/// written file, and which changes are left.
fn settle(review: Review, arguments: &Verify) -> Result<(Vec<String>, Review), Failure> {
    let is_text = !arguments.json;
    let is_ci = EnvVars::of_process().get("CI").is_some();
    let is_asked = arguments.review == Some(None) && arguments.accept.is_none() && is_text;
    let asks = is_asked && !is_ci && stdin().is_terminal();
    if is_text && !asks && !review.is_empty() {
        print(&review.to_string())?;
    }
    let accepted = match arguments.accepted() {
        None if asks => Some(review.ask(&mut stdin().lock(), &mut stderr())?),
        accepted => accepted.map(Accepted::parse),
    };
    let Some(accepted) = accepted else {
        return Ok((Vec::new(), review));
    };
    let settled = review.accept(&accepted).map_err(Failure::usage)?;
    let blessed = settled.done;
    if is_text && !blessed.is_empty() {
        print(format!("{}\n\n{}", blessed.join("\n"), settled.paragraph).trim_end())?;
    }
    if is_text && !settled.left.is_empty() {
        print(&settled.left.open())?;
    }
    Ok((blessed, settled.left))
}

/// Plays the scenarios. Prints their warnings, and which laws they break.
fn play(
    names: Vec<String>,
    directory: &Path,
    arguments: &Verify,
) -> Result<(Vec<Checked>, Vec<Played>), Failure> {
    let (mut all, mut played) = (Vec::new(), Vec::new());
    let mut counter = Counter::new("scenarios");
    for name in names {
        let start = Instant::now();
        let mut checked = Checked::new(name);
        match interrupt::block_on(checked.check(directory, arguments))? {
            Ok(case) => {
                let failures = case.failures.iter().map(ToString::to_string);
                checked.faults.extend(failures);
                played.push(case);
            }
            Err(error) => checked.faults.push(format!("{}: {error:#}", checked.name)),
        }
        counter.add();
        if !checked.faults.is_empty() || !checked.warnings.is_empty() {
            counter.clear();
        }
        if !arguments.json {
            for warning in &checked.warnings {
                output::report(&kinds::SCENARIO_REPOSITORY.diagnostic(warning));
            }
            print_failure(&checked.faults.join("\n"))?;
        }
        checked.took = start.elapsed();
        all.push(checked);
    }
    Ok((all, played))
}

/// Plays the scenarios that are not named: which texts are common depends on
/// all of them, so accepting the changes of one may change files of others.
fn add_others(directory: &Path, played: &mut Vec<Played>, scope: Scope) -> Result<Scope, Failure> {
    let mut names = aside_scenario::names(directory)?;
    names.retain(|name| played.iter().all(|it| it.case().name != *name));
    let mut scope = if names.is_empty() { scope } else { Scope::All };
    for name in names {
        let case = async { aside_scenario::unchecked(&Case::read(directory, &name)?).await };
        match interrupt::block_on(case)? {
            Ok(case) => played.push(case),
            Err(_) => scope = Scope::Some,
        }
    }
    Ok(scope)
}

/// Returns the scenarios' folder, their names, and whether these are all.
/// `given` is this folder, or one scenario's folder. Without the usual folder
/// here, it is that of the repository, where `aside init` writes it. A folder
/// below the current directory is relative to it, and so are paths in messages.
///
/// # Errors
/// Fails when the folder does not exist, when it is below its directory and a
/// link leads outside, or when no folder in it has a `scenario.yaml`.
fn scenarios(given: &Path) -> anyhow::Result<(PathBuf, Vec<String>, Scope)> {
    let is_usual = given == Path::new(DEFAULT);
    let failed = || {
        let hint = if is_usual { " (aside init writes scenarios)" } else { "" };
        format!("failed to read {}{hint}", given.display())
    };
    let here = fs::canonicalize(".").context("failed to use . as the working directory")?;
    let is_elsewhere = is_usual && given.symlink_metadata().is_err();
    let root = plan::repository(&here).filter(|_| is_elsewhere).unwrap_or(&here);
    let path = fs::canonicalize(root.join(given)).with_context(failed)?;
    let shown = |path: &Path| match path.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => path.to_owned(),
    };
    let is_below = given.components().all(|it| matches!(it, Component::Normal(_)));
    if is_below && !path.starts_with(root) {
        let place = if is_elsewhere { "the repository" } else { "this directory" };
        bail!("{}: a link leads out of {place}", given.display());
    }
    if path.join("scenario.yaml").symlink_metadata().is_ok()
        && let (Some(parent), Some(name)) = (path.parent(), path.file_name())
    {
        let name = name.to_str().context("the name is not UTF-8")?;
        return Ok((shown(parent), vec![name.to_owned()], Scope::Some));
    }
    let path = shown(&path);
    let names = aside_scenario::names(&path)?;
    if names.is_empty() {
        bail!("{}: no folder in it has a scenario.yaml", given.display());
    }
    Ok((path, names, Scope::All))
}

impl Checked {
    /// Returns a result without faults.
    fn new(name: String) -> Self {
        Self { name, faults: Vec::new(), warnings: Vec::new(), took: Duration::ZERO }
    }

    async fn check(&mut self, directory: &Path, arguments: &Verify) -> anyhow::Result<Played> {
        let case = Case::read(directory, &self.name)?;
        let played = match arguments.base() {
            // A review compares; a run without it checks the laws.
            Some(_) => aside_scenario::unchecked(&case).await?,
            None => aside_scenario::check(&case).await?,
        };
        self.warnings = aside_scenario::warnings(&played);
        Ok(played)
    }
}

fn failed(all: &[Checked]) -> usize {
    all.iter().filter(|it| !it.faults.is_empty()).count()
}

fn print_json(
    all: &[Checked],
    changes: &RawValue,
    blessed: &[String],
    review: Option<&TeamReview>,
) -> anyhow::Result<()> {
    output::json(&Document { scenarios: all, changes, blessed, failed: failed(all), review })
}

/// What to do about failures.
#[derive(Clone, Copy)]
struct Hints {
    /// To bless removes at least one.
    bless_helps: bool,
    /// A session reports other diagnostics than its scenario expects.
    reports: bool,
}

/// Prints the totals, and returns the command's failure, if any.
fn conclude(all: &[Checked], arguments: &Verify, hints: Hints) -> Result<(), Failure> {
    let failed = failed(all);
    if !arguments.json {
        let scenarios = count(all.len() as u64, "scenario", "scenarios");
        let totals = format!("{scenarios}, {failed} failed");
        if failed == 0 {
            print(&totals)?;
        } else {
            print_failure(&totals)?;
        }
    }
    if failed == 0 {
        return Ok(());
    }
    let mut error = format!("{failed} failed");
    if hints.reports {
        error.push_str(
            "; what a scenario reports is not blessed: edit `diagnostics` in its scenario.yaml",
        );
    }
    if !hints.bless_helps {
        return Err(anyhow!(error).into());
    }
    let directory = if arguments.directory == Path::new(DEFAULT) {
        String::new()
    } else {
        let directory = arguments.directory.to_string_lossy();
        // A dash would begin an option.
        let here = if directory.starts_with('-') { "./" } else { "" };
        format!(" {}", shell_word(&format!("{here}{directory}")))
    };
    error.push_str(&format!(
        "; to accept the changes: aside verify{directory} --review, or --bless"
    ));
    Err(anyhow!(error).into())
}

/// Prints a failed scenario's lines in the colour for faults.
fn print_failure(text: &str) -> anyhow::Result<()> {
    let paint = Paint::of_stdout();
    let lines = text.lines().map(|line| match &*terminal_lines(line) {
        "" => "\n".to_owned(),
        line => paint.text(Tone::Fault, line) + "\n",
    });
    output::lines(&lines.collect::<String>())
}

/// Prints each line with terminal control characters escaped.
fn print(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    output::lines(&(terminal_lines(text) + "\n"))
}

/// Returns a report with a test per scenario. Its message is the first line of
/// its first fault.
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
