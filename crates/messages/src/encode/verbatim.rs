//! A body for a request with its own cache markers.

use std::sync::{Arc, OnceLock};

use super::body::{Body, BodyParts};
use super::encoded::Encoded;
use super::history::History;
use crate::wire::Request;

impl Body {
    /// Encodes a whole request, when its bytes are first asked for. They are what serde writes: its
    /// cache markers stay where they are, and [`BodyParts::markers`] is empty.
    #[must_use]
    pub fn verbatim(request: &Request) -> Self {
        let parameters = parameters(request);
        let messages = request.messages.iter().cloned();
        let tail: Vec<_> =
            messages.map(|message| Arc::new(Encoded::verbatim_message(message))).collect();
        let parts = BodyParts {
            parameters: &Arc::new(parameters),
            tools: &Arc::new(Encoded::verbatim_tools(request.tools.clone())),
            system: &Arc::new(Encoded::verbatim_system(request.system.clone())),
            history: &History::default(),
            tail: &tail,
            markers: &[],
        };
        Self::of(parts, OnceLock::new())
    }
}

/// Copies everything but tools, system prompt and messages.
fn parameters(request: &Request) -> Request {
    Request {
        model: request.model.clone(),
        max_tokens: request.max_tokens,
        stream: request.stream,
        temperature: request.temperature.clone(),
        stop_sequences: request.stop_sequences.clone(),
        thinking: request.thinking.clone(),
        tool_choice: request.tool_choice.clone(),
        metadata: request.metadata.clone(),
        service_tier: request.service_tier.clone(),
        output_config: request.output_config.clone(),
        context_management: request.context_management.clone(),
        cache_control: request.cache_control.clone(),
        extra: request.extra.clone(),
        tools: Vec::new(),
        system: Vec::new(),
        messages: Vec::new(),
    }
}
