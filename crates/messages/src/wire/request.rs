//! A request's body: parameters, tools, system prompt and messages, in the
//! order of the prompt cache.

use aside_json::{Path, Value};
use serde::{Serialize, Serializer};
use serde_json::Number;

use super::CacheControl;
use super::block::ContentBlock;
use super::extra::Extra;
use super::message::{Blocks, Message};
use super::object::{ObjectReader, ObjectWriter};
use super::raw::RawJson;
use super::read::{Parsed, Read, ReadError, Reader, document};
use super::tool::{Tool, ToolChoice};
use super::wire_object::wire_object;

/// A block in the system prompt. The API accepts text only.
pub type SystemBlock = ContentBlock;

/// The body for `POST /v1/messages`.
///
/// Parameters come first and `messages` last, in the order of the prompt cache,
/// so that one request's bytes are a prefix of the next one's. Source for the
/// keys: the public Messages API documentation.
///
/// ```
/// use aside_messages::wire::Request;
///
/// let json = r#"{"messages":[{"role":"user","content":"Hi"}],"model":"m","max_tokens":1}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     concat!(
///         r#"{"model":"m","max_tokens":1,"messages":"#,
///         r#"[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#,
///     )
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The model, such as `claude-sonnet-5`.
    pub model: String,
    /// How many tokens the response may have. The Messages API needs it, and 0 only warms the
    /// cache there; other wires may have no limit.
    pub max_tokens: Option<u64>,
    /// True to get the response as server-sent events.
    pub stream: Option<bool>,
    /// The sampling temperature.
    pub temperature: Option<Number>,
    /// Texts that end the response.
    pub stop_sequences: Vec<String>,
    /// How the model thinks.
    pub thinking: Option<ThinkingConfig>,
    /// Which tool the model may or has to call.
    pub tool_choice: Option<ToolChoice>,
    /// Metadata, such as `user_id`.
    pub metadata: Option<RawJson>,
    /// The service tier: `auto` or `standard_only`.
    pub service_tier: Option<String>,
    /// The response's effort and format.
    pub output_config: Option<RawJson>,
    /// Context edits: old tool results or thinking for the provider to clear.
    pub context_management: Option<RawJson>,
    /// The automatic cache marker: the provider puts it on the last block that
    /// takes one.
    pub cache_control: Option<CacheControl>,
    /// The other keys, in input order.
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
    ///
    /// ```json
    /// {"type":"enabled","budget_tokens":2048}
    /// ```
    ///
    /// `display` and `block_binding` are in `extra`.
    #[derive(Default)]
    pub struct ThinkingConfig {
        /// The mode: `adaptive`, `enabled`, `disabled` or `between_tools`.
        required "type" kind: String,
        /// How many tokens to think, if `kind` is `enabled`.
        optional "budget_tokens" budget_tokens: u64,
    }
}

impl Request {
    /// Reads a request body. Plain strings become text blocks; unknown keys and
    /// block types are kept.
    ///
    /// `"system":"text"` becomes one block. Reading fails at the first fault;
    /// for all of them, use `aside_rules::check`.
    ///
    /// # Errors
    /// Returns the JSON path, the expected shape and what was found.
    pub fn parse(json: &[u8]) -> Result<Parsed<Self>, ReadError> {
        document(json)
    }
}

/// A request's parameters, with an empty list of messages.
///
/// The encoder cuts the empty list off and appends the tools, the system prompt
/// and the messages as shared bytes.
pub(crate) struct Parameters<'a> {
    pub(crate) request: &'a Request,
    /// True if tools are written after the parameters.
    pub(crate) has_tools: bool,
    /// True if a system prompt is written after the parameters.
    pub(crate) has_system: bool,
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none: &[Message] = &[];
        self.write(serializer)?.required("messages", none)?.end()
    }
}

impl<'a> Parameters<'a> {
    /// Writes the members before `tools`, in a fixed order.
    fn write<S: Serializer>(&self, serializer: S) -> Result<ObjectWriter<'a, S>, S::Error> {
        let it = self.request;
        let mut writer = it.extra.writer(serializer)?.reserved("messages");
        if self.has_tools {
            writer = writer.reserved("tools");
        }
        if self.has_system {
            writer = writer.reserved("system");
        }
        writer
            .required("model", &it.model)?
            .optional("max_tokens", it.max_tokens.as_ref())?
            .optional("stream", it.stream.as_ref())?
            .optional("temperature", it.temperature.as_ref())?
            .sparse("stop_sequences", &it.stop_sequences)?
            .optional("thinking", it.thinking.as_ref())?
            .optional("tool_choice", it.tool_choice.as_ref())?
            .optional("metadata", it.metadata.as_ref())?
            .optional("service_tier", it.service_tier.as_ref())?
            .optional("output_config", it.output_config.as_ref())?
            .optional("context_management", it.context_management.as_ref())?
            .optional("cache_control", it.cache_control.as_ref())?
            .extra()
    }
}

impl Serialize for Request {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parameters = Parameters {
            request: self,
            has_tools: !self.tools.is_empty(),
            has_system: !self.system.is_empty(),
        };
        parameters
            .write(serializer)?
            .sparse("tools", &self.tools)?
            .sparse("system", &self.system)?
            .required("messages", &self.messages)?
            .end()
    }
}

impl Read for Request {
    const EXPECTED: &'static str = "a request body";

    fn read(value: Value<'_>, at: Path<'_>, reader: &mut Reader) -> Result<Self, ReadError> {
        let mut object = ObjectReader::new(value, at)?;
        let tools: Vec<Tool> = object.sparse("tools", reader)?;
        if let Some(index) = tools.iter().position(Tool::lacks_name) {
            let list = Path::Key(&at, "tools");
            let tool = Path::Index(&list, index);
            return Err(ReadError::missing(Path::Key(&tool, "name"), String::EXPECTED));
        }
        Ok(Self {
            model: object.required("model", reader)?,
            max_tokens: Some(object.required("max_tokens", reader)?),
            stream: object.optional("stream", reader)?,
            temperature: object.optional("temperature", reader)?,
            stop_sequences: object.sparse("stop_sequences", reader)?,
            thinking: object.optional("thinking", reader)?,
            tool_choice: object.optional("tool_choice", reader)?,
            metadata: object.optional("metadata", reader)?,
            service_tier: object.optional("service_tier", reader)?,
            output_config: object.optional("output_config", reader)?,
            context_management: object.optional("context_management", reader)?,
            cache_control: object.defaulted("cache_control", reader)?,
            tools,
            system: object.sparse::<Blocks>("system", reader)?.0,
            messages: object.required("messages", reader)?,
            extra: object.rest(),
        })
    }
}
