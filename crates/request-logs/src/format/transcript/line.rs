//! The members of a line that matter. Each is kept as written and read when
//! needed; a member of another type counts as absent.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::exchange::Exchange;

/// A line from any agent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<&'a RawValue>,
    pub(super) subtype: Option<&'a RawValue>,
    pub(super) timestamp: Option<&'a RawValue>,
    pub(super) payload: Option<&'a RawValue>,
    pub(super) message: Option<&'a RawValue>,
    pub(super) messages: Option<&'a RawValue>,
    /// In an export of opencode, a message without its parts.
    pub(super) info: Option<&'a RawValue>,
    pub(super) session_id: Option<&'a RawValue>,
    #[serde(rename = "session_id")]
    pub(super) session_id_snake: Option<&'a RawValue>,
    #[serde(rename = "sessionID")]
    pub(super) session_id_upper: Option<&'a RawValue>,
    pub(super) request_id: Option<&'a RawValue>,
    pub(super) uuid: Option<&'a RawValue>,
    pub(super) parent_uuid: Option<&'a RawValue>,
    pub(super) id: Option<&'a RawValue>,
    pub(super) role: Option<&'a RawValue>,
    pub(super) cwd: Option<&'a RawValue>,
    pub(super) model: Option<&'a RawValue>,
    #[serde(rename = "modelID")]
    pub(super) model_id: Option<&'a RawValue>,
    #[serde(rename = "providerID")]
    pub(super) provider_id: Option<&'a RawValue>,
    pub(super) tokens: Option<&'a RawValue>,
    pub(super) usage_metadata: Option<&'a RawValue>,
    pub(super) is_sidechain: Option<&'a RawValue>,
    pub(super) agent_id: Option<&'a RawValue>,
    pub(super) is_compact_summary: Option<&'a RawValue>,
    #[serde(rename = "isApiErrorMessage")]
    pub(super) is_api_error: Option<&'a RawValue>,
    pub(super) api_error_status: Option<&'a RawValue>,
    pub(super) error: Option<&'a RawValue>,
    /// The server's answer: its status, and mostly its body.
    pub(super) error_details: Option<&'a RawValue>,
    pub(super) project_hash: Option<&'a RawValue>,
    #[serde(rename = "kind")]
    pub(super) kind_of_session: Option<&'a RawValue>,
    #[serde(rename = "time")]
    times: Option<&'a RawValue>,
    path: Option<&'a RawValue>,
}

/// A response's `message`.
#[derive(Default, Deserialize)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Option<&'a RawValue>,
    pub(super) model: Option<&'a RawValue>,
    pub(super) usage: Option<&'a RawValue>,
    pub(super) content: Option<&'a RawValue>,
    diagnostics: Option<&'a RawValue>,
}

impl Line<'_> {
    /// Returns an opencode message's directory: `path.cwd`.
    pub(super) fn directory(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Path {
            cwd: Option<String>,
        }
        object::<Path>(self.path)?.cwd
    }

    /// Returns an opencode message's time: `time.created`.
    pub(super) fn created(&self) -> Option<&RawValue> {
        #[derive(Deserialize)]
        struct Times<'a> {
            #[serde(borrow)]
            created: Option<&'a RawValue>,
        }
        object::<Times<'_>>(self.times)?.created
    }
}

impl Message<'_> {
    /// Returns the reason that the API reports for a cache miss.
    pub(super) fn cache_miss_reason(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Diagnostics {
            cache_miss_reason: Option<Reason>,
        }
        #[derive(Deserialize)]
        struct Reason {
            r#type: Option<String>,
        }
        object::<Diagnostics>(self.diagnostics)?.cache_miss_reason?.r#type
    }
}

/// Reads a value; `None` if it is missing or has another form.
pub(super) fn object<'a, T: Deserialize<'a>>(value: Option<&'a RawValue>) -> Option<T> {
    serde_json::from_str(value?.get()).ok()
}

pub(super) fn text(value: Option<&RawValue>) -> Option<String> {
    object(value)
}

/// Creates an exchange that was sent at this time.
pub(super) fn sent(time: Option<&RawValue>) -> Exchange {
    Exchange::sent(object(time).as_ref())
}

pub(super) fn is_true(value: Option<&RawValue>) -> bool {
    value.is_some_and(|it| it.get() == "true")
}

/// Returns true if the value is this string, which must need no escapes.
pub(super) fn is(value: Option<&RawValue>, expected: &str) -> bool {
    let quoted = value.map(RawValue::get).and_then(|it| it.strip_prefix('"'));
    quoted.and_then(|it| it.strip_suffix('"')) == Some(expected)
}
