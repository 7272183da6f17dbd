//! The form of `aside render --json`.

use std::collections::BTreeMap;

use aside_messages::conversation::{Delivery, Entry, PrefixReset};
use aside_messages::wire::{CacheControl, Message};
use aside_session::Prepared;
use serde::Serialize;
use serde_json::value::RawValue;

/// The facts of a request in addition to its bytes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RequestReport {
    #[serde(skip_serializing_if = "Append::is_empty")]
    append: Append,
    plan: Plan,
}

/// The additions of a request to its history, which its caller stores before
/// the answer, in the form of the history.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Append {
    /// Entries of a conversation.
    Entries(Vec<Entry>),
    /// Messages of the Messages API.
    Messages(Vec<Message>),
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
    #[serde(skip_serializing_if = "Append::is_empty")]
    append: &'a Append,
    plan: &'a Plan,
}

impl Append {
    fn is_empty(&self) -> bool {
        match self {
            Self::Entries(entries) => entries.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
        }
    }
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
            append: Append::Entries(prepared.appended()),
            plan: Plan {
                markers: markers.collect(),
                rejected: rejected.collect(),
                delivery: prepared.delivery.clone(),
                reset: prepared.reset.map(PrefixReset::name),
                lost_thinking: prepared.lost_thinking,
            },
        }
    }

    /// Replaces the entries to append by messages.
    pub(super) fn with_messages(self, messages: Vec<Message>) -> Self {
        Self {
            append: Append::Messages(messages),
            ..self
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
