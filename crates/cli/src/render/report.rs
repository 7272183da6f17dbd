//! The JSON that `aside render --json` prints.
//!
//! ```json
//! {"headers": {"anthropic-version": "2023-06-01", "content-type": "application/json"},
//!  "body": {"model": "claude-sonnet-5-5", "messages": []},
//!  "append": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
//!  "plan": {"markers": [{"path": "messages[0].content[3]", "cache_control": {"type": "ephemeral"},
//!                        "reason": "last block that the next request contains unchanged"}],
//!           "rejected": [{"path": "system[1]", "reason": "end of a shared layer",
//!                         "why": "it is at the end of the user's layer instead"}],
//!           "delivery": {"model": "claude-sonnet-5-5", "platform": "first-party", "bound": true},
//!           "lost_thinking": 0}}
//! ```
//!
//! `append` is absent when there is nothing to append, and `reset` when the
//! request continues the previous one. Headers contain no credentials.

use std::collections::BTreeMap;

use aside_messages::conversation::{Delivery, Entry, EphemeralForm, PrefixReset, ToolForm, Voice};
use aside_messages::wire::Message;
use aside_session::Prepared;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::count::count;
use crate::marker::{self, Marker};
use crate::{kinds, output};

/// What to know about a request besides its bytes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RequestReport {
    /// Messages or entries for the caller to store before the response.
    #[serde(skip_serializing_if = "Append::is_empty")]
    append: Append,
    /// How the request was laid out.
    plan: Plan,
}

/// What a request adds to its history, in the history's form. Its caller stores
/// this before the response.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Append {
    /// Entries to append to a conversation.
    Entries(Vec<Entry>),
    /// Messages, as in the Messages API.
    Messages(Vec<Message>),
}

/// A request's cache markers, delivery form and resets.
#[derive(Clone, Debug, Serialize)]
struct Plan {
    /// Cache markers, in request order.
    markers: Vec<Marker>,
    /// Places that could have had a marker.
    rejected: Vec<RejectedPlace>,
    /// How to deliver reminders, harness text and tools to this model.
    delivery: Delivery,
    /// Why the request does not continue the previous one, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<&'static str>,
    /// How many thinking blocks this reset keeps from being sent.
    lost_thinking: u64,
    /// The same reason, for `--explain`.
    #[serde(skip)]
    reset_reason: Option<PrefixReset>,
}

/// A place without a marker.
#[derive(Clone, Debug, Serialize)]
struct RejectedPlace {
    path: String,
    /// Why it was considered.
    reason: String,
    /// Why it has no marker.
    why: String,
}

#[derive(Serialize)]
struct Rendered<'a> {
    /// Headers sorted by name, without credentials.
    headers: BTreeMap<&'a str, &'a str>,
    /// The body, byte for byte.
    body: &'a RawValue,
    /// See [`RequestReport`].
    #[serde(skip_serializing_if = "Append::is_empty")]
    append: &'a Append,
    /// See [`RequestReport`].
    plan: &'a Plan,
}

impl Append {
    /// Returns true when the caller has nothing to store.
    fn is_empty(&self) -> bool {
        match self {
            Self::Entries(entries) => entries.is_empty(),
            Self::Messages(messages) => messages.is_empty(),
        }
    }
}

impl RequestReport {
    /// Returns a report on a prepared request, with what it adds as entries.
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let rejected = prepared.plan.rejected.iter().map(|it| RejectedPlace {
            path: it.at.to_string(),
            reason: it.reason.to_string(),
            why: it.why.to_string(),
        });
        Self {
            append: Append::Entries(prepared.appended()),
            plan: Plan {
                markers: marker::of_plan(&prepared.plan),
                rejected: rejected.collect(),
                delivery: prepared.delivery.clone(),
                reset: prepared.reset.map(PrefixReset::name),
                lost_thinking: prepared.lost_thinking,
                reset_reason: prepared.reset,
            },
        }
    }

    /// Replaces the entries to append with messages.
    ///
    /// When the list is empty, the caller stores nothing.
    pub(super) fn with_messages(self, messages: Vec<Message>) -> Self {
        Self {
            append: Append::Messages(messages),
            ..self
        }
    }

    /// Reports the delivery form as a note on stderr, and a prefix reset with
    /// the thinking that it loses.
    pub(super) fn explain(&self) {
        let Plan {
            delivery,
            lost_thinking,
            ..
        } = &self.plan;
        output::report(&kinds::DELIVERY.diagnostic(delivery_text(delivery)));
        if let Some(reason) = self.plan.reset_reason {
            let lost = count(*lost_thinking, "block", "blocks");
            let message = format!("{reason}: thinking is lost, {lost}");
            output::report(&kinds::RESET.diagnostic(message));
        }
    }

    /// Returns a request as JSON, with these headers and this body.
    ///
    /// The body is inserted as it is, so that you can cut its bytes out of the
    /// output.
    ///
    /// # Errors
    /// Fails when the body is not one JSON value in UTF-8.
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

/// Returns the delivery form as one sentence.
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
