//! Reviewing a repository's change: what each agent sees differently in each directory, and what
//! that costs.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use aside_cache_model::{Cause, Comparison, Level};
use aside_messages::Layer;
use serde::Serialize;

use super::figures::{RequestFigures, findings};
use super::{Baseline, Checkout, Lost, Review, RevisionRequests, Scope, compared, name_of};
use crate::check::{Checked, MadeRequest};
use crate::sourced::SourcedBody;

/// A working tree's requests, compared with a revision's. This version of Aside makes both, so
/// every difference comes from the repository, whatever a scenario pins.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct TeamReview {
    /// The requests that differ, in scenario order.
    pub requests: Vec<RequestReview>,
    /// Scenarios that send what they sent before.
    pub unchanged: Vec<String>,
    /// Scenarios that only the revision has.
    pub removed: Vec<String>,
    /// What `check`, `lint` and the sessions find now and did not find before: `SCENARIO: TEXT`.
    pub findings: Vec<String>,
    /// Submodules that the revision's directory lacks, and scenarios that could not be played there,
    /// and why; the caller adds those that cannot be played now.
    pub notes: Vec<String>,
    /// New instruction files that no scenario has; the caller finds them.
    pub without_scenario: Vec<String>,
    /// The distinct changes.
    #[serde(skip)]
    pub changes: Review,
}

/// A request that differs.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RequestReview {
    /// Its scenario and number: `root/request-1`.
    pub request: String,
    /// The agent whose instruction files load, such as `codex`.
    pub agent: &'static str,
    /// The working directory, relative to the repository.
    pub directory: String,
    /// What it was on the revision; `None` if it is new.
    pub before: Option<RequestFigures>,
    /// Its figures now; `None` if the request is gone.
    pub after: Option<RequestFigures>,
    /// The cached prefixes, shared by other sessions, that end with this change.
    pub ends: Vec<Layer>,
    /// The cached tokens that the next session writes again.
    pub lost: Option<Lost>,
    /// The ids of its changes.
    pub changes: Vec<String>,
}

impl TeamReview {
    /// Plays the scenarios in `directory` on a revision's files, and compares.
    pub async fn new(directory: &Path, now: &[Checked], scope: Scope, checkout: &Checkout) -> Self {
        let mut review = Self { notes: checkout.notes.clone(), ..Self::default() };
        let mut made = HashMap::new();
        for checked in now {
            let case = &checked.case;
            let then = match checkout.play(case).await {
                Ok(then) => then,
                Err(error) => {
                    review.notes.push(format!("{}: {error:#}", case.name));
                    None
                }
            };
            let Some(then) = then else { continue };
            let known: HashSet<String> = findings(&then).into_values().collect();
            let new = findings(checked).into_iter().filter(|it| !known.contains(&it.1));
            review.findings.extend(new.map(|(it, _)| format!("{}: {it}", case.name)));
            let paths = (1..).map(|number| case.expected_path(number));
            made.extend(paths.zip(then.requests));
        }
        let baseline = Baseline::Played(RevisionRequests(made));
        review.changes = Review::of(directory, now, Scope::Some, &baseline);
        for checked in now {
            let before = review.requests.len();
            review.add(checked, &baseline);
            if review.requests.len() == before {
                review.unchanged.push(checked.case.name.clone());
            }
        }
        if scope == Scope::All {
            // Also those that cannot be played.
            let names = crate::names(directory).unwrap_or_default();
            review.removed = checkout.names();
            review.removed.retain(|name| !names.contains(name));
        }
        review
    }

    /// Adds a scenario's requests that differ.
    fn add(&mut self, checked: &Checked, baseline: &Baseline) {
        let case = &checked.case;
        let directory = case.scenario.directory();
        let directory = if directory.is_empty() { "." } else { &directory };
        let requests = self.changes.requests.iter();
        for changed in requests.filter(|it| it.case == case.name) {
            let mut now = checked.requests.iter().zip(1..);
            let now = now.find(|(_, number)| case.expected_path(*number) == changed.path);
            let now = now.map(|(request, _)| request);
            let then = baseline.made(&changed.path).map(|it| &it.body);
            let found =
                compared(then.and_then(SourcedBody::request), now.and_then(|it| it.body.request()));
            let lost = found.as_ref().and_then(Lost::of);
            let whole = found.as_ref().zip(now).and_then(|(found, now)| whole_level(found, now));
            let first = whole.into_iter().chain(changed.layer).min();
            let mut ends = vec![Layer::Static, Layer::Project];
            ends.retain(|it| lost.is_some() && first.is_some_and(|first| first <= *it));
            self.requests.push(RequestReview {
                request: name_of(&changed.path),
                agent: case.scenario.instructions.unwrap_or_default().as_str(),
                directory: directory.to_owned(),
                before: then.and_then(RequestFigures::of_body),
                after: now.and_then(|it| RequestFigures::of_body(&it.body)),
                ends,
                lost,
                changes: changed.changes.clone(),
            });
        }
    }

    /// Returns the requests that grow by more than `most` tokens, and by how many. A new request
    /// grows by none.
    pub fn grown(&self, most: u64) -> impl Iterator<Item = (&str, u64)> {
        let growth = |it: &RequestReview| {
            let (before, after) = it.before.zip(it.after)?;
            Some(after.tokens.saturating_sub(before.tokens))
        };
        let grown = self.requests.iter();
        let grown = grown.filter_map(move |it| Some((it.request.as_str(), growth(it)?)));
        grown.filter(move |it| it.1 > most)
    }
}

/// Returns the first layer that another model or a parameter ends. Neither is in
/// a layer itself, and it ends a cache level as a whole.
fn whole_level(found: &Comparison, now: &MadeRequest) -> Option<Layer> {
    let is_model = found.difference.as_ref().is_some_and(|it| it.cause == Cause::OtherModel);
    match found.lost_level.filter(|_| is_model || found.parameter.is_some())? {
        // Instruction files are the only messages that sessions share.
        Level::Messages => now.files().next().map(|_| Layer::Project),
        _ => Some(Layer::Static),
    }
}
