//! The parameters as a provider takes them, ahead of everything else.
//!
//! Bedrock's InvokeModel and Vertex have `anthropic_version` in place of `model`. The
//! request is serialized as it is, and the bytes of its first keys are replaced while
//! they are written, so that all other keys are encoded in one place only.

use std::io;

use aside_messages::wire::Request;
use serde::Serialize;

use crate::capabilities::{Betas, GlobalScope};
use crate::json::write_json;
use crate::outgoing::Envelope;
use crate::provider_spec::MessagesDialect;

/// The form of the parameters' beginning.
pub(super) struct Dialect<'a> {
    /// The keys in place of `model`; `None` if `model` stays.
    version: Option<Version<'a>>,
    /// The form of the key `stream`.
    stream: StreamKey,
}

/// The first key in the body of a cloud.
///
/// ```json
/// {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["…"]}
/// ```
#[derive(Serialize)]
struct Version<'a> {
    /// The version that the caller set, or the default of the provider.
    anthropic_version: &'a str,
    /// The beta features, if the provider takes them in the body; empty ones are left
    /// out.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    anthropic_beta: &'a [String],
}

/// Whether the body has the key `stream`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKey {
    /// `stream` is written if the request has it.
    Kept,
    /// `stream` is left out: the path of the endpoint decides.
    Out,
}

impl<'a> Dialect<'a> {
    /// Returns the form for a provider, with the version and the betas of the caller's
    /// options.
    pub(super) fn new(dialect: &MessagesDialect, envelope: &'a Envelope<'_>) -> Self {
        let options = envelope.options;
        let capabilities = envelope.spec.capabilities(GlobalScope::Disabled);
        let betas: &[String] = match capabilities.betas {
            Betas::Body => &options.betas,
            Betas::Header | Betas::None => &[],
        };
        Self {
            version: dialect.body_version.map(|default| Version {
                anthropic_version: options.body_version.as_deref().unwrap_or(default),
                anthropic_beta: betas,
            }),
            stream: if dialect.stream_key { StreamKey::Kept } else { StreamKey::Out },
        }
    }

    /// Writes the request as JSON, with all of its keys.
    pub(super) fn write(&self, request: &Request) -> Vec<u8> {
        let mut head = Vec::new();
        let Some(version) = &self.version else {
            write_json(&mut head, request);
            return head;
        };
        write_json(&mut head, version);
        head.pop();
        head.extend_from_slice(format!(",\"max_tokens\":{}", request.max_tokens).as_bytes());
        write_behind(head, request, self.stream)
    }
}

/// Writes a request after a head that replaces `model`, `max_tokens` and, if it is
/// removed, `stream`. `head` is an object with at least one key, without its closing
/// brace.
pub(super) fn write_behind(head: Vec<u8>, request: &Request, stream: StreamKey) -> Vec<u8> {
    let mut beginning = b"{\"model\":".to_vec();
    write_json(&mut beginning, &request.model);
    beginning.extend_from_slice(format!(",\"max_tokens\":{}", request.max_tokens).as_bytes());
    if let Some(streams) = request.stream
        && stream == StreamKey::Out
    {
        beginning.extend_from_slice(format!(",\"stream\":{streams}").as_bytes());
    }
    let mut writer = Behind { out: head, replaced: &beginning };
    serde_json::to_writer(&mut writer, request).expect("a request has string keys only");
    writer.out
}

/// Leaves out the bytes that the head replaces.
struct Behind<'a> {
    /// The bytes that were written.
    out: Vec<u8>,
    /// The bytes at the beginning of the request that are still to be left out.
    replaced: &'a [u8],
}

impl io::Write for Behind<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.replaced.is_empty() {
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        let length = bytes.len().min(self.replaced.len());
        let (replaced, later) = self.replaced.split_at(length);
        assert_eq!(replaced, &bytes[..length], "a request begins with model, max_tokens, stream");
        self.replaced = later;
        self.out.extend_from_slice(&bytes[length..]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
