//! The form of `aside render --json`.

use std::collections::BTreeMap;

use aside_messages::conversation::{Delivery, Entry, PrefixReset};
use aside_messages::wire::CacheControl;
use aside_session::Prepared;
use serde::Serialize;
use serde_json::value::RawValue;

/// The facts of a request in addition to its bytes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RequestReport {
    /// The entries to append to the conversation once the request was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    append: Vec<Entry>,
    plan: Plan,
}

/// The cache markers, the form of delivery and the resets of a request.
#[derive(Clone, Debug, Serialize)]
struct Plan {
    markers: Vec<Marker>,
    rejected: Vec<RejectedPlace>,
    delivery: Delivery,
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<&'static str>,
    lost_thinking: u64,
}

#[derive(Clone, Debug, Serialize)]
struct Marker {
    path: String,
    cache_control: CacheControl,
    reason: String,
}

#[derive(Clone, Debug, Serialize)]
struct RejectedPlace {
    path: String,
    reason: String,
    why: String,
}

/// The whole output.
#[derive(Serialize)]
struct Rendered<'a> {
    headers: BTreeMap<&'a str, &'a str>,
    body: &'a RawValue,
    #[serde(skip_serializing_if = "<[Entry]>::is_empty")]
    append: &'a [Entry],
    plan: &'a Plan,
}

impl RequestReport {
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let markers = prepared.plan.markers.iter().map(|it| Marker {
            path: it.marker.at.to_string(),
            cache_control: it.marker.control.clone(),
            reason: it.reason.to_string(),
        });
        let rejected = prepared.plan.rejected.iter().map(|it| RejectedPlace {
            path: it.at.to_string(),
            reason: it.reason.to_string(),
            why: it.why.to_string(),
        });
        Self {
            append: prepared.appended(),
            plan: Plan {
                markers: markers.collect(),
                rejected: rejected.collect(),
                delivery: prepared.delivery.clone(),
                reset: prepared.reset.map(PrefixReset::name),
                lost_thinking: prepared.lost_thinking,
            },
        }
    }

    /// Returns the JSON of a request with these headers and this body.
    pub(super) fn to_json(
        &self,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> anyhow::Result<String> {
        let body = RawValue::from_string(String::from_utf8(body)?)?;
        let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
        Ok(serde_json::to_string(&Rendered {
            headers: headers.collect(),
            body: &body,
            append: &self.append,
            plan: &self.plan,
        })?)
    }
}
