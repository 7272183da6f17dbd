use serde::{Serialize, Serializer};
use serde_json::Number;
use serde_json::value::RawValue;

use super::CacheControl;
use super::block::ContentBlock;
use super::message::{Blocks, Message};
use super::object::{Extra, ObjectReader, ObjectWriter, wire_object};
use super::path::Path;
use super::raw::RawJson;
use super::read::{Parsed, Read, ReadError, Reader, document};
use super::tool::{Tool, ToolChoice};

/// A block of the system prompt: text, or what else a caller put there.
pub type SystemBlock = ContentBlock;

/// The body of `POST /v1/messages`.
///
/// Parameters come first and `messages` last, in the order of the prompt
/// cache, so that the bytes of one turn are a prefix of the next one's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Such as `claude-sonnet-5`.
    pub model: String,
    /// The longest answer, in tokens.
    pub max_tokens: u64,
    /// Whether the answer comes as server-sent events.
    pub stream: Option<bool>,
    /// Sampling temperature.
    pub temperature: Option<Number>,
    /// Texts that end the answer.
    pub stop_sequences: Vec<String>,
    /// Whether and how much the model thinks.
    pub thinking: Option<ThinkingConfig>,
    /// Whether and which tool must be called.
    pub tool_choice: Option<ToolChoice>,
    /// Such as `user_id`.
    pub metadata: Option<RawJson>,
    /// `auto` or `standard_only`.
    pub service_tier: Option<String>,
    /// Effort, format of the answer.
    pub output_config: Option<RawJson>,
    /// Which old blocks the provider clears by itself.
    pub context_management: Option<RawJson>,
    /// The automatic marker: the provider marks the last block it can.
    pub cache_control: Option<CacheControl>,
    /// Further keys, in the order they came.
    pub extra: Extra,
    /// The tools.
    pub tools: Vec<Tool>,
    /// The system prompt.
    pub system: Vec<SystemBlock>,
    /// The conversation.
    pub messages: Vec<Message>,
}

wire_object! {
    /// The `thinking` parameter.
    pub struct ThinkingConfig {
        /// `enabled`, `disabled` or `adaptive`.
        required "type" kind: String,
        /// Where enabled, at most so many tokens.
        optional "budget_tokens" budget_tokens: u64,
    }
}

impl Request {
    /// Reads a request body. Plain strings become text blocks; unknown keys
    /// and block types are kept.
    ///
    /// # Errors
    /// Where, what was expected and what was found.
    pub fn parse(json: &[u8]) -> Result<Parsed<Self>, ReadError> {
        document(json)
    }
}

/// A request with its parameters only, and no messages.
pub(crate) struct Parameters<'a>(pub(crate) &'a Request);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none: &[Message] = &[];
        self.0
            .parameters(ObjectWriter::new(serializer)?)?
            .required("messages", none)?
            .end()
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.parameters(ObjectWriter::new(serializer)?)?
            .sparse("tools", &self.tools)?
            .sparse("system", &self.system)?
            .required("messages", &self.messages)?
            .end()
    }
}

impl Request {
    fn parameters<S: Serializer>(
        &self,
        writer: ObjectWriter<S>,
    ) -> Result<ObjectWriter<S>, S::Error> {
        writer
            .required("model", &self.model)?
            .required("max_tokens", &self.max_tokens)?
            .optional("stream", self.stream.as_ref())?
            .optional("temperature", self.temperature.as_ref())?
            .sparse("stop_sequences", &self.stop_sequences)?
            .optional("thinking", self.thinking.as_ref())?
            .optional("tool_choice", self.tool_choice.as_ref())?
            .optional("metadata", self.metadata.as_ref())?
            .optional("service_tier", self.service_tier.as_ref())?
            .optional("output_config", self.output_config.as_ref())?
            .optional("context_management", self.context_management.as_ref())?
            .optional("cache_control", self.cache_control.as_ref())?
            .extra(&self.extra)
    }
}

impl Read for Request {
    const EXPECTED: &'static str = "a request body";

    fn read(raw: &RawValue, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(raw, at)?;
        Ok(Self {
            model: object.required("model", reader)?,
            max_tokens: object.required("max_tokens", reader)?,
            stream: object.optional("stream", reader)?,
            temperature: object.optional("temperature", reader)?,
            stop_sequences: object.sparse("stop_sequences", reader)?,
            thinking: object.optional("thinking", reader)?,
            tool_choice: object.optional("tool_choice", reader)?,
            metadata: object.optional("metadata", reader)?,
            service_tier: object.optional("service_tier", reader)?,
            output_config: object.optional("output_config", reader)?,
            context_management: object.optional("context_management", reader)?,
            cache_control: object.marked("cache_control", reader)?,
            tools: object.sparse("tools", reader)?,
            system: object.sparse::<Blocks>("system", reader)?.0,
            messages: object.required("messages", reader)?,
            extra: object.rest(),
        })
    }
}
