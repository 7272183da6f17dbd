//! `aside cache plan`: a request body with Aside's cache markers.
//!
//! This parses the body into `aside_messages::wire::Request`, calls
//! `aside_cache_split::plan_request` to choose positions, and prints the marked
//! body. Reasons go to stderr, or to stdout with `--explain` or `--json`.
//! Existing markers stay and count towards the limit of four.
//!
//! Exit code 1: the body is not a Messages API request, or no plan is possible.
//! Exit code 2: a file cannot be read, or the `--after` body is not a request.

use std::path::Path;

use anyhow::{Context, anyhow};
use aside_body::Wire;
use aside_body::wire::{Hints, decide};
use aside_cache_model::{Body, CacheRules, Relation, compare};
use aside_cache_split::{PlanOptions, plan_request};
use aside_messages::wire::Request;
use serde::Serialize;

use crate::Failure;
use crate::arguments::PlanBody;
use crate::input::{self, MAX_BODY_BYTES};
use crate::marker::{self, Marker};
use crate::{kinds, output};

/// The object that `--json` prints.
///
/// ```json
/// {"markers": [{"path": "messages[6].content[0]", "cache_control": {"type": "ephemeral"},
///               "reason": "end of the previous user message, where the previous request wrote"}]}
/// ```
#[derive(Serialize)]
struct Marked {
    /// All markers in the planned body, in request order.
    markers: Vec<Marker>,
}

/// Prints the planned body, the explanation or the markers as JSON.
///
/// `--json` takes precedence over `--explain`. The body is serialized again:
/// this keeps its values, but not how its JSON was spelled.
pub(super) fn run(arguments: &PlanBody) -> Result<(), Failure> {
    let json = input::bytes(&arguments.body, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", arguments.body.display());
    let wire = decide(&json, &Hints::default()).wire;
    if wire != Wire::Messages {
        let file = arguments.body.display();
        return Err(
            anyhow!("{file}: read as {wire}: markers are planned for the Messages API").into(),
        );
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
    if arguments.json {
        output::json(&Marked {
            markers: marker::of_plan(&plan),
        })?;
        return Ok(());
    }
    if arguments.explain {
        output::text(&(explanation.trim_end().to_owned() + "\n"))?;
        return Ok(());
    }
    for line in explanation.lines() {
        output::report(&kinds::MARKER.diagnostic(line));
    }
    plan.apply(&mut request);
    let body = serde_json::to_vec(&request)?;
    output::print([&body[..]])?;
    Ok(())
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
