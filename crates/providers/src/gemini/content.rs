//! Writes the conversation as contents.
//!
//! ```text
//! [user: tool_result], [user: text], [assistant: text, tool_use]
//! → {"role":"user","parts":[{"functionResponse":…},{"text":…}]},
//!   {"role":"model","parts":[{"text":…},{"functionCall":…}]}
//! ```
//!
//! The roles have to alternate, so consecutive messages with one role become one content. For this
//! reason, the last message's content stays open until the other role begins, or the end.

mod model;
mod user;

use aside_messages::wire::Role;

use super::part::Part;
use crate::body_writer::{MARKERS, Numbered, Sink, WriteMessages};
use crate::inner_form::has_marked_block;
use crate::json::write_json;
use crate::loss::ConversionLoss;
use crate::provider::Provider;
use crate::refused::RefusedError;

/// The signature to send when Gemini did not sign a call, such as another model's. It is the
/// placeholder from Gemini's documentation, which the server accepts.
pub(crate) const UNSIGNED: &str = "skip_thought_signature_validator";

/// The placeholders that Gemini documents for calls that it did not sign, as texts and in base64,
/// in which its Python SDK writes them.
const PLACEHOLDERS: [&str; 4] = [
    UNSIGNED,
    "context_engineering_is_the_way_to_go",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I",
    "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
];

/// Returns true for a thought signature that signs nothing: a placeholder from Gemini's
/// documentation.
///
/// ```
/// assert!(aside_providers::is_placeholder_signature("skip_thought_signature_validator"));
/// assert!(!aside_providers::is_placeholder_signature("CiQBjz1rX0"));
/// ```
#[must_use]
pub fn is_placeholder_signature(signature: &str) -> bool {
    PLACEHOLDERS.contains(&signature.trim_end_matches('='))
}

#[derive(Clone, Debug)]
pub(crate) struct Writer {
    /// Whether a function response can contain media.
    media_in_results: bool,
    /// Whether every call needs a signature.
    signed_calls: bool,
    /// The open content's role, which the next message may continue. `None` at first.
    open: Option<&'static str>,
}

impl Writer {
    /// Creates a writer for a conversation without messages. When the catalogue does not know the
    /// model, responses have no media and calls need no signature.
    pub(crate) fn new(model: &str) -> Self {
        let facts = Provider::Gemini.spec().facts(model);
        Self {
            media_in_results: facts.is_some_and(|it| it.media_in_results == Some(true)),
            signed_calls: facts.is_some_and(|it| it.signed_calls == Some(true)),
            open: None,
        }
    }
}

impl WriteMessages for Writer {
    fn write(&mut self, message: Numbered<'_>, sink: &mut Sink<'_>) -> Result<(), RefusedError> {
        let writer = MessageWriter { writer: self.clone(), sink };
        let (role, parts) = writer.parts(message)?;
        if parts.is_empty() {
            return Ok(());
        }
        // The roles have to alternate.
        let mut separator = match self.open.replace(role) {
            Some(open) if open == role => ",",
            Some(_) => {
                sink.out.extend_from_slice(b"]},");
                begin(sink.out, role)
            }
            None => begin(sink.out, role),
        };
        for part in parts {
            sink.out.extend_from_slice(separator.as_bytes());
            write_json(sink.out, &part);
            separator = ",";
        }
        Ok(())
    }

    fn close(&self, out: &mut Vec<u8>) {
        if self.open.is_some() {
            out.extend_from_slice(b"]}");
        }
        out.extend_from_slice(b"]}");
    }

    fn markers_lost(&self) -> &'static str {
        NO_MARKERS
    }
}

/// What to report when a cache marker is lost.
pub(super) const NO_MARKERS: &str =
    "cache markers are left out: Gemini's cache finds prefixes by itself";

/// Starts a content, and returns the separator before its first part, which is empty.
fn begin(out: &mut Vec<u8>, role: &'static str) -> &'static str {
    out.extend_from_slice(b"{\"role\":");
    write_json(out, role);
    out.extend_from_slice(b",\"parts\":[");
    ""
}

/// Converts one message.
struct MessageWriter<'s, 'o> {
    /// A copy, to read its settings.
    writer: Writer,
    sink: &'s mut Sink<'o>,
}

impl MessageWriter<'_, '_> {
    /// Returns a message's role and parts; no parts if nothing is left in it.
    fn parts(
        mut self,
        numbered: Numbered<'_>,
    ) -> Result<(&'static str, Vec<Part<'_>>), RefusedError> {
        let Numbered { index, message, before, .. } = numbered;
        if has_marked_block(message) {
            self.sink.losses.push(ConversionLoss::new(MARKERS, NO_MARKERS));
        }
        Ok(match message.role {
            Role::Assistant => ("model", self.model(index, &message.content)?),
            _ => {
                let calls = before.map_or(&[][..], |message| &message.content);
                ("user", self.user(index, &message.content, calls)?)
            }
        })
    }
}
