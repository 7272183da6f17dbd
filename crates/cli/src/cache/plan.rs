//! `aside cache plan`.

use anyhow::Context;
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
