//! Reads a conversation's contents.
//!
//! Two things differ from the Messages API. A call may have no id: it gets one, and a response
//! without an id answers the oldest waiting call with the same name. And signatures belong to
//! parts, not to thoughts: to keep one, it goes into a thinking block before the part, sealed with
//! `gemini:`.
//!
//! ```text
//! {"functionCall":{"name":"f","args":{}},"thoughtSignature":"S"}
//! → redacted_thinking "gemini:S", tool_use f
//! ```

use aside_json::Value;
use aside_messages::wire::{ContentBlock, RawJson, ResultContent, Role};

use super::part::block;
use crate::answer::sealed;
use crate::gemini::{SEAL, is_placeholder_signature};
use crate::import::conversation::{CallKey, Conversation, thinking};
use crate::import::object::Object;
use crate::import::{ImportError, Result};

#[derive(Default)]
pub(super) struct Contents {
    /// The messages that they become.
    pub(super) conversation: Conversation,
}

impl Contents {
    /// Reads the next content.
    ///
    /// # Errors
    /// When a part has members with another type than Google documents, a call has no name, or its
    /// `args` are not an object.
    pub(super) fn read(&mut self, mut content: Object<'_>) -> Result<()> {
        let role = content.string("role")?;
        match role.as_deref() {
            Some("model") => {
                for part in content.objects("parts")? {
                    self.of_model(part)?;
                }
                self.conversation.keep_place(Role::Assistant, content.place());
            }
            // `function` is an older name for the user's turn.
            None | Some("user" | "function") => {
                for part in content.objects("parts")? {
                    self.of_user(part)?;
                }
                self.conversation.keep_place(Role::User, content.place());
            }
            Some(_) => {
                content.lose_whole();
            }
        }
        content.report();
        Ok(())
    }

    /// Reads a part from the model: a thought, a text or a call, with its signature.
    ///
    /// ```text
    /// {"text":"t","thought":true,"thoughtSignature":"S"}   thinking "t", signature gemini:S
    /// {"text":"t","thoughtSignature":"S"}                  redacted_thinking gemini:S, text "t"
    /// {"text":"","thoughtSignature":"S"}                   thinking "", signature gemini:S
    /// ```
    ///
    /// A placeholder from Gemini's documentation signs nothing and is dropped.
    fn of_model(&mut self, mut part: Object<'_>) -> Result<()> {
        let text = part.string("text")?.unwrap_or_default();
        let is_thought = part.value("thought", "a boolean")? == Some(true);
        let signature = part
            .string("thoughtSignature")?
            .filter(|it| !is_placeholder_signature(it))
            .map(|it| format!("{SEAL}{it}"));
        let call = part.object("functionCall")?;
        part.report();
        let conversation = &mut self.conversation;
        let at = part.place();
        if is_thought {
            let block = thinking(&text, signature.unwrap_or_default());
            conversation.add(Role::Assistant, [block], at);
        } else {
            let is_alone = text.is_empty() && call.is_none();
            let signature =
                signature.map(
                    |signature| if is_alone { thinking("", signature) } else { sealed(signature) },
                );
            let text = (!text.is_empty()).then(|| ContentBlock::text(text));
            conversation.add(Role::Assistant, signature.into_iter().chain(text), at);
        }
        match call {
            Some(call) => self.call(call),
            None => Ok(()),
        }
    }

    /// Reads a `functionCall`. Without `args`, the input is `{}`.
    fn call(&mut self, mut call: Object<'_>) -> Result<()> {
        let name = call.required("name")?;
        let key = key(call.string("id")?, &name);
        let empty = || RawJson::parse("{}").expect("an empty object is JSON");
        let input = call.json("args").unwrap_or_else(empty);
        if !input.is_object() {
            return Err(ImportError::shape(call.path("args"), "an object"));
        }
        self.conversation.call(key, &name, input, call.place());
        call.report();
        Ok(())
    }

    /// Reads a part from the user: a function response, a text or data.
    fn of_user(&mut self, mut part: Object<'_>) -> Result<()> {
        if let Some(response) = part.object("functionResponse")? {
            part.report();
            return self.response(response);
        }
        let at = part.place().to_owned();
        let block = block(part, &mut self.conversation.outputs)?;
        self.conversation.add(Role::User, block, &at);
        Ok(())
    }

    /// Reads a `functionResponse` as a call's result. Its `parts`, such as images, follow the text.
    fn response(&mut self, mut response: Object<'_>) -> Result<()> {
        let name = response.string("name")?.unwrap_or_default();
        let key = key(response.string("id")?, &name);
        let mut media = Vec::new();
        for part in response.objects("parts")? {
            let at = part.place().to_owned();
            let block = block(part, &mut self.conversation.outputs)?;
            media.extend(block.map(|block| (block, at)));
        }
        let (text, is_error, object) = output_text(&mut response)?;
        response.report();
        let (is_error, at) = (is_error.then_some(true), response.path("response"));
        if object.is_some() {
            self.conversation.outputs.entry(at.clone()).or_default().response = object;
        }
        if media.is_empty() {
            self.conversation.result(&key, ResultContent::Text(text.into()), is_error, at);
        } else {
            let text = (!text.is_empty()).then(|| (ContentBlock::text(text), at.clone()));
            let parts = text.into_iter().chain(media).collect();
            self.conversation.parts_result(&key, parts, is_error, at);
        }
        Ok(())
    }
}

/// Returns what a call and its response share: the id, or else the name.
fn key(id: Option<String>, name: &str) -> CallKey {
    id.map_or_else(|| CallKey::Name(name.to_owned()), CallKey::Id)
}

/// Returns a response's text, whether it is an error, and the response itself, if it holds more than
/// a text.
///
/// ```text
/// {"output":"a.txt"}                "a.txt"
/// {"error":"no such file"}          "no such file", an error
/// {"output":"a","error":"exit 1"}   the object as JSON text, an error
/// {"files":["a.txt"]}               the object as JSON text
/// ```
fn output_text(response: &mut Object<'_>) -> Result<(String, bool, Option<RawJson>)> {
    let Some(value) = response.take("response") else {
        return Ok((String::new(), false, None));
    };
    let raw = || RawJson::parse(value.raw()).ok().map(|it| response.repaired("response", it));
    let mut object = response.inner(value, response.path("response"))?;
    let (output, error) = (object.take("output"), object.take("error"));
    let only = output.xor(error).filter(|_| object.is_empty());
    // Next to other members, an empty error means that there was none.
    let is_empty = |it: &Value<'_>| matches!(it.raw(), "false" | r#""""#);
    let is_error = error.is_some_and(|it| only.is_some() || !is_empty(&it));
    Ok(match only.map(|it| (it, it.text())) {
        Some((_, Some(text))) => (text.into_owned(), is_error, None),
        Some((only, None)) => (only.raw().to_owned(), is_error, raw()),
        None => (value.raw().to_owned(), is_error, raw()),
    })
}
