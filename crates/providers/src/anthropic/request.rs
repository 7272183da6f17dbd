//! Requests for providers with the Messages API.
//!
//! ```text
//! inner form   {"model":"claude-sonnet-5-5","max_tokens":64,"tools":[…],"messages":[…]}
//! Vertex       {"anthropic_version":"…","max_tokens":64,"tools":[…],"messages":[…]}
//! ```
//!
//! Parameters are encoded again only when they change; tools, system prompt and messages are the
//! same shared bytes in every request.

use std::sync::Arc;

use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::wire::{CacheControl, Request};
use bytes::Bytes;

use super::head::{StreamKey, write, write_behind};
use super::output_format::repaired_format;
use crate::json::JsonObject;
use crate::loss::ConversionLoss;
use crate::names::Names;
use crate::outgoing::{Envelope, Written};
use crate::provider_spec::{CountBody, MessagesDialect};

/// Writes requests for a provider with the Messages API. Only the parameters are written for it;
/// everything else is sent as it was encoded.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// The last request's parameters, to use again while they are the same.
    head: Option<Head>,
}

/// A session's parameters, as this provider takes them.
#[derive(Clone, Debug)]
struct Head {
    /// Its beta features, if they go in the body.
    betas: Vec<String>,
    /// What it was written from.
    parameters: Arc<Request>,
    /// Everything up to `tools`.
    bytes: Bytes,
    /// The automatic marker, if it has to be on a block instead.
    last_block: Option<CacheControl>,
}

impl Writer {
    /// Writes a request. Parameter losses are reported when the parameters are written, so once
    /// while they stay the same; every request reports a marker's loss.
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
        let marked =
            head.last_block.as_ref().and_then(|control| mark_last(body, control, &mut losses));
        let rest = marked.as_ref().unwrap_or(body).chunks_after_parameters();
        let segments = std::iter::once(&head.bytes).chain(rest).cloned().collect();
        self.head = Some(head);
        Written { segments, losses, names: Names::default() }
    }
}

/// Writes the parameters for this provider. The cost does not depend on the messages.
///
/// When the provider's body has a version, this removes the request's `anthropic_version` and
/// `anthropic_beta`: that version comes from the caller's options.
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
    let last_block = if dialect.automatic_marker { None } else { request.cache_control.take() };
    let mut bytes = write(&request, dialect, envelope);
    bytes.truncate(bytes.len() - b"\"messages\":[]}".len());
    Head {
        parameters: parameters.clone(),
        betas: envelope.options.betas.clone(),
        bytes: bytes.into(),
        last_block,
    }
}

/// Puts the automatic marker on the block that the API would mark, when the provider does not do so
/// itself. Returns `None` to leave the body as it is: that block is marked already, or no block can
/// have a marker. This is reported, unless the block has the same marker.
fn mark_last(
    body: &Body,
    control: &CacheControl,
    losses: &mut Vec<ConversionLoss>,
) -> Option<Body> {
    let parts = body.parts();
    let Some(at) = last_markable(&parts) else {
        losses.push(ConversionLoss::new("cache_control", "no block can bear the marker"));
        return None;
    };
    let inserted = parts.markers.iter().find(|marker| marker.at == at);
    if let Some(own) = inserted.map(|it| it.control.clone()).or_else(|| own_marker(&parts, at)) {
        if own.ttl() != control.ttl() {
            let what = "left out: the last block that takes one has a marker with another lifetime";
            losses.push(ConversionLoss::new("cache_control", what));
        }
        return None;
    }
    let control = control.clone();
    let markers = [parts.markers, &[Marker { at, control }]].concat();
    let marked = Body::new(BodyParts { markers: &markers, ..parts });
    Some(marked.expect("the block is there, and has no marker"))
}

/// Returns the last message block that can have a marker, or else the system prompt's.
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

/// Returns the marker in the block's encoded bytes.
fn own_marker(parts: &BodyParts<'_>, at: BlockRef) -> Option<CacheControl> {
    let block = match at {
        BlockRef::Tool(_) => None,
        BlockRef::System(index) => parts.system.as_system().get(index),
        BlockRef::Message { message, block } => {
            let mut messages = parts.history.messages_from(message);
            let rest = || parts.tail.get(message - parts.history.len());
            let message = messages.next().or_else(rest).and_then(|encoded| encoded.as_message());
            message.and_then(|message| message.content.get(block))
        }
    };
    block?.cache_control()
}

/// Writes the body to send to count tokens, without keys that do not count. Bedrock counts an
/// ordinary request's body, including `max_tokens`.
///
/// This is a whole body, not shared with other requests: the cost is linear in the request.
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
        return Writer::default().write(&body, envelope, dialect).segments.concat();
    }
    let version = envelope.options.body_version.as_deref();
    let version = dialect.body_version.map(|default| version.unwrap_or(default));
    let mut head = Vec::new();
    let mut count = JsonObject::begin(&mut head);
    count.given("anthropic_version", version).set("model", &*envelope.model);
    write_behind(head, &counted, StreamKey::Kept)
}
