//! Calls of tools, and their outputs.
//!
//! ```text
//! {"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}  tool_use, input {}
//! {"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"}   tool_use, {"input":"ls"}
//! {"type":"function_call_output","call_id":"c","output":"a.txt"}       tool_result
//! ```

use aside_messages::wire::{Extra, RawJson, ResultContent, Tool};
use serde::Serialize;

use super::Items;
use crate::import::Result;
use crate::import::conversation::{CallKey, input};
use crate::import::object::Object;
use crate::import::responses::parts;

/// Why a custom tool is changed. A stream reads its calls the same way.
const AS_FUNCTION: &str =
    "replaced by a function whose member input holds the text: the Messages API has no other tools";

/// The schema of a custom tool as a function.
///
/// A custom tool has no schema at OpenAI: its input is free text, possibly bound by a grammar.
const TEXT_INPUT: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;

impl Items {
    /// Reads a call of a function, whose arguments are a JSON object as text.
    ///
    /// # Errors
    /// If a member is missing.
    pub(super) fn call(&mut self, item: &mut Object<'_>) -> Result<()> {
        let (id, name) = (item.required("call_id")?, item.required("name")?);
        let arguments = item.required("arguments")?;
        let input = input(item, &arguments);
        self.conversation
            .call(CallKey::Id(id), &name, input, item.place());
        Ok(())
    }

    /// Reads a call of a custom tool, whose input is plain text.
    pub(super) fn custom_call(&mut self, item: &mut Object<'_>) -> Result<()> {
        #[derive(Serialize)]
        struct Input {
            input: String,
        }
        let (id, name) = (item.required("call_id")?, item.required("name")?);
        let input = Input {
            input: item.required("input")?,
        };
        let json = serde_json::to_string(&input).expect("a text is JSON");
        let input = RawJson::parse(&json).expect("what was written can be read");
        self.conversation
            .call(CallKey::Id(id), &name, input, item.place());
        item.lost(item.place(), AS_FUNCTION);
        Ok(())
    }

    /// Reads the output of a call.
    ///
    /// The output is a string, or content parts that may include images.
    pub(super) fn output(&mut self, item: &mut Object<'_>) -> Result<()> {
        let id = item.required("call_id")?;
        // That of the call.
        item.take("name");
        let content = match item.take("output") {
            Some(output) => match output.text() {
                Some(text) => ResultContent::Text(text.into()),
                None => ResultContent::Blocks(parts::parts(item, "output", output)?),
            },
            None => ResultContent::default(),
        };
        self.conversation
            .result(&CallKey::Id(id), content, None, item.path("output"));
        Ok(())
    }
}

/// Reads a custom tool.
///
/// Its `format`, such as a grammar, has no counterpart and is reported by the caller.
pub(in crate::import::responses) fn custom_tool(custom: &mut Object<'_>) -> Result<Tool> {
    custom.lost(custom.place(), AS_FUNCTION);
    Ok(Tool {
        kind: None,
        name: custom.required("name")?,
        description: custom.string("description")?,
        input_schema: RawJson::parse(TEXT_INPUT).ok(),
        strict: None,
        defer_loading: None,
        extra: Extra::default(),
        cache_control: None,
    })
}
