//! Formats, and how to detect them from the first entries.
//!
//! Only which keys are present counts. The order of the checks matters: a
//! LiteLLM payload has `messages`, and so has a body.

use aside_body::wire::{Keys, MESSAGE_KEYS};
use serde_json::Value;

use crate::json::at;

aside_text::names! {
    /// A log format.
    ///
    /// ```
    /// use aside_request_logs::Format;
    ///
    /// assert_eq!("har".parse(), Ok(Format::Har));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// One body, a list of bodies, or one body per line.
        Bodies = "bodies",
        /// JSON Lines with `body`, or with a body as `request`.
        Plain = "plain",
        /// The index in a directory of raw bodies, `index.jsonl`.
        RawBodies = "raw-bodies",
        /// JSON Lines from a recording proxy: `request` with `body`,
        /// `response`.
        Proxy = "proxy",
        /// HAR 1.2.
        Har = "har",
        /// YAML: VCR cassettes, and HTTP mock recordings.
        Cassette = "cassette",
        /// Spans with OpenTelemetry's GenAI attributes.
        OpenTelemetry = "otel",
        /// LiteLLM's `StandardLoggingPayload`.
        LiteLlm = "litellm",
        /// A coding agent's transcript, with each response's usage.
        Transcript = "transcript",
    }
}

impl Format {
    /// Detects the format from an entry; `None` when the entry does not show
    /// it.
    ///
    /// The value is one line, or the whole document. A list is judged by its
    /// first entry.
    pub(crate) fn of_value(value: &Value) -> Option<Self> {
        let has = |path: &[&str]| at(value, path).is_some();
        let by_keys = Self::of_keys(|key| has(&[key]));
        let is_genai = |it: &Value| it.to_string().contains("gen_ai.");
        Some(match value {
            Value::Array(list) => match list.first().and_then(Self::of_value) {
                Some(found @ (Self::Plain | Self::Proxy | Self::LiteLlm)) => found,
                _ => Self::Bodies,
            },
            _ if has(&["log", "entries"]) => Self::Har,
            _ if has(&["body"]) => Self::Plain,
            _ if has(&["request_file"]) => Self::RawBodies,
            _ if has(&["request", "body"]) => Self::Proxy,
            _ if value.get("request").is_some_and(is_body) => Self::Plain,
            _ if has(&["resourceSpans"]) || (has(&["attributes"]) && is_genai(value)) => {
                Self::OpenTelemetry
            }
            _ if by_keys.is_some() => return by_keys,
            _ if has(&["message"]) => Self::Transcript,
            _ if is_body(value) => Self::Bodies,
            _ => return None,
        })
    }

    /// Detects a format that an entry's keys show, which no body has: LiteLLM's payloads, and a
    /// coding agent's sessions. A Claude Code session may begin with a summary or a file snapshot.
    #[must_use]
    pub fn of_keys(has: impl Fn(&str) -> bool) -> Option<Self> {
        // What `opencode export` prints.
        let is_export = || has("info") && has("messages") && !has("model");
        let is_session = || SESSION_KEYS.into_iter().any(&has) || is_export();
        if has("call_type") || has("model_parameters") || (has("startTime") && has("response")) {
            Some(Self::LiteLlm)
        } else {
            is_session().then_some(Self::Transcript)
        }
    }
}

const SESSION_KEYS: [&str; 6] =
    ["payload", "sessionId", "sessionID", "leafUuid", "isSnapshotUpdate", "parentUuid"];

/// Returns true for a body that creates a batch of requests, or uploads its lines, also in a form.
pub(crate) fn is_batch(body: &str) -> bool {
    body.lines().any(|line| line.starts_with('{') && line.contains("\"custom_id\""))
}

/// Returns true for a body on any wire.
fn is_body(value: &Value) -> bool {
    // A body with messages is long: it is not written again.
    MESSAGE_KEYS.iter().any(|key| value.get(key).is_some())
        || Keys::read(value.to_string().as_bytes()).has_messages() == Some(true)
}
