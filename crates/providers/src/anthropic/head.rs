//! The parameters as a provider takes them, ahead of everything else.
//!
//! Bedrock's InvokeModel and Vertex have `anthropic_version` in place of `model`. The
//! request is serialized as it is, and the bytes of its first keys are replaced, so that
//! all other keys are encoded in one place only.

use aside_messages::wire::Request;

use crate::capabilities::{Betas, GlobalScope};
use crate::json::{JsonObject, write_json};
use crate::outgoing::Envelope;
use crate::provider_spec::MessagesDialect;

/// Whether the body has the key `stream`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKey {
    /// `stream` is written if the request has it.
    Kept,
    /// `stream` is left out: the path of the endpoint decides.
    Out,
}

/// Writes the request as JSON, with all of its keys. A cloud has other ones in place of `model`: the
/// version that the caller set or its default, and the beta features, if it takes them in the body.
///
/// ```json
/// {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["…"]}
/// ```
pub(super) fn write(
    request: &Request,
    dialect: &MessagesDialect,
    envelope: &Envelope<'_>,
) -> Vec<u8> {
    let (mut head, options) = (Vec::new(), envelope.options);
    let Some(version) = dialect.body_version else {
        write_json(&mut head, request);
        return head;
    };
    let mut keys = JsonObject::begin(&mut head);
    keys.set("anthropic_version", options.body_version.as_deref().unwrap_or(version));
    if envelope.spec.capabilities(GlobalScope::Disabled).betas == Betas::Body {
        keys.list("anthropic_beta", &options.betas);
    }
    keys.given("max_tokens", request.max_tokens);
    write_behind(head, request, if dialect.stream_key { StreamKey::Kept } else { StreamKey::Out })
}

/// Writes a request after a head that replaces `model`, `max_tokens` and, if it is
/// removed, `stream`. `head` is an object with at least one key, without its closing
/// brace.
pub(super) fn write_behind(head: Vec<u8>, request: &Request, stream: StreamKey) -> Vec<u8> {
    let mut beginning = b"{\"model\":".to_vec();
    write_json(&mut beginning, &request.model);
    if let Some(limit) = request.max_tokens {
        beginning.extend_from_slice(format!(",\"max_tokens\":{limit}").as_bytes());
    }
    if let Some(streams) = request.stream
        && stream == StreamKey::Out
    {
        beginning.extend_from_slice(format!(",\"stream\":{streams}").as_bytes());
    }
    let mut json = Vec::new();
    write_json(&mut json, request);
    let rest = json.strip_prefix(&beginning[..]);
    let rest = rest.expect("a request begins with model, max_tokens, stream");
    [&head[..], rest].concat()
}
