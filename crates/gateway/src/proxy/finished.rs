//! An exchange at its end: what its record and its line are made from.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Bytes;

use serde_json::value::RawValue;

use super::observe::Observed;
use super::upstream::Wire;
use crate::buffers::Buffers;
use crate::redact::{self, Texts};

/// If an error's type is longer than this, it is a text, and not reported.
const MAX_KIND_BYTES: usize = 64;

/// How many characters of an error's message, or of a figure, to report.
const MAX_MESSAGE_CHARS: usize = 300;

/// An exchange as it is recorded.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) wire: Wire,
    /// The time since 1970.
    pub(crate) at: Duration,
    pub(crate) path: String,
    /// The body as sent to the upstream, decompressed; until it is joined, the agent's own.
    pub(crate) body: Bytes,
    /// The segments of the body with other markers; none if it is joined, or as the agent sent it.
    pub(crate) placed: Vec<Bytes>,
    /// The body as the agent sent it, if it differs.
    pub(crate) original: Option<Bytes>,
    /// The body is known to be JSON without secrets.
    pub(crate) is_clean: bool,
    /// The agent, if the request's markers may be replaced.
    pub(crate) agent: Option<u64>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) status: Option<u16>,
    /// How long until the response began.
    pub(crate) latency: Option<Duration>,
    pub(crate) observed: Observed,
    pub(crate) is_complete: bool,
    /// Why the markers were left as they were.
    pub(crate) note: Option<String>,
    /// The request's credentials, which an error from the upstream may quote.
    pub(crate) secrets: Vec<String>,
}

impl Finished {
    /// Returns the wire's provider, as records name it.
    pub(crate) fn provider(&self) -> &'static str {
        match self.wire {
            Wire::Messages => "anthropic",
            Wire::GenerateContent => "gemini",
            _ => "openai",
        }
    }

    /// Returns the message of an error. Without texts, there is only that of the proxy itself: an
    /// upstream's may quote texts from the request.
    pub(crate) fn error_message(&self, texts: Texts) -> Option<&str> {
        let is_own = self.status.is_none();
        self.observed.error_message.as_deref().filter(|_| is_own || texts == Texts::Kept)
    }

    /// Joins the segments of a body with other markers.
    pub(crate) fn join(&mut self, buffers: &Buffers) {
        let placed = std::mem::take(&mut self.placed);
        if !placed.is_empty() {
            let body = buffers.join(&placed);
            self.original = Some(std::mem::replace(&mut self.body, body));
        }
    }

    /// Removes secrets from the bodies, before anything is derived from them: excerpts of a cache
    /// miss are printed, too. Returns true if there were any.
    pub(crate) fn redact_bodies(&mut self) -> bool {
        let mut has_secrets = false;
        for body in self.original.iter_mut().chain([&mut self.body]) {
            match redact::body(body) {
                Cow::Owned(redacted) => {
                    *body = redacted.into();
                    has_secrets = true;
                }
                // Other markers bring no secret.
                Cow::Borrowed(_) => break,
            }
        }
        has_secrets
    }

    /// Removes secrets from what was observed and noted.
    pub(crate) fn redact_observed(&mut self) {
        let observed = &mut self.observed;
        let usage = observed.usage.iter_mut();
        for json in observed.content.iter_mut().flatten().chain(usage) {
            if let Cow::Owned(redacted) = redact::block(json.get())
                && let Ok(redacted) = RawValue::from_string(redacted)
            {
                *json = redacted;
            }
        }
        if let Some(output) = &mut observed.output
            && let Cow::Owned(redacted) = redact::block(output)
        {
            *output = redacted;
        }
        // An upstream chooses its error's type.
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let is_kind = |error: &String| error.len() <= MAX_KIND_BYTES && error.bytes().all(is_name);
        observed.error = observed.error.take().filter(is_kind);
        // A message without a type is not an API's.
        let message = observed.error_message.take();
        observed.error_message = message.filter(|_| observed.error.is_some());
        if let Some(message) = &mut observed.error_message {
            for secret in &self.secrets {
                *message = message.replace(secret.as_str(), "***");
            }
            *message = shortened(&redact::line(message));
        }
        observed.unread = observed.unread.take().map(|it| shortened(&redact::line(&it)));
        self.note = self.note.take().map(|note| redact::line(&note));
    }
}

/// Cuts off what is too long to report.
fn shortened(text: &str) -> String {
    aside_text::shortened(text, MAX_MESSAGE_CHARS).into_owned()
}
