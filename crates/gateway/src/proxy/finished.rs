//! The end of an exchange: the values that its record and its line are made of.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Bytes;

use serde_json::value::RawValue;

use super::observe::Observed;
use super::upstream::Wire;
use crate::redact;

/// The type of an error that is longer is a text, and not reported.
const MAX_KIND_BYTES: usize = 64;

/// How many characters of the message of an error are reported.
const MAX_MESSAGE_CHARS: usize = 300;

/// An exchange as it is recorded.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) wire: Wire,
    pub(crate) provider: &'static str,
    /// The time since 1970.
    pub(crate) at: Duration,
    pub(crate) path: String,
    /// The body as it was sent to the upstream, decompressed.
    pub(crate) body: Bytes,
    /// The body as the agent sent it, if it differs.
    pub(crate) original: Option<Bytes>,
    /// The agent, if the markers of the request may be replaced.
    pub(crate) agent: Option<u64>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) status: Option<u16>,
    /// The time until the response began.
    pub(crate) latency: Option<Duration>,
    pub(crate) observed: Observed,
    pub(crate) is_complete: bool,
    /// Why the markers were left as they were.
    pub(crate) note: Option<String>,
    /// The credentials of the request, which an error of the upstream may quote.
    pub(crate) secrets: Vec<String>,
}

impl Finished {
    /// Removes the secrets, before anything is derived from the bodies: the
    /// excerpts of a cache miss are printed, too.
    pub(crate) fn redact(&mut self) {
        for body in self.original.iter_mut().chain([&mut self.body]) {
            if let Cow::Owned(redacted) = redact::body(body) {
                *body = redacted.into();
            }
        }
        let observed = &mut self.observed;
        let usage = observed.usage.iter_mut();
        for json in observed.content.iter_mut().flatten().chain(usage) {
            if let Cow::Owned(redacted) = redact::block(json.get())
                && let Ok(redacted) = RawValue::from_string(redacted)
            {
                *json = redacted;
            }
        }
        // An upstream chooses the type of its error.
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        let is_kind = |error: &String| error.len() <= MAX_KIND_BYTES && error.bytes().all(is_name);
        observed.error = observed.error.take().filter(is_kind);
        // A message without a type is not one of an API.
        let message = observed.error_message.take();
        observed.error_message = message.filter(|_| observed.error.is_some());
        if let Some(message) = &mut observed.error_message {
            for secret in &self.secrets {
                *message = message.replace(secret.as_str(), "***");
            }
            *message = redact::line(message);
            if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS) {
                message.truncate(end);
                message.push('…');
            }
        }
        self.note = self.note.take().map(|note| redact::line(&note));
    }
}
