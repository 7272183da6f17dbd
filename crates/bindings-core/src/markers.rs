//! `plan` and `mark`: cache markers for a body, with reasons.

use aside_body::wire::{Hints, decide};
use aside_cache_split::{
    Addition, BreakpointPlan, PlanOptions, TtlPolicy, plan_body, plan_request,
};
use aside_messages::wire::{CacheControl, Request};
use aside_models::Wire;
use serde::{Deserialize, Serialize};

use crate::error::{BindingError, BindingErrorKind};
use crate::input;
use crate::output::{self, Output, inputs, options};

/// How long entries live: `5m` (the default) or `1h`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    ttl: Option<String>,
}

/// As `aside cache plan --json` prints it.
#[derive(Serialize)]
struct Markers<T> {
    markers: Vec<T>,
}

#[derive(Serialize)]
struct Marker {
    path: String,
    cache_control: CacheControl,
    reason: String,
}

pub(crate) fn plan(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let ttl = ttl(json)?;
    if let Some(markers) = additions(given)? {
        return Output::facts(&Markers { markers });
    }
    let (_, plan) = planned(given, ttl)?;
    facts(&plan)
}

pub(crate) fn mark(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let ttl = ttl(json)?;
    if let Some(markers) = additions(given)? {
        let [body] = inputs(given)?;
        let body = Addition::add_all(&markers, body);
        return Ok(Output::facts(&Markers { markers })?.with_body(body));
    }
    let (mut request, plan) = planned(given, ttl)?;
    plan.apply(&mut request);
    Ok(facts(&plan)?.with_body(output::json(&request)?))
}

/// Returns what to add to a body for OpenAI's cache; `None` for a body of another API.
fn additions(given: &[&[u8]]) -> Result<Option<Vec<Addition>>, BindingError> {
    let [body] = inputs(given)?;
    match decide(body, &Hints::default()).wire {
        Wire::Responses | Wire::ChatCompletions => Ok(Some(plan_body(&input::body(body)?))),
        wire @ Wire::GenerateContent => {
            let message = format!("read as {wire}: it has no cache markers");
            Err(BindingError::new(BindingErrorKind::Refused, message))
        }
        _ => Ok(None),
    }
}

fn ttl(json: &[u8]) -> Result<TtlPolicy, BindingError> {
    match options::<Options>(json)?.ttl.as_deref() {
        None => Ok(TtlPolicy::default()),
        Some("5m") => Ok(TtlPolicy::Short),
        Some("1h") => Ok(TtlPolicy::Long),
        Some(ttl) => Err(BindingError::option(format!("ttl: {ttl:?}: expected 5m or 1h"))),
    }
}

fn planned(given: &[&[u8]], ttl: TtlPolicy) -> Result<(Request, BreakpointPlan), BindingError> {
    let [body] = inputs(given)?;
    input::whole_tape(body)?;
    let request = Request::parse(body).map_err(|error| BindingError::read(&error, body))?;
    let options = PlanOptions { ttl, ..PlanOptions::default() };
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
    Output::facts(&Markers { markers: markers.collect() })
}
