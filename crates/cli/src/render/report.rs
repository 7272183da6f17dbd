//! The form of `aside render --json`.

use std::collections::BTreeMap;

use aside_messages::conversation::{Delivery, Entry, EphemeralForm, PrefixReset, ToolForm, Voice};
use aside_messages::wire::{CacheControl, Message};
use aside_session::Prepared;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{kinds, output};

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
    /// The reset in words.
    #[serde(skip)]
    reset_reason: Option<PrefixReset>,
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
                reset_reason: prepared.reset,
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

    /// Reports the form of delivery, and a reset of the prefix.
    pub(super) fn explain(&self) {
        let Plan {
            delivery,
            lost_thinking,
            ..
        } = &self.plan;
        output::report(&kinds::DELIVERY.diagnostic(delivery_text(delivery)));
        if let Some(reason) = self.plan.reset_reason {
            let message = format!("{reason}: {lost_thinking} thinking blocks are lost");
            output::report(&kinds::RESET.diagnostic(message));
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

fn delivery_text(delivery: &Delivery) -> String {
    let Delivery {
        model, platform, ..
    } = delivery;
    let binds = match delivery.bound {
        true => "binds its thinking to the prefix",
        false => "does not bind its thinking to the prefix",
    };
    let ephemeral = match delivery.ephemeral {
        EphemeralForm::TurnScoped => "system messages that the next user message clears",
        EphemeralForm::Persistent => "entries that stay",
        _ => "the end of one request",
    };
    let voice = match delivery.voice {
        Voice::System => "system messages",
        _ => "reminder tags",
    };
    let tools = match delivery.tools {
        ToolForm::Appended => "appended",
        _ => "replaced",
    };
    format!(
        "delivery: {model} ({platform}) {binds}; ephemeral reminders: {ephemeral}; text of the \
         harness: {voice}; tools that change: {tools}"
    )
}
