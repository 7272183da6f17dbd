//! Requests for providers with the Messages API.
//!
//! ```text
//! inner form   {"model":"claude-sonnet-5-5","max_tokens":64,"tools":[…],"messages":[…]}
//! Vertex       {"anthropic_version":"…","max_tokens":64,"tools":[…],"messages":[…]}
//! ```
//!
//! The parameters are encoded again, and only if they changed; tools, system prompt and
//! messages are the same shared bytes in every request.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::wire::{CacheControl, Request};
use bytes::Bytes;
use serde::Serialize;

use super::head::{Dialect, StreamKey, write_behind};
use super::output_format::repaired_format;
use crate::json::write_json;
use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::outgoing::{Envelope, Written};
use crate::provider_spec::{CountBody, MessagesDialect};

/// Writes requests for a provider with the Messages API. The parameters
/// are written for it; everything else is sent as it was encoded.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// The parameters of the last request, for the next one with the same parameters.
    head: Option<Head>,
}

/// The parameters of a session's requests, as this provider takes them.
#[derive(Clone, Debug)]
struct Head {
    /// The beta features that are in it, if they are in the body.
    betas: Vec<String>,
    /// The parameters that it was written from.
    parameters: Arc<Request>,
    /// Up to `tools`.
    bytes: Bytes,
    /// The automatic marker, if it has to be on a block instead.
    last_block: Option<CacheControl>,
}

impl Writer {
    /// Writes a request. The losses of the parameters are reported when they are written,
    /// and so once for requests with the same parameters; the loss of a marker is
    /// reported by each request.
    pub(crate) fn write(
        &mut self,
        body: &Body,
        envelope: &Envelope<'_>,
        dialect: &MessagesDialect,
    ) -> Written {
        let parameters = body.parts().parameters;
        let known = self.head.take();
        let betas = &envelope.options.betas;
        let known =
            known.filter(|head| Arc::ptr_eq(&head.parameters, parameters) && head.betas == *betas);
        let mut losses = Vec::new();
        let head = known.unwrap_or_else(|| head(parameters, envelope, dialect, &mut losses));
        let marked = head
            .last_block
            .as_ref()
            .and_then(|control| mark_last(body, control, &mut losses));
        let rest = marked.as_ref().unwrap_or(body).chunks_after_parameters();
        let segments = std::iter::once(&head.bytes).chain(rest).cloned().collect();
        self.head = Some(head);
        Written {
            segments,
            losses,
            names: Names::default(),
        }
    }
}

/// Writes the parameters for this provider. The cost does not depend on the messages.
///
/// The keys `anthropic_version` and `anthropic_beta` of the request are removed for a
/// provider whose body has a version, which comes from the caller's options.
fn head(
    parameters: &Arc<Request>,
    envelope: &Envelope<'_>,
    dialect: &MessagesDialect,
    losses: &mut Vec<ConversionLoss>,
) -> Head {
    let mut request = Request::clone(parameters);
    request.model.clone_from(&envelope.model);
    request.stream = envelope.stream_key(&request);
    let is_head = |key: &str| matches!(key, "anthropic_version" | "anthropic_beta");
    let extra = &mut request.extra.0;
    if dialect.body_version.is_some() && extra.iter().any(|(key, _)| is_head(key)) {
        extra.retain(|(key, _)| !is_head(key));
        losses.push(ConversionLoss::new(
            "anthropic_version",
            "replaced by the one that is asked for",
        ));
    }
    if let Some(config) = &request.output_config {
        request.output_config = repaired_format(config, losses);
    }
    let last_block = match dialect.automatic_marker {
        true => None,
        false => request.cache_control.take(),
    };
    let mut bytes = Dialect::new(dialect, envelope).write(&request);
    bytes.truncate(bytes.len() - b"\"messages\":[]}".len());
    Head {
        parameters: parameters.clone(),
        betas: envelope.options.betas.clone(),
        bytes: bytes.into(),
        last_block,
    }
}

/// Puts the automatic marker on the block that the API would mark, for a provider that
/// does not do so itself. Returns `None` if the body stays as it is: the block is marked
/// already, or no block can have a marker, which is reported.
fn mark_last(
    body: &Body,
    control: &CacheControl,
    losses: &mut Vec<ConversionLoss>,
) -> Option<Body> {
    let parts = body.parts();
    let Some(at) = last_markable(&parts) else {
        losses.push(ConversionLoss::new(
            "cache_control",
            "no block can bear the marker",
        ));
        return None;
    };
    if parts.markers.iter().any(|marker| marker.at == at) || is_marked(&parts, at) {
        return None;
    }
    let control = control.clone();
    let markers = [parts.markers, &[Marker { at, control }]].concat();
    let marked = Body::new(BodyParts {
        markers: &markers,
        ..parts
    });
    Some(marked.expect("the block is there, and has no marker"))
}

/// Returns the last block of the messages that can have a marker, else that of the system
/// prompt.
fn last_markable(parts: &BodyParts<'_>) -> Option<BlockRef> {
    let last = |encoded: &Encoded| encoded.blocks().iter().rposition(|block| block.is_markable);
    let messages = parts.history.messages().chain(parts.tail).rev();
    let numbers = (0..parts.history.len() + parts.tail.len()).rev();
    let in_messages = messages.zip(numbers).find_map(|(encoded, message)| {
        let block = last(encoded)?;
        Some(BlockRef::Message { message, block })
    });
    in_messages.or_else(|| last(parts.system).map(BlockRef::System))
}

/// Returns true if the block has a marker in the encoded bytes.
fn is_marked(parts: &BodyParts<'_>, at: BlockRef) -> bool {
    let block = match at {
        BlockRef::Tool(_) => None,
        BlockRef::System(index) => parts.system.as_system().get(index),
        BlockRef::Message { message, block } => {
            let mut messages = parts.history.messages_from(message);
            let rest = || parts.tail.get(message - parts.history.len());
            let message = messages
                .next()
                .or_else(rest)
                .and_then(|encoded| encoded.as_message());
            message.and_then(|message| message.content.get(block))
        }
    };
    block.is_some_and(|block| block.cache_control().is_some())
}

/// Writes the body of a request to count tokens, without keys that do not
/// count. Bedrock counts the body of an ordinary request, `max_tokens`
/// included.
///
/// Returns a whole body, which is not shared with other requests: the cost is linear in
/// the request.
pub(crate) fn count_body(
    request: &Request,
    envelope: &Envelope<'_>,
    dialect: &MessagesDialect,
) -> Vec<u8> {
    let counted = Request {
        model: envelope.model.clone(),
        max_tokens: request.max_tokens,
        thinking: request.thinking.clone(),
        tool_choice: request.tool_choice.clone(),
        output_config: request.output_config.clone(),
        cache_control: request.cache_control.clone(),
        tools: request.tools.clone(),
        system: request.system.clone(),
        messages: request.messages.clone(),
        ..Request::default()
    };
    if dialect.count == CountBody::InvokeModel {
        let body = Body::verbatim(&counted);
        return Writer::default()
            .write(&body, envelope, dialect)
            .segments
            .concat();
    }
    #[derive(Serialize)]
    struct Count<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        anthropic_version: Option<&'a str>,
        model: &'a str,
    }
    let version = envelope.options.body_version.as_deref();
    let version = dialect
        .body_version
        .map(|default| version.unwrap_or(default));
    let mut head = Vec::new();
    let count = Count {
        anthropic_version: version,
        model: &envelope.model,
    };
    write_json(&mut head, &count);
    head.pop();
    write_behind(head, &counted, StreamKey::Kept)
}
