//! `plan` and `mark`: cache markers for a body, with reasons.

use aside_cache_split::{BreakpointPlan, PlanOptions, TtlPolicy, plan_request};
use aside_messages::wire::{CacheControl, Request};
use serde::{Deserialize, Serialize};

use crate::error::{BindingError, BindingErrorKind};
use crate::output::{Output, inputs, options};

/// How long entries live: `5m` (the default) or `1h`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    ttl: Option<String>,
}

/// As `aside cache plan --json` prints it.
#[derive(Serialize)]
struct Markers {
    markers: Vec<Marker>,
}

#[derive(Serialize)]
struct Marker {
    path: String,
    cache_control: CacheControl,
    reason: String,
}

pub(crate) fn plan(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let (_, plan) = planned(given, json)?;
    facts(&plan)
}

pub(crate) fn mark(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let (mut request, plan) = planned(given, json)?;
    plan.apply(&mut request);
    let body = serde_json::to_vec(&request)
        .map_err(|error| BindingError::new(BindingErrorKind::Shape, error))?;
    Ok(facts(&plan)?.with_body(body))
}

fn planned(given: &[&[u8]], json: &[u8]) -> Result<(Request, BreakpointPlan), BindingError> {
    let [body] = inputs(given)?;
    let ttl = match options::<Options>(json)?.ttl.as_deref() {
        None => TtlPolicy::default(),
        Some("5m") => TtlPolicy::Short,
        Some("1h") => TtlPolicy::Long,
        Some(ttl) => {
            let message = format!("ttl: {ttl:?}: expected 5m or 1h");
            return Err(BindingError::option(message));
        }
    };
    let request = Request::parse(body).map_err(|error| BindingError::read(&error))?;
    let options = PlanOptions {
        ttl,
        ..PlanOptions::default()
    };
    let plan = plan_request(&request.value, options)
        .map_err(|error| BindingError::new(BindingErrorKind::Refused, error))?;
    Ok((request.value, plan))
}

fn facts(plan: &BreakpointPlan) -> Result<Output, BindingError> {
    let markers = plan.markers.iter().map(|planned| Marker {
        path: planned.marker.at.to_string(),
        cache_control: planned.marker.control.clone(),
        reason: planned.reason.to_string(),
    });
    Output::facts(&Markers {
        markers: markers.collect(),
    })
}
