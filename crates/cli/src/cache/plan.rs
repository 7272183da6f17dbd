//! `aside cache plan`: a request body with Aside's cache markers.
//!
//! This parses the body into `aside_messages::wire::Request`, calls
//! `aside_cache_split::plan_request` to choose positions, and prints the marked
//! body. Reasons go to stderr, or to stdout with `--explain` or `--json`.
//! Existing markers stay and count towards the limit of four.
//!
//! A body for OpenAI's cache gets what `aside_cache_split::plan_body` adds: a breakpoint
//! and a cache key.
//!
//! Exit code 1: the body is no request, its API has no markers, or no plan is possible.
//! Exit code 2: a file cannot be read, or the `--after` body is not a request.

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_body::Wire;
use aside_body::wire::{Hints, decide};
use aside_cache_model::{Body, CacheRules, Relation, compare};
use aside_cache_split::{Addition, PlanOptions, plan_body, plan_request, why_nothing};
use aside_messages::wire::Request;
use serde::Serialize;

use crate::Failure;
use crate::arguments::PlanBody;
use crate::input::{self, MAX_BODY_BYTES};
use crate::{kinds, marker, output};

/// The object that `--json` prints.
///
/// ```json
/// {"markers": [{"path": "messages[6].content[0]", "cache_control": {"type": "ephemeral"},
///               "reason": "end of the previous user message, where the previous request wrote"}]}
/// ```
#[derive(Serialize)]
struct Marked<'a, T> {
    /// All markers in the planned body, in request order; for OpenAI's cache, what is added.
    markers: &'a [T],
}

/// Prints the planned body, the explanation or the markers as JSON.
///
/// `--json` takes precedence over `--explain`. The body is serialized again:
/// this keeps its values, but not how its JSON was spelled.
pub(super) fn run(arguments: &PlanBody) -> Result<(), Failure> {
    let json = input::bytes(&arguments.body, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", arguments.body.display());
    if decide(&json, &Hints::default()).wire != Wire::Messages {
        return add(arguments, &json);
    }
    let mut request = Request::parse(&json).with_context(failed)?.value;
    let options = PlanOptions {
        ttl: arguments.cache_ttl.policy(),
        is_reset: match &arguments.after {
            Some(previous) => is_reset(previous, &json)?,
            None => false,
        },
        ..PlanOptions::default()
    };
    let plan = plan_request(&request, options).context("failed to plan markers")?;
    let explanation = plan.explain(&request).to_string();
    print(arguments, &marker::of_plan(&plan), &(explanation.trim_end().to_owned() + "\n"), || {
        plan.apply(&mut request);
        Ok(serde_json::to_vec(&request)?)
    })
}

/// Prints the markers or the explanation, or reports the explanation and prints the body.
fn print(
    arguments: &PlanBody,
    markers: &[impl Serialize],
    explanation: &str,
    body: impl FnOnce() -> anyhow::Result<Vec<u8>>,
) -> Result<(), Failure> {
    if arguments.json {
        return Ok(output::json(&Marked { markers })?);
    }
    if arguments.explain {
        return Ok(output::text(explanation)?);
    }
    output::report_all(explanation.lines().map(|line| kinds::MARKER.diagnostic(line)));
    Ok(output::print([&body()?[..]])?)
}

/// Prints a body with a breakpoint and a cache key, where its model has them, or what is added.
fn add(arguments: &PlanBody, json: &[u8]) -> Result<(), Failure> {
    let file = arguments.body.display();
    let body = Body::parse(json).with_context(|| format!("failed to read {file}"))?;
    if !matches!(body.wire(), Wire::Responses | Wire::ChatCompletions) {
        return Err(anyhow!("{file}: read as {}: it has no cache markers", body.wire()).into());
    }
    if arguments.after.is_some() {
        return Err(Failure::usage(anyhow!(
            "--after is for the Messages API, and {file} was read as {}",
            body.wire()
        )));
    }
    let additions = plan_body(&body);
    let lines = additions.iter().map(|it| {
        let path = if it.path.is_empty() { "request" } else { &it.path };
        format!("{path}: {}, {}\n", it.json(), it.reason)
    });
    let mut explanation: String = lines.collect();
    if additions.is_empty() {
        explanation = format!("nothing to add: {}\n", why_nothing(&body));
    }
    print(arguments, &additions, &explanation, || Ok(Addition::add_all(&additions, json)))
}

/// Returns true when the body does not continue the previous one, or loses a
/// cache level. The conversation is then written again from the start.
///
/// This uses Anthropic's cache rules, since you can only plan Messages API
/// bodies.
fn is_reset(previous: &Path, body: &[u8]) -> Result<bool, Failure> {
    let read = |bytes: &[u8]| Body::parse(bytes).context("failed to read a request");
    let before = input::bytes(previous, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", previous.display());
    let before = read(&before).with_context(failed).map_err(Failure::usage)?;
    let after = read(body)?;
    let relation = compare(&before, &after, &CacheRules::anthropic()).relation;
    Ok(matches!(relation, Relation::Broken | Relation::LevelLost))
}
