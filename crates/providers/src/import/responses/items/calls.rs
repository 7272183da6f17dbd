//! Calls of tools, and their outputs.
//!
//! ```text
//! {"type":"function_call","call_id":"c","name":"ls","arguments":"{}"}  tool_use, input {}
//! {"type":"custom_tool_call","call_id":"c","name":"sh","input":"ls"}   tool_use, {"input":"ls"}
//! {"type":"function_call_output","call_id":"c","output":"a.txt"}       tool_result
//! ```

use aside_messages::wire::ResultContent;

use super::Items;
use crate::import::Result;
use crate::import::conversation::{CallKey, input, text_input};
use crate::import::object::Object;
use crate::import::parameters::{AS_FUNCTION, called_name};
use crate::import::responses::parts;

impl Items {
    /// Reads a call of a function, whose arguments are a JSON object as text.
    ///
    /// # Errors
    /// If a member is missing.
    pub(super) fn call(&mut self, item: &mut Object<'_>) -> Result<()> {
        let (id, name) = (item.required("call_id")?, called_name(item)?);
        let arguments = item.required("arguments")?;
        let input = input(item, &arguments);
        self.conversation.call(CallKey::Id(id), &name, input, item.place());
        Ok(())
    }

    /// Reads a call of a custom tool, whose input is plain text.
    pub(super) fn custom_call(&mut self, item: &mut Object<'_>) -> Result<()> {
        let (id, name) = (item.required("call_id")?, called_name(item)?);
        let input = text_input(&item.required("input")?);
        self.conversation.call(CallKey::Id(id), &name, input, item.place());
        item.lost(item.place(), AS_FUNCTION);
        Ok(())
    }

    /// Reads the output of a call.
    ///
    /// The output is a string, or content parts that may include images.
    pub(super) fn output(&mut self, item: &mut Object<'_>) -> Result<()> {
        let id = item.required("call_id")?;
        // Those of the call.
        item.take("name");
        item.take("namespace");
        let (key, output, path) = (CallKey::Id(id), item.take("output"), item.path("output"));
        let content = match output.map(|it| (it, it.text())) {
            Some((_, Some(text))) => ResultContent::Text(text.into()),
            Some((output, None)) => {
                let parts = parts::parts(item, "output", output)?;
                self.conversation.parts_result(&key, parts, None, path);
                return Ok(());
            }
            None => ResultContent::default(),
        };
        self.conversation.result(&key, content, None, path);
        Ok(())
    }
}
