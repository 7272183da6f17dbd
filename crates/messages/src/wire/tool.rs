use super::Extra;
use super::object::wire_object;
use super::raw::RawJson;

wire_object! {
    /// A tool that the model may call.
    pub struct Tool [marked] {
        /// Only server tools have one.
        optional "type" kind: String,
        /// `^[a-zA-Z0-9_-]{1,64}$`, unique in a request.
        required "name" name: String,
        /// What it does, for the model.
        optional "description" description: String,
        /// JSON Schema of the input, as given.
        optional "input_schema" input_schema: RawJson,
        /// Whether inputs must match the schema exactly.
        optional "strict" strict: bool,
        /// Whether the model sees it only after a search for it.
        optional "defer_loading" defer_loading: bool,
    }
}

wire_object! {
    /// Whether and which tool the model has to call.
    pub struct ToolChoice {
        /// `auto`, `any`, `tool` or `none`.
        required "type" kind: String,
        /// The tool, where `kind` is `tool`.
        optional "name" name: String,
        /// At most one call in an answer.
        optional "disable_parallel_tool_use" disable_parallel_tool_use: bool,
    }
}

impl Tool {
    /// A tool of the caller's own.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, schema: RawJson) -> Self {
        Self {
            kind: None,
            name: name.into(),
            description: Some(description.into()),
            input_schema: Some(schema),
            strict: None,
            defer_loading: None,
            extra: Extra::default(),
            cache_control: None,
        }
    }

    /// Reads an array of tools.
    ///
    /// # Errors
    /// Where, what was expected and what was found.
    pub fn parse_list(json: &[u8]) -> Result<super::Parsed<Vec<Self>>, super::ReadError> {
        super::read::document(json)
    }
}
