//! The parameters as a provider takes them, ahead of everything else.

use std::io;

use aside_messages::wire::Request;
use serde::Serialize;

use crate::capabilities::{Betas, GlobalScope};
use crate::json::write_json;
use crate::outgoing::Envelope;
use crate::provider_spec::MessagesDialect;

/// The form of the parameters' beginning.
pub(super) struct Dialect<'a> {
    /// The key in place of `model`.
    version: Option<Version<'a>>,
    stream: StreamKey,
}

/// The first key in the body of a cloud.
#[derive(Serialize)]
struct Version<'a> {
    anthropic_version: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    anthropic_beta: &'a [String],
}

/// Whether the body has the key `stream`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKey {
    Kept,
    Out,
}

impl<'a> Dialect<'a> {
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
            stream: match dialect.stream_key {
                true => StreamKey::Kept,
                false => StreamKey::Out,
            },
        }
    }

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

/// Writes a request after a head that replaces `model`, `max_tokens` and, if it
/// is removed, `stream`.
pub(super) fn write_behind(head: Vec<u8>, request: &Request, stream: StreamKey) -> Vec<u8> {
    let mut beginning = b"{\"model\":".to_vec();
    write_json(&mut beginning, &request.model);
    beginning.extend_from_slice(format!(",\"max_tokens\":{}", request.max_tokens).as_bytes());
    if let Some(streams) = request.stream
        && stream == StreamKey::Out
    {
        beginning.extend_from_slice(format!(",\"stream\":{streams}").as_bytes());
    }
    let mut writer = Behind {
        out: head,
        replaced: &beginning,
    };
    serde_json::to_writer(&mut writer, request).expect("a request has string keys only");
    writer.out
}

/// Leaves out the bytes that the head replaces.
struct Behind<'a> {
    out: Vec<u8>,
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
        assert_eq!(
            replaced,
            &bytes[..length],
            "a request begins with model, max_tokens, stream"
        );
        self.replaced = later;
        self.out.extend_from_slice(&bytes[length..]);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
