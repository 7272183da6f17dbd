//! The laws of a case: its bytes repeat within one process, each request
//! continues the one before it, and its diagnostics are the expected ones.
//! Whether the bytes are the expected ones is up to the review.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use anyhow::Result;
use aside_cache_split::GLOBAL_SCOPE_BETA;
use aside_messages::lower::PrefixReset;
use aside_messages::one_line;
use aside_messages::wire::{ReadError, Request};
use aside_models::{Platform, Wire, find_on};
use aside_rules::{Context, Finding, RuleLevel};
use aside_session::Prepared;

use crate::binding;
use crate::case::Case;
use crate::mismatch::Mismatch;
use crate::play::{DescribedFile, Played, play};
use crate::readable::{SourcedLine, pinned, sourced_lines};
use crate::reported::Reported;
use crate::sourced::SourcedBody;

/// How many sessions to make from fresh values in one process: enough to detect
/// the order of a hash map, which differs between instances.
const REPETITIONS: usize = 8;

/// How a case failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{case}: {fault}")]
pub struct CaseFailure {
    /// The case.
    pub case: String,
    /// The fault.
    pub fault: Fault,
}

/// What is wrong with a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There are no turns.
    #[error("the scenario has no turns")]
    NoTurns,
    /// `pin` is an empty list, so nothing is compared.
    #[error(
        "`pin` is empty, so nothing is compared: expected kinds of text, such as \
         `pin: [instruction_files]`"
    )]
    NoPins,
    /// The same session, made again, has other bytes.
    #[error("request {0} differs when it is made again: {1}")]
    NotDeterministic(usize, Mismatch),
    /// A request does not continue the one before it.
    #[error("request {0} does not continue the one before it: {1}")]
    NotAPrefix(usize, Mismatch),
    /// Thinking in the previous response would be refused: the prefix under
    /// which it was produced is sent in another form.
    #[error("request {0} breaks the thinking of the answer before it: {1}")]
    NotBound(usize, String),
    /// The encoder and serde disagree, or the bytes change when they are read
    /// and written.
    #[error("request {0} differs when it is written by serde: {1}")]
    NotCanonical(usize, Mismatch),
    /// The bytes are not a request.
    #[error("request {0} cannot be read: {1}")]
    Unreadable(usize, ReadError),
    /// The API would refuse the request.
    #[error("request {0} would be refused: {1}")]
    Refused(usize, Finding),
    /// The session reported a diagnostic that the scenario does not expect.
    #[error("reported: {} (if this is expected, add it to `diagnostics`)", one_line(&.0.to_string()))]
    Diagnostic(Reported),
    /// The session did not report a diagnostic that the scenario expects.
    #[error("not reported: {} (if this is expected, remove it from `diagnostics`)", one_line(.0))]
    Unreported(String),
    /// The last turn was refused, or not, against the expectation.
    #[error(
        "the last turn is refused for {}, expected {}",
        or_none(found.as_deref()),
        or_none(expected.as_deref())
    )]
    Refusal {
        /// The expected reason.
        expected: Option<String>,
        /// The actual reason.
        found: Option<String>,
    },
    /// A prefix reset has another reason than expected, or is not expected.
    #[error(
        "request {request} resets the prefix for {}, expected {}",
        or_none(*found),
        or_none(expected.as_deref()).escape_debug()
    )]
    PrefixReset {
        /// Which request, counted from 1.
        request: usize,
        /// The expected reason.
        expected: Option<String>,
        /// The actual reason.
        found: Option<&'static str>,
    },
}

/// A case that was played.
pub struct Checked {
    pub(crate) case: Case,
    /// The broken laws; none means that all hold.
    pub failures: Vec<CaseFailure>,
    /// What the session reported.
    pub(crate) diagnostics: Vec<Reported>,
    pub(crate) requests: Vec<MadeRequest>,
    skipped: BTreeSet<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct MadeRequest {
    pub(crate) body: SourcedBody,
    pub(crate) lines: Vec<SourcedLine>,
    /// The texts to compare, if the case pins some.
    pub(crate) pinned: Option<String>,
    /// The skills and agents that it may list.
    pub(crate) described: Vec<DescribedFile>,
}

impl Checked {
    /// Returns the case.
    #[must_use]
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Returns the instruction files whose texts are in its requests, relative
    /// to the repository.
    #[must_use]
    pub fn instruction_files(&self) -> BTreeSet<&str> {
        self.requests.iter().flat_map(MadeRequest::files).collect()
    }

    /// Returns true if its session has an instruction file, relative to the repository, or found
    /// and skipped it, such as an excluded one.
    #[must_use]
    pub fn knows_file(&self, path: &str) -> bool {
        self.skipped.contains(path) || self.instruction_files().contains(path)
    }

    /// Returns the files that describe the skills and agents in its requests,
    /// relative to the repository.
    pub fn described_files(&self) -> impl Iterator<Item = &str> {
        self.requests.iter().flat_map(|it| &it.described).map(|it| it.path.as_str())
    }

    /// Returns true if its session makes the request in this file.
    pub(crate) fn has_made(&self, path: &Path) -> bool {
        let mut requests = 1..=self.requests.len();
        requests.any(|it| {
            [self.case.expected_path(it), self.case.text_path(it)].iter().any(|it| it == path)
        })
    }

    /// Returns the ids of the reminders that are in its requests.
    #[must_use]
    pub fn reminders(&self) -> BTreeSet<&str> {
        let lines = self.requests.iter().flat_map(|it| &it.lines);
        let ids = lines.filter_map(|it| it.label.strip_prefix("reminder "));
        ids.collect()
    }
}

impl MadeRequest {
    /// Returns the instruction files whose texts it has.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let files = self.lines.iter().filter(|it| it.is_file);
        files.map(|it| it.label.as_str())
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checked")
            .field("case", &self.case.name)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

/// Plays a case and checks every law.
///
/// # Errors
///
/// The scenario cannot be played, or a file cannot be read.
pub async fn check(case: &Case) -> Result<Checked> {
    let (played, mut checked) = make(case).await?;
    let made = played.bytes();
    let mut faults = Vec::new();
    if case.is_empty() {
        faults.push(Fault::NoTurns);
    }
    if case.scenario.pin.as_ref().is_some_and(Vec::is_empty) {
        faults.push(Fault::NoPins);
    }
    let global = case.scenario.global_scope == Some(true);
    let context = Context {
        betas: Some(global.then(|| GLOBAL_SCOPE_BETA.to_owned()).into_iter().collect()),
        ..Context::default()
    };
    let provider = case.scenario.provider;
    let service = provider.map_or(Platform::FirstParty, |it| it.spec().platform);
    faults.extend(laws(&played, &context, service));
    for _ in 1..REPETITIONS {
        if let Some((request, mismatch)) = first_difference(&made, &played.again(case).await?) {
            faults.push(Fault::NotDeterministic(request, mismatch));
            break;
        }
    }
    faults.extend(resets(&case.scenario.resets, &played));
    faults.extend(reports(&case.scenario.diagnostics, &played.diagnostics));
    let (expected, found) = (&case.scenario.refused, &played.refused);
    if expected != found {
        faults.push(Fault::Refusal { expected: expected.clone(), found: found.clone() });
    }
    let failure = |fault| CaseFailure { case: case.name.clone(), fault };
    checked.failures = faults.into_iter().map(failure).collect();
    Ok(checked)
}

/// Plays a case without checking a law.
///
/// # Errors
///
/// Those of [`check`].
pub async fn unchecked(case: &Case) -> Result<Checked> {
    Ok(make(case).await?.1)
}

/// Plays a case, and finds where its requests' bytes come from.
async fn make(case: &Case) -> Result<(Played, Checked)> {
    let played = play(case).await?;
    let pins = case.scenario.pin.as_deref();
    let requests = played.bodies().into_iter().zip(&played.described).map(|(body, described)| {
        let lines = sourced_lines(&body, &played.files, pins.unwrap_or_default());
        let pinned = pins.map(|_| pinned(&lines, described));
        MadeRequest { pinned, body, lines, described: described.clone() }
    });
    let checked = Checked {
        case: case.clone(),
        failures: Vec::new(),
        diagnostics: played.diagnostics.clone(),
        requests: requests.collect(),
        skipped: played.skipped.clone(),
    };
    Ok((played, checked))
}

/// Returns diagnostics that are reported and not expected, and those expected
/// and not reported.
///
/// Notes need not be expected. The order does not matter.
fn reports(expected: &[String], found: &[Reported]) -> Vec<Fault> {
    // A note is information, such as how a reminder is delivered.
    let is_surplus = |it: &&Reported| !expected.iter().any(|line| it.is(line)) && !it.is_note();
    let surplus = found.iter().filter(is_surplus).cloned();
    let missing = expected.iter().filter(|line| !found.iter().any(|it| it.is(line))).cloned();
    let surplus = surplus.map(Fault::Diagnostic);
    surplus.chain(missing.map(Fault::Unreported)).collect()
}

/// Returns the prefix resets that differ from the expected ones.
fn resets(expected: &BTreeMap<usize, String>, played: &Played) -> Vec<Fault> {
    let requests = played.requests().zip(1..);
    let is_made = |request: usize| (1..=played.requests().count()).contains(&request);
    let unmade = expected.iter().filter(|(request, _)| !is_made(**request));
    let unmade = unmade.map(|(request, expected)| Fault::PrefixReset {
        request: *request,
        expected: Some(expected.clone()),
        found: None,
    });
    let fault = |((prepared, _), request): ((&Prepared, _), usize)| {
        let expected = expected.get(&request).cloned();
        let found = prepared.reset.map(PrefixReset::as_str);
        (expected.as_deref() != found).then_some(Fault::PrefixReset { request, expected, found })
    };
    requests.filter_map(fault).chain(unmade).collect()
}

/// Checks the laws that hold for every session.
///
/// They are: a request continues the one before it, unless a reset is reported
/// or tools were added; bound thinking keeps its prefix; the bytes are a
/// request that the API accepts; and serde writes the same bytes.
fn laws(played: &Played, context: &Context, service: Platform) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut before: Option<Vec<u8>> = None;
    let mut bound_before: Option<Request> = None;
    let mut tools_before = None;
    for (index, (prepared, bytes)) in played.requests().enumerate() {
        let source = |at| prepared.body.source_at(at).to_string();
        let prefix = prepared.body.stable_prefix();
        let tools = prepared.body.parts().tools.blocks().len();
        // Tools appended to the list come before the messages.
        let has_added = tools_before.replace(tools).is_some_and(|it| it < tools);
        if let Some(before) = before.filter(|_| prepared.reset.is_none() && !has_added) {
            let continued = &prefix[..prefix.len().min(before.len())];
            let mismatch = Mismatch::find(&before, continued, source);
            faults.extend(mismatch.map(|mismatch| Fault::NotAPrefix(index + 1, mismatch)));
        }
        before = Some(prefix);
        let bound = bound_request(prepared, service);
        if let (Some(before), Some(now), None) = (&bound_before, &bound, prepared.reset)
            && let Err(what) = binding::keeps(before, now)
        {
            faults.push(Fault::NotBound(index + 1, what));
        }
        bound_before = bound;

        let request = match Request::parse(bytes) {
            Ok(parsed) => parsed.value,
            Err(error) => {
                faults.push(Fault::Unreadable(index + 1, error));
                continue;
            }
        };
        let mut context = context.clone();
        let needed = prepared.body.betas().into_iter().map(str::to_owned);
        context.betas.get_or_insert_default().extend(needed);
        // What is only lost in silence, such as a marker on a short prompt, is no fault. Other
        // platforms have no betas.
        let counts = |it: &Finding| match it.level {
            RuleLevel::Refused => true,
            RuleLevel::Needs => service.is_anthropic(),
            _ => false,
        };
        let checked = aside_rules::check(bytes, Wire::Messages, &context);
        let found = checked.findings.into_iter().filter(counts);
        faults.extend(found.map(|violation| Fault::Refused(index + 1, violation)));
        let by_serde = serde_json::to_vec(&request).unwrap_or_default();
        let mismatch = Mismatch::find(&by_serde, bytes, source);
        faults.extend(mismatch.map(|mismatch| Fault::NotCanonical(index + 1, mismatch)));
    }
    faults
}

/// Returns the request if its model binds thinking to the prefix.
fn bound_request(prepared: &Prepared, service: Platform) -> Option<Request> {
    let model = &prepared.body.parts().parameters.model;
    let facts = find_on(service, model).facts;
    let is_bound = service.is_anthropic() && facts.bound_to_prefix == Some(true);
    is_bound.then(|| prepared.request())
}

/// Returns the first request, counted from 1, whose bytes differ between two
/// runs.
fn first_difference(made: &[Vec<u8>], again: &Played) -> Option<(usize, Mismatch)> {
    let again_bytes = again.bytes();
    let mut pairs = made.iter().zip(&again_bytes).zip(1..);
    pairs.find_map(|((first, second), request)| {
        let source = |at| again.bodies()[request - 1].origin(at).label();
        Some((request, Mismatch::find(first, second, source)?))
    })
}

fn or_none(reason: Option<&str>) -> &str {
    reason.unwrap_or("no reason")
}
