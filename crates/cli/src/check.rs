//! `aside check`: reports what the API would refuse in the body of a request.
//!
//! ```text
//! file ─ bodies::each ─> body or recording ─ recording::read ─> body with its headers
//!      ─ check_body | check_wire ─> violations ─ report::Report ─> stdout
//! ```
//!
//! Bodies of the Messages API are checked by `aside-messages`, those of other wires by
//! `aside-providers`. The rules depend on the API version, the betas, the model and the
//! platform: the arguments set them for every body, and a recording adds what its own
//! headers and address name. A part that no rule covers is printed as "not checked", and
//! is no failure.
//!
//! Exit code 0: no violation of a denied level. Exit code 1: at least one. Exit code 2: a
//! file cannot be read.

mod bodies;
mod other_form;
mod recording;
mod report;
mod rules;

use std::path::Path;

use anyhow::anyhow;
use aside_body::wire::{Decision, Hints, Reason, decide, of_shape};
use aside_messages::{ApiEndpoint, Checked, NotChecked, RuleLevel, Rules, check_body};
use aside_models::{Platform, Wire};
use aside_providers::check_wire;
use serde::Deserialize;
use serde::de::IgnoredAny;

use self::other_form::OtherForm;
use self::recording::Recorded;
use self::report::Report;
use crate::Failure;
use crate::arguments::Check;
use crate::count::count;
use crate::kinds;
use crate::output;

/// The value of `--beta` for no betas.
const NO_BETA: &str = "none";

/// Checks every file, and prints violations as they are found.
///
/// Only the levels of `--deny` and `refused` make the command fail; others are printed
/// all the same. A recorded request to another endpoint, such as one for embeddings, is
/// reported as not checked.
pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    if arguments.rules {
        return Ok(rules::print(arguments.json)?);
    }
    let given = given(arguments);
    let hints = Hints {
        wire: arguments.wire.map(Into::into),
        platform: given.platform,
        model: given.model.as_deref(),
        ..Hints::default()
    };
    let mut report = Report::new(arguments.json, denied(arguments));
    for file in &arguments.files {
        bodies::each(file, &mut |line, text| {
            let Some(recorded) = recording::read(text) else {
                let other_form = other_form::of_body(text);
                if let Some(form) = other_form.filter(|_| hints.wire.is_none()) {
                    report.skip(not_checked(form));
                    return Ok(());
                }
                let decision = decide(text, &hints);
                report.count_wire(decision);
                let checked = checked(file, line, text, decision, &given);
                return Ok(report.add(file, line, &checked)?);
            };
            for it in recorded {
                match it {
                    Ok(Recorded {
                        other_form: Some(form),
                        ..
                    }) => report.skip(not_checked(form)),
                    Ok(it) if !it.is_other_endpoint && is_request(&it.body) => {
                        let (line, rules) = (line.or(it.number), it.rules(&given));
                        let hints = Hints {
                            address: it.wire,
                            address_platform: it.platform,
                            model: rules.model.as_deref(),
                            ..hints
                        };
                        let decision = decide(&it.body, &hints);
                        report.count_wire(decision);
                        let checked = checked(file, line, &it.body, decision, &rules);
                        report.add(file, line, &checked)?;
                    }
                    Ok(it) => not_a_request(file, line.or(it.number)),
                    Err(error) => {
                        let fault = kinds::LOG_ENTRY.diagnostic(error.to_string());
                        output::report(&fault.at(file));
                    }
                }
            }
            Ok(())
        })?;
    }
    let total = report.end()?;
    if total.failures == 0 {
        return Ok(());
    }
    let violations = count(total.failures, "violation", "violations");
    let bodies = count(total.bodies, "body", "bodies");
    Err(anyhow!("{violations} in {bodies}").into())
}

/// Returns true if a recorded body is a request to a model: recordings also
/// have those to other endpoints.
///
/// A body that is not JSON counts as one, so that its check reports the fault.
fn is_request(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Keys {
        /// A request of the Messages API or of Chat Completions.
        messages: Option<IgnoredAny>,
        /// A request of Responses.
        input: Option<IgnoredAny>,
        /// A request of Gemini.
        contents: Option<IgnoredAny>,
    }
    let keys = serde_json::from_slice::<Keys>(body);
    // A body that is not JSON is reported by its check.
    keys.map_or(true, |it| {
        it.messages.is_some() || it.input.is_some() || it.contents.is_some()
    })
}

/// Reports that a recorded request is not one to a model. `entry` is its number in the
/// file, from 1.
fn not_a_request(file: &Path, entry: Option<usize>) {
    let entry = entry.map_or_else(String::new, |entry| format!("entry {entry}: "));
    let note = kinds::INPUT_FORM.diagnostic(format!("{entry}not checked: no messages in it"));
    output::report(&note.at(file));
}

/// Returns the subject that is counted for a body in a form that no rule describes.
fn not_checked(form: OtherForm) -> NotChecked {
    NotChecked::new("request-form", 1, format!("no rule is known for {form}"))
}

/// Checks a body by the rules of its wire, and reports which one that is: always if it
/// is not the Messages API, or if the keys are those of another wire.
fn checked(
    file: &Path,
    line: Option<usize>,
    body: &[u8],
    decision: Decision,
    rules: &Rules,
) -> Checked {
    let Decision { wire, reason, .. } = decision;
    let line = line.map_or_else(String::new, |line| format!("line {line}: "));
    let read = format!("{line}read as {wire} because of {reason}");
    if wire != Wire::Messages {
        output::report(&kinds::INPUT_FORM.diagnostic(read).at(file));
        return check_wire(body, wire, rules);
    }
    match of_shape(body).filter(|shape| *shape != wire) {
        Some(shape) if reason == Reason::Model => {
            let wire = shape.as_str();
            let hint = format!("{read}; it has keys of {shape}, for which there is --wire {wire}");
            output::report(&kinds::INPUT_FORM.diagnostic(hint).at(file));
        }
        _ => output::detail(|| format!("{}: {read}", file.display())),
    }
    check_body(body, rules)
}

/// Returns the rules that the arguments set for every body. Without `--beta`, the betas
/// are unknown, and rules that depend on them do not apply; `--beta none` states that
/// there are none.
fn given(arguments: &Check) -> Rules {
    let betas = arguments.betas.iter().map(|beta| beta.trim().to_owned());
    let is_known = !arguments.betas.is_empty();
    let platform = arguments.platform.as_deref();
    Rules {
        version: arguments.api_version.map(Into::into),
        betas: is_known.then(|| betas.filter(|beta| beta != NO_BETA).collect()),
        model: arguments.model.clone(),
        platform: platform.and_then(Platform::from_name),
        endpoint: match arguments.count_tokens {
            true => ApiEndpoint::CountTokens,
            false => ApiEndpoint::Messages,
        },
    }
}

/// Returns the levels that make the command fail: `refused`, and those of `--deny`.
fn denied(arguments: &Check) -> Vec<RuleLevel> {
    let is_denied = |level: &RuleLevel| {
        *level == RuleLevel::Refused || arguments.deny.iter().any(|it| it == level.as_str())
    };
    RuleLevel::ALL.into_iter().filter(is_denied).collect()
}
