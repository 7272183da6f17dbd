//! The items of a conversation.
//!
//! ```text
//! message                                        text, at the place of its role
//! function_call, custom_tool_call                tool_use
//! function_call_output, custom_tool_call_output  tool_result, directly after its call
//! reasoning                                      thinking or redacted_thinking, sealed
//! compaction                                     redacted_thinking, sealed
//! configuration_update                           a system message with an effort
//! additional_tools                               deferred tools, added by a system message
//! any other item                                 left out and reported
//! ```

mod calls;
mod reasoning;

use std::collections::{HashMap, HashSet};

use aside_messages::wire::{ContentBlock, Message, Request, Role, Tool, ToolChange};

use super::parts;
use crate::answer::sealed;
use crate::import::Result;
use crate::import::conversation::Conversation;
use crate::import::object::Object;
use crate::import::parameters::{output_config, typed_tools};
use crate::responses::seal_phase;

/// The conversation that items make.
pub(super) struct Items {
    /// The system prompt and the messages.
    pub(super) conversation: Conversation,
    /// Tools that items add.
    ///
    /// Deferred (`defer_loading`), unless the item precedes the first message. Each has its path.
    pub(super) added: Vec<(Tool, String)>,
    /// The ids of the items, which the server refuses twice, with what the items have.
    ids: HashMap<String, HashSet<String>>,
    /// The seal of the reasoning.
    ///
    /// It is `openai-responses:` or `xai-responses:`.
    seal: &'static str,
}

impl Items {
    /// Creates an empty conversation with a model.
    ///
    /// The model decides whose seal the reasoning gets; an empty name counts as OpenAI's.
    pub(super) fn of_model(model: &str) -> Self {
        Self {
            conversation: Conversation::default(),
            added: Vec::new(),
            ids: HashMap::new(),
            seal: reasoning::seal_of(model),
        }
    }

    /// Reads the next item.
    ///
    /// An item without a type is a message, as OpenAI accepts it. OpenAI refuses a second item with
    /// an id: if it is the same item again, it is left out, else its id is.
    ///
    /// # Errors
    /// If a member that the item needs is missing or has another type.
    pub(super) fn read(&mut self, item: &mut Object<'_>) -> Result<()> {
        let kind = item.string("type")?.unwrap_or_else(|| {
            // A reference to a stored item may have no type either, and has no role.
            let is_reference = item.text("role").is_none() && item.text("id").is_some();
            let kind = if is_reference { "item_reference" } else { "message" };
            kind.to_owned()
        });
        if let Some(id) = item.text("id") {
            let earlier = self.ids.entry(id).or_default();
            if !earlier.insert(item.written()) {
                item.drop_whole("left out: an earlier item is the same");
                return Ok(());
            }
            if earlier.len() > 1 {
                item.take("id");
                item.lost(item.path("id"), "left out: an earlier item has the id");
            }
        }
        match kind.as_str() {
            "message" => self.message(item),
            "function_call" => self.call(item),
            "custom_tool_call" => self.custom_call(item),
            "function_call_output" | "custom_tool_call_output" => self.output(item),
            "reasoning" => self.reasoning(item),
            "compaction" => self.compaction(item),
            "configuration_update" => self.configuration_update(item),
            "additional_tools" => self.additional_tools(item),
            _ => {
                item.lose_whole();
                Ok(())
            }
        }
    }

    /// Reads a message. The phase of an assistant's message has no counterpart, and is sealed in a
    /// `redacted_thinking` block before each text so that it can be written again.
    fn message(&mut self, item: &mut Object<'_>) -> Result<()> {
        let role = item.required("role")?;
        if !["system", "developer", "assistant", "user"].contains(&role.as_str()) {
            // It is not the user's text.
            item.lose_whole();
            return Ok(());
        }
        let content = match item.take("content") {
            Some(content) => match content.text() {
                Some(text) => vec![(ContentBlock::text(text), item.path("content"))],
                None => parts::parts(item, "content", content)?,
            },
            None => Vec::new(),
        };
        match role.as_str() {
            "user" => {
                self.conversation.add_parts(&Role::User, content);
                self.conversation.keep_place(Role::User, item.place());
            }
            "assistant" => {
                let phase = item.string("phase")?;
                let phase = phase.and_then(|phase| seal_phase(self.seal, &phase));
                for part in content {
                    let phase = phase.clone().map(sealed);
                    self.conversation.add(Role::Assistant, phase, &item.path("phase"));
                    self.conversation.add_parts(&Role::Assistant, vec![part]);
                }
                self.conversation.keep_place(Role::Assistant, item.place());
            }
            _ => self.conversation.add_system(content, item.place()),
        }
        Ok(())
    }

    /// Reads a change of the effort.
    ///
    /// `{"type":"configuration_update","reasoning":{"effort":"low"}}` becomes a system message
    /// without content whose `output_config` has the effort. Without an effort nothing is added.
    /// `none` is reported: a message cannot disable thinking.
    fn configuration_update(&mut self, item: &mut Object<'_>) -> Result<()> {
        let Some(mut reasoning) = item.object("reasoning")? else {
            return Ok(());
        };
        let effort = reasoning.string("effort")?;
        if effort.as_deref() == Some("none") {
            reasoning.lose_value(reasoning.path("effort"));
        }
        reasoning.report();
        let mut carrier = Request::default();
        output_config(&mut carrier, effort, None, None);
        let mut message = Message::new(Role::System, Vec::new());
        message.output_config = carrier.output_config;
        if message.output_config.is_some() {
            self.conversation.begin(message, item.place());
        }
        Ok(())
    }

    /// Reads tools that are added in the conversation: deferred tools of the
    /// request, and their addition.
    fn additional_tools(&mut self, item: &mut Object<'_>) -> Result<()> {
        let mut blocks = Vec::new();
        for mut function in item.objects("tools")? {
            for (mut tool, path) in typed_tools(&mut function)? {
                // Before the first message, nothing is added later.
                if !self.conversation.is_empty() {
                    tool.defer_loading = Some(true);
                    blocks.push(ToolChange::Added(tool.name.as_str().into()).into());
                }
                self.added.push((tool, path));
            }
        }
        self.conversation.add(Role::System, blocks, item.place());
        Ok(())
    }
}
