//! Tools and the tool choice.

use super::raw::RawJson;
use super::wire_object::wire_object;

wire_object! {
    /// A tool that the model may call.
    ///
    /// ```
    /// use aside_messages::wire::{RawJson, Tool};
    ///
    /// let schema = RawJson::parse(r#"{"type":"object"}"#)?;
    /// let tool = Tool::new("Read", "Reads a file.", schema);
    /// assert_eq!(
    ///     serde_json::to_string(&tool)?,
    ///     r#"{"name":"Read","description":"Reads a file.","input_schema":{"type":"object"}}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// A tool that the provider runs has a `type`, and its own keys in `extra`:
    ///
    /// ```json
    /// {"type":"web_search_20260318","name":"web_search","max_uses":3}
    /// ```
    #[derive(Default)]
    pub struct Tool [marked] {
        /// The type, for a tool that the provider runs, or `custom`.
        optional "type" kind: String,
        /// The name: `^[a-zA-Z0-9_-]{1,64}$`, unique in a request. Empty for a set of tools, such
        /// as `mcp_toolset`, which has none.
        nullable "name" name: String,
        /// The description that the model reads.
        optional "description" description: String,
        /// The JSON Schema for the input.
        optional "input_schema" input_schema: RawJson,
        /// True if inputs have to match the schema exactly.
        optional "strict" strict: bool,
        /// True if the model sees the tool only after searching for it.
        optional "defer_loading" defer_loading: bool,
    }
}

wire_object! {
    /// Which tool the model may or has to call.
    ///
    /// ```json
    /// {"type":"tool","name":"Read","disable_parallel_tool_use":true}
    /// ```
    ///
    /// Without it, the API uses `auto`, or `none` in a request without tools.
    #[derive(Default)]
    pub struct ToolChoice {
        /// `auto`, `any`, `tool` or `none`.
        required "type" kind: String,
        /// The tool's name, if `kind` is `tool`.
        optional "name" name: String,
        /// True for at most one call in a response.
        optional "disable_parallel_tool_use" disable_parallel_tool_use: bool,
    }
}

/// Whether the model calls a tool, as a [`ToolChoice`] asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolMode<'a> {
    /// The model decides.
    Auto,
    /// Some tool has to be called: `any`.
    Required,
    /// No tool may be called: `none`.
    Forbidden,
    /// The tool with this name has to be called.
    Only(&'a str),
}

impl ToolChoice {
    /// Returns the choice's mode. An unknown kind, and `tool` without a name,
    /// leave it to the model.
    ///
    /// ```
    /// use aside_messages::wire::{ToolMode, Request};
    ///
    /// let body = br#"{"model":"m","max_tokens":9,"messages":[],"tool_choice":{"type":"any"}}"#;
    /// let request = Request::parse(body)?.value;
    /// assert_eq!(request.tool_choice.unwrap().mode(), ToolMode::Required);
    /// # Ok::<(), aside_messages::wire::ReadError>(())
    /// ```
    #[must_use]
    pub fn mode(&self) -> ToolMode<'_> {
        match (self.kind.as_str(), &self.name) {
            ("any", _) => ToolMode::Required,
            ("none", _) => ToolMode::Forbidden,
            ("tool", Some(name)) => ToolMode::Only(name),
            _ => ToolMode::Auto,
        }
    }
}

impl Tool {
    /// Returns true without a name, which only sets of tools need not have.
    pub(super) fn lacks_name(&self) -> bool {
        self.name.is_empty() && !self.is_set()
    }

    /// Returns true for a set of tools, such as `mcp_toolset`, which has no name of its own.
    #[must_use]
    pub fn is_set(&self) -> bool {
        let kind = self.kind.as_deref();
        self.name.is_empty() && kind.is_some_and(|kind| kind.contains("toolset"))
    }

    /// Creates a tool that your program runs.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: RawJson) -> Self {
        Self {
            name: name.into(),
            description: Some(description.into()),
            input_schema: Some(schema),
            ..Self::default()
        }
    }

    /// Reads an array of tools.
    ///
    /// # Errors
    /// Returns the JSON path, the expected shape and what was found.
    pub fn parse_list(json: &[u8]) -> Result<super::Parsed<Vec<Self>>, super::ReadError> {
        super::read::document(json)
    }
}
