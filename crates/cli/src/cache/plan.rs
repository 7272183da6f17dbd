//! `aside cache plan`.

use std::path::Path;

use anyhow::Context;
use aside_cache_model::{CacheRules, Relation, RequestBytes, compare};
use aside_cache_split::{BreakpointPlan, PlanOptions, plan_request};
use aside_messages::wire::Request;
use serde::Serialize;

use crate::Failure;
use crate::arguments::PlanBody;
use crate::input::{self, MAX_BODY_BYTES};
use crate::{kinds, output};

#[derive(Serialize)]
struct Marked {
    markers: Vec<Marker>,
}

#[derive(Serialize)]
struct Marker {
    path: String,
    cache_control: aside_messages::wire::CacheControl,
    reason: String,
}

pub(super) fn run(arguments: &PlanBody) -> Result<(), Failure> {
    let json = input::bytes(&arguments.body, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", arguments.body.display());
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
        let text = serde_json::to_string_pretty(&marked(&plan))? + "\n";
        output::print([text.as_bytes()])?;
        return Ok(());
    }
    if arguments.explain {
        output::print([explanation.as_bytes(), b"\n"])?;
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

/// Returns true if the body does not continue the previous one.
fn is_reset(previous: &Path, body: &[u8]) -> Result<bool, Failure> {
    let read = |bytes: &[u8]| RequestBytes::parse(bytes).context("failed to read a request");
    let before = input::bytes(previous, MAX_BODY_BYTES).map_err(Failure::usage)?;
    let failed = || format!("failed to read {}", previous.display());
    let before = read(&before).with_context(failed).map_err(Failure::usage)?;
    let after = read(body)?;
    let relation = compare(&before, &after, &CacheRules::anthropic()).relation;
    Ok(matches!(relation, Relation::Broken | Relation::LevelLost))
}

fn marked(plan: &BreakpointPlan) -> Marked {
    let markers = plan.markers.iter().map(|it| Marker {
        path: it.marker.at.to_string(),
        cache_control: it.marker.control.clone(),
        reason: it.reason.to_string(),
    });
    Marked {
        markers: markers.collect(),
    }
}
