//! `aside check`: reports what the API would refuse in a request body.
//!
//! ```text
//! file ─ bodies::each ─> body or recording ─ recording::read ─> body with its headers
//!      ─ check ─> findings ─ report::Report ─> stdout
//! ```
//!
//! The rules come from `aside-rules`. They depend on the API version, the
//! betas, the model and the platform: arguments set them for every body, and a
//! recording adds what its headers and address show. When no rule covers a
//! part, it is printed as "not checked", and this is not a failure.
//!
//! Exit code 0: nothing at a denied level. Exit code 1: at least one such
//! violation. Exit code 2: a file cannot be read to its end; the others are
//! checked all the same.

mod bodies;
mod other_form;
mod recording;
mod report;

use std::path::Path;

use anyhow::anyhow;
use aside_body::wire::{Decision, Hints, Keys, Reason};
use aside_json::{Kind, Tape};
use aside_models::Wire;
use aside_request_logs::LogError;
use aside_rules::{ApiEndpoint, Context, Finding, NotChecked, RuleLevel, check, check_tape, table};

use self::bodies::Stop;
use self::other_form::OtherForm;
use self::recording::{Before, Recorded};
use self::report::Report;
use crate::Failure;
use crate::arguments::{Check, Selected};
use crate::count::count;
use crate::kinds;
use crate::logs;
use crate::output;
use crate::rules::rule_of;

/// How to pass no betas to `--beta`.
const NO_BETA: &str = "none";

/// Checks every file, and prints violations as they are found.
///
/// Only `--deny` levels and `refused` make the command fail, but all levels are
/// printed. A recorded request to another endpoint, such as embeddings, is
/// reported as not checked.
pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let given = given(arguments);
    let hints = Hints {
        wire: arguments.wire.map(Into::into),
        platform: given.platform,
        model: given.model.as_deref(),
        ..Hints::default()
    };
    if let (Some(wire), Some(platform)) = (hints.wire, hints.platform)
        && !platform.wires().contains(&wire)
    {
        let wires: Vec<_> = platform.wires().iter().map(|it| it.as_str()).collect();
        return Err(Failure::usage(anyhow!(
            "--wire {} and --platform {}: this platform has {}",
            wire.as_str(),
            platform.as_str(),
            wires.join(" and ")
        )));
    }
    let mut report = Report::new(arguments.json, Denied::new(arguments));
    let mut unread = None;
    for file in &logs::list(&arguments.files)? {
        let mut before = Before::default();
        let checked = bodies::each(file, &mut |line, text| {
            let read = Read::new(text);
            let Some(recorded) = recording::read(&read.keys, &mut before) else {
                let other_form = other_form::of_body(&read.keys);
                if let Some(form) = other_form.filter(|_| hints.wire.is_none()) {
                    report.skip(not_checked(form));
                    return Ok(());
                }
                return body(&mut report, (file, line), &read, (&hints, &given), None);
            };
            if recorded.is_empty() {
                report.skip(NotChecked::new("log", 1, "it has no whole body".to_owned()));
            }
            each_recorded(&mut report, (file, line), recorded, (&hints, &given))
        });
        match checked {
            Ok(()) => {}
            Err(Stop::Callback(failure)) => return Err(failure),
            Err(Stop::Unreadable(error)) if unread.is_none() => unread = Some(error),
            Err(Stop::Unreadable(error)) => {
                output::report(&kinds::LOG_ENTRY.diagnostic(format!("{error:#}")));
            }
        }
    }
    let total = report.end()?;
    if let Some(error) = unread {
        return Err(Failure::usage(error));
    }
    if total.failures == 0 {
        return Ok(());
    }
    let violations = count(total.failures, "violation", "violations");
    let bodies = count(total.bodies, "body", "bodies");
    Err(anyhow!("{violations} in {bodies}").into())
}

/// Checks recorded requests, and those of the batches among them.
fn each_recorded(
    report: &mut Report,
    (file, line): (&Path, Option<usize>),
    recorded: Vec<Result<Recorded, LogError>>,
    (hints, given): (&Hints<'_>, &Context),
) -> Result<(), Failure> {
    for it in recorded {
        let it = match it {
            Ok(it) => it,
            Err(error) => {
                let error = match line {
                    Some(line) => error.at_line(line),
                    None => error,
                };
                let fault = kinds::LOG_ENTRY.diagnostic(error.to_string());
                output::report(&fault.at(file));
                continue;
            }
        };
        let read = Read::new(&it.body);
        let is_other = it.is_other_endpoint || read.keys.has_messages() == Some(false);
        let line = line.or(it.number);
        match it.other_form.or_else(|| other_form::of_body(&read.keys)) {
            Some(form) => report.skip(not_checked(form)),
            None if is_other => match it.batch(&read.keys) {
                Some(batch) => each_recorded(report, (file, line), batch, (hints, given))?,
                None => not_a_request(file, line),
            },
            None => {
                let context = it.context(given);
                let hints = Hints {
                    address: it.wire,
                    address_platform: it.platform,
                    model: context.model.as_deref(),
                    ..*hints
                };
                let doubled_id = it.doubled_id.as_deref();
                body(report, (file, line), &read, (&hints, &context), doubled_id)?;
            }
        }
    }
    Ok(())
}

/// Reports that a recorded request does not go to a model. `entry` is its
/// number in the file, from 1.
fn not_a_request(file: &Path, entry: Option<usize>) {
    let entry = entry.map_or_else(String::new, |entry| format!("entry {entry}: "));
    let note = kinds::INPUT_FORM.diagnostic(format!("{entry}not checked: no messages in it"));
    output::report(&note.at(file));
}

/// Returns what to count when no rule describes a body's form.
fn not_checked(form: OtherForm) -> NotChecked {
    NotChecked::new("request-form", 1, format!("no rule is known for {form}"))
}

/// A text, read once: a body's keys and its rules use one tape.
struct Read<'a> {
    /// `None` for a text that is not JSON.
    tape: Option<Tape<'a>>,
    keys: Keys<'a>,
}

impl<'a> Read<'a> {
    fn new(text: &'a [u8]) -> Self {
        let tape = Tape::parse(text).ok();
        let keys = tape.as_ref().map_or_else(|| Keys::read(text), Keys::from_tape);
        Self { tape, keys }
    }
}

/// Checks a body, and adds what is found to the report. `doubled_id` is a `custom_id` that an
/// earlier request of the batch has.
fn body(
    report: &mut Report,
    (file, line): (&Path, Option<usize>),
    read: &Read<'_>,
    (hints, context): (&Hints<'_>, &Context),
    doubled_id: Option<&str>,
) -> Result<(), Failure> {
    let decision = read.keys.decide(hints);
    let is_first = report.count_wire(decision);
    report_wire((file, line), &read.keys, decision, is_first);
    let mut checked = match &read.tape {
        Some(tape) if tape.root().kind() == Kind::Object => {
            check_tape(tape, decision.wire, context)
        }
        _ => check(read.keys.body(), decision.wire, context),
    };
    let doubled = |id| {
        Finding::new(&table::DOUBLED_CUSTOM_ID, decision.wire, "custom_id", format!("{id} again"))
    };
    checked.findings.extend(doubled_id.map(doubled));
    Ok(report.add(file, line, &checked)?)
}

/// Reports the wire when it is not the Messages API, of the first body, or when
/// the keys belong to another one.
fn report_wire(
    (file, line): (&Path, Option<usize>),
    keys: &Keys<'_>,
    decision: Decision,
    is_first: bool,
) {
    let Decision { wire, reason, .. } = decision;
    let line = line.map_or_else(String::new, |line| format!("line {line}: "));
    let read = format!("{line}read as {wire} because of {reason}");
    let note = |text: String| output::report(&kinds::INPUT_FORM.diagnostic(text).at(file));
    let may_be_other = wire == Wire::Messages && reason == Reason::Model;
    let shape = if may_be_other { keys.shape() } else { None };
    match shape.filter(|shape| *shape != wire) {
        Some(shape) => {
            let wire = shape.as_str();
            note(format!("{read}; it has keys of {shape}, for which there is --wire {wire}"));
        }
        None if wire != Wire::Messages && is_first => note(read),
        None => output::detail(|| format!("{}: {read}", file.display())),
    }
}

/// Returns what the arguments set for every body. Without `--beta` the betas
/// are unknown, and rules that depend on them do not apply; `--beta none` says
/// that there are none.
fn given(arguments: &Check) -> Context {
    let betas = arguments.betas.iter().map(|beta| beta.trim().to_owned());
    let is_known = !arguments.betas.is_empty();
    let platform = arguments.platform.as_deref();
    Context {
        version: arguments.api_version,
        betas: is_known.then(|| betas.filter(|beta| beta != NO_BETA).collect()),
        model: arguments.model.clone(),
        platform: platform.and_then(|it| it.parse().ok()),
        endpoint: if arguments.count_tokens {
            ApiEndpoint::CountTokens
        } else {
            ApiEndpoint::Messages
        },
    }
}

/// Which findings make the command fail: refused or selected by `--deny`, and
/// not selected by `--allow`.
struct Denied {
    denied: Selection,
    allowed: Selection,
}

/// Levels and rule ids that an option selects.
struct Selection {
    levels: Vec<RuleLevel>,
    rules: Vec<&'static str>,
}

impl Denied {
    fn new(arguments: &Check) -> Self {
        Self { denied: Selection::new(&arguments.deny), allowed: Selection::new(&arguments.allow) }
    }

    fn has(&self, finding: &Finding) -> bool {
        let is_denied = finding.level == RuleLevel::Refused || self.denied.has(finding);
        is_denied && !self.allowed.has(finding)
    }
}

impl Selection {
    fn new(selected: &[Selected]) -> Self {
        let levels = selected.iter().filter_map(|it| match it {
            Selected::Level(level) => Some(*level),
            Selected::Rule(_) => None,
        });
        let rules = selected.iter().filter_map(|it| match it {
            Selected::Level(_) => None,
            Selected::Rule(id) => rule_of(id).map(|rule| rule.id),
        });
        Self { levels: levels.collect(), rules: rules.collect() }
    }

    fn has(&self, finding: &Finding) -> bool {
        self.levels.contains(&finding.level) || self.rules.contains(&finding.rule)
    }
}
