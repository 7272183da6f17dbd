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

use aside_messages::conversation::{Delivery, EphemeralForm, PrefixReset, ToolForm, Voice};
use serde::Serialize;
use serde_json::value::RawValue;

use super::caller::Append;
use super::next::Next;
use crate::count::count;
use crate::marker::{self, Marker};
use crate::{kinds, output};

/// The printed object.
#[derive(Serialize)]
struct Rendered<'a> {
    /// Headers sorted by name, without credentials.
    headers: BTreeMap<&'a str, &'a str>,
    /// The body, byte for byte.
    body: &'a RawValue,
    /// Messages or entries for the caller to store before the response.
    #[serde(skip_serializing_if = "Append::is_empty")]
    append: &'a Append,
    plan: Plan<'a>,
}

/// A request's cache markers, delivery form and resets.
#[derive(Serialize)]
struct Plan<'a> {
    /// Cache markers, in request order.
    markers: Vec<Marker>,
    /// Places that could have had a marker.
    rejected: Vec<RejectedPlace>,
    delivery: &'a Delivery,
    /// Why the request does not continue the previous one, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    reset: Option<&'static str>,
    lost_thinking: u64,
}

/// A place without a marker.
#[derive(Serialize)]
struct RejectedPlace {
    path: String,
    /// Why it was considered.
    reason: String,
    /// Why it has no marker.
    why: String,
}

impl Next {
    /// Reports the reason for each marker as a note on stderr, then the
    /// delivery form.
    pub(super) fn report_reasons(&self) {
        let explanation = self.prepared.explain().to_string();
        output::report_all(explanation.lines().map(|line| kinds::MARKER.diagnostic(line)));
        output::report(&kinds::DELIVERY.diagnostic(delivery_text(&self.prepared.delivery)));
    }

    /// Reports a prefix reset, with the thinking that it loses.
    pub(super) fn report_reset(&self) {
        if let Some(reason) = self.prepared.reset {
            let lost = count(self.prepared.lost_thinking, "block", "blocks");
            let message = format!("{reason}: thinking is lost, {lost}");
            output::report(&kinds::RESET.diagnostic(message));
        }
    }

    /// Returns the request as JSON, with headers and body.
    ///
    /// The body is inserted as it is, so that you can cut its bytes out of the
    /// output.
    ///
    /// # Errors
    /// Fails when the body is not one JSON value in UTF-8.
    pub(super) fn to_json(&self) -> anyhow::Result<String> {
        let Self { prepared, outgoing, append, .. } = self;
        let body = RawValue::from_string(String::from_utf8(outgoing.body())?)?;
        let headers = outgoing.headers.iter().map(|(name, value)| (*name, value.as_str()));
        let rejected = prepared.plan.rejected.iter().map(|it| RejectedPlace {
            path: it.at.to_string(),
            reason: it.reason.to_string(),
            why: it.why.to_string(),
        });
        Ok(serde_json::to_string(&Rendered {
            headers: headers.collect(),
            body: &body,
            append,
            plan: Plan {
                markers: marker::of_plan(&prepared.plan),
                rejected: rejected.collect(),
                delivery: &prepared.delivery,
                reset: prepared.reset.map(PrefixReset::as_str),
                lost_thinking: prepared.lost_thinking,
            },
        })?)
    }
}

/// Returns the delivery form as one sentence.
fn delivery_text(delivery: &Delivery) -> String {
    let Delivery { model, platform, .. } = delivery;
    let binds = if delivery.bound {
        "binds its thinking to the prefix"
    } else {
        "does not bind its thinking to the prefix"
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
