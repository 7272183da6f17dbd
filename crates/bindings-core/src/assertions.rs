//! Test assertions for any language: a failure's message, or null.

use std::collections::HashMap;

use aside_cache_model::{Comparison, Relation};
use aside_inspect::{BodyLine, body_lines, difference_lines, prices_of, thousands};
use aside_json::Tape;
use aside_rules::Finding;
use serde::{Deserialize, Serialize};

use crate::cache::{Row, rows};
use crate::check::{self, checked};
use crate::compare::{NoOptions, compared};
use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

/// Why an assertion fails; null when it holds.
#[derive(Serialize)]
pub(crate) struct Verdict {
    pub(crate) message: Option<String>,
}

/// Without lines, the assertion holds.
pub(crate) fn verdict(lines: &[String]) -> Result<Output, BindingError> {
    let message = (!lines.is_empty()).then(|| input::lines(lines));
    Output::facts(&Verdict { message })
}

/// Fails if the API would refuse this body.
pub(crate) fn accepted(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body] = inputs(given)?;
    let given: check::Options = options(json)?;
    let (checked, decision) = checked(body, &given)?;
    let mut refused = checked.refused().peekable();
    if refused.peek().is_none() {
        return verdict(&[]);
    }
    let tape = Tape::parse(body).ok();
    let values = tape.iter().flat_map(Tape::values);
    let starts = values.map(|value| (value.path(), value.range().start)).collect();
    let wire = decision.wire;
    let mut lines = vec![format!("the API ({wire}) refuses this request:")];
    lines.extend(refused.flat_map(|finding| finding_lines(finding, &starts)));
    verdict(&lines)
}

/// Formats a finding: its place, both values, and its source.
fn finding_lines(finding: &Finding, starts: &HashMap<String, usize>) -> Vec<String> {
    let byte = byte_of(&finding.path, starts);
    let byte = byte.map_or_else(String::new, |byte| format!(" at byte {byte}"));
    let path = match finding.path.as_str() {
        "" => "the body",
        path => path,
    };
    vec![
        format!("  {path}{byte}: {}", finding.rule),
        format!("    found   : {}", finding.found),
        format!("    expected: {}", finding.expected),
        format!("    source  : {}", finding.source),
    ]
}

/// Returns where the value at `path` begins, or the nearest one around it.
fn byte_of(path: &str, starts: &HashMap<String, usize>) -> Option<usize> {
    let mut path = path;
    loop {
        if let Some(start) = starts.get(path) {
            return Some(*start);
        }
        path = &path[..path.rfind(['.', '['])?];
    }
}

/// Fails if a request reads less from the cache than the request it continues left there. Short
/// prompts are judged as if they were long enough to cache.
pub(crate) fn no_cache_miss(bodies: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Options {
        every: Option<f64>,
    }
    let every = options::<Options>(json)?.every;
    let rows = rows(bodies, None, |index| every.map(|every| every * index as f64))?;
    let mut lines = Vec::new();
    for row in &rows {
        lines.extend(miss_lines(row, bodies)?);
    }
    verdict(&lines)
}

/// Describes a request that misses the cache.
fn miss_lines(row: &Row, bodies: &[&[u8]]) -> Result<Vec<String>, BindingError> {
    let number = row.request;
    if let Some(miss) = &row.predicted.miss {
        let mut start = format!("request {number}: ");
        let lines = aside_inspect::miss_lines(miss, true).into_iter().map(|line| {
            let line = format!("{start}{line}");
            "  ".clone_into(&mut start);
            line
        });
        return Ok(lines.collect());
    }
    // Test prompts are often too short to cache, and those in production are not. A request that
    // shares nothing with an earlier one begins its own conversation.
    let Some(parent) = row.predicted.parent else {
        return Ok(Vec::new());
    };
    let comparison = compared(bodies[parent.index], bodies[number - 1])?;
    if is_kept(&comparison) || is_after_marker(&comparison) {
        return Ok(Vec::new());
    }
    let before = parent.index + 1;
    let heading = format!(
        "request {number} changes the prefix that request {before} would leave in the cache:"
    );
    Ok(broken(&heading, &comparison))
}

/// Fails unless the later body repeats the earlier one and continues it.
pub(crate) fn prefix_stable(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Options {
        /// Accept a change after the last cache marker.
        allow_after_marker: bool,
    }
    let [before, after] = inputs(given)?;
    let given: Options = options(json)?;
    let comparison = compared(before, after)?;
    let is_allowed = given.allow_after_marker && is_after_marker(&comparison);
    if is_kept(&comparison) || is_allowed {
        return verdict(&[]);
    }
    verdict(&broken("the later request does not extend the earlier one:", &comparison))
}

fn is_kept(comparison: &Comparison) -> bool {
    matches!(comparison.relation, Relation::Identical | Relation::Continues)
}

/// Returns true if only what no marker cached has changed: the bytes, or a level by a parameter.
fn is_after_marker(comparison: &Comparison) -> bool {
    comparison.relation == Relation::AfterMarker
        || (comparison.parameter.is_some() && comparison.lost_level.is_none())
}

/// Describes a comparison: what differs, and what this costs.
pub(crate) fn broken(heading: &str, comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![heading.to_owned()];
    if let Some(name) = comparison.parameter {
        lines.push(format!("  the parameter {name} changed"));
    }
    if let Some(difference) = &comparison.difference {
        let shown = difference_lines(difference, true);
        lines.extend(shown.iter().map(|line| format!("  {line}")));
    }
    if comparison.lost_tokens > 0 {
        let cost = comparison.lost_cost.map(|cost| {
            let prices = prices_of(comparison.prices_as_of);
            format!(", {cost} a request{prices}")
        });
        let (tokens, cost) = (thousands(comparison.lost_tokens), cost.unwrap_or_default());
        lines.push(format!("  lost: about {tokens} cached tokens{cost}"));
    }
    lines
}

/// Fails unless the readable lines of a body are those of a golden file. How the file ends its
/// lines does not count.
pub(crate) fn golden(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [body, file] = inputs(given)?;
    options::<NoOptions>(json)?;
    input::body(body)?;
    let lines = body_lines(body);
    let expected: Vec<_> = input::text(file)?.lines().collect();
    let is_same = |(index, line): (usize, &BodyLine)| {
        expected.get(index).is_some_and(|expected| line.shown() == *expected)
    };
    let Some(index) = lines.iter().enumerate().position(|it| !is_same(it)) else {
        let is_whole = lines.len() == expected.len();
        let missing = format!("{GOLDEN_DIFFERS} after byte {}:", body.len());
        return verdict(if is_whole { &[] } else { std::slice::from_ref(&missing) });
    };
    let line = &lines[index];
    let path = Some(line.full_path()).filter(|path| !path.is_empty());
    let (path, byte) = (path.as_deref().unwrap_or("the body"), line.content);
    verdict(&[format!("{GOLDEN_DIFFERS} at {path}, byte {byte}:")])
}

const GOLDEN_DIFFERS: &str = "the request differs from its golden file";
