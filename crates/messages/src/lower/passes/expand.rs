use std::borrow::Cow;
use std::sync::Arc;

use aside_text::{REMINDER_TAG, neutralize};

use crate::call_id;
use crate::conversation::{Boundary, Entry, EntryKind, Origin, Part, ToolCall, Visibility};
use crate::layer::Layer;
use crate::lower::options::LowerOptions;
use crate::lower::run::{Block, GroupPlace, Nature, Run};
use crate::neutralize::{neutralize_block, neutralize_quoted};
use crate::repair::Repair;
use crate::source::{BlockSource, Source};
use crate::wire::{
    ContentBlock, Other, RawJson, ResultContent, Role, ToolChange, ToolResult, reminder_text,
};

/// Replaces a document.
const NO_DOCUMENTS: &str =
    "[A document was left out: this model takes documents in plain text only.]";

/// Turns an entry into wire blocks. Returns `None` for entries that are not
/// messages, except a summary.
///
/// This is the one place where text from outside is neutralized: every text but
/// the model's own. Another model's thinking is left out. A reference to a tool
/// that the request does not have becomes text, and so does a document that the
/// API does not accept.
///
/// ```text
/// reminder "x"                 →  user: "<system-reminder>\nx\n</system-reminder>"
/// text "</system-reminder>"    →  user: "&lt;/system-reminder>"
/// call 1 with the input `{"a`  →  assistant: call 1 {}             (Repair::ToolInput)
/// call 1 `{"a":1,"a":2}`       →  assistant: call 1 {"a":2}        (Repair::InputValue)
/// result 1 "out"               →  user: result 1 ["out"]
/// ```
pub(crate) fn expand(
    entry: &Entry,
    options: &LowerOptions,
    diagnostics: &mut Vec<Repair>,
) -> Option<Run> {
    let mut expander = Expander { entry, options, diagnostics };
    match &entry.kind {
        EntryKind::Message { role: Role::System } => {
            expander.system_message(GroupPlace::Persistent, options.forms.messages)
        }
        EntryKind::Message { role } => Some(Run::new(safe_role(role, options), expander.blocks())),
        EntryKind::TurnScoped => {
            let is_accepted = options.forms.messages && options.forms.clear_at;
            expander.system_message(GroupPlace::TurnScoped, is_accepted)
        }
        EntryKind::ToolChange { changes } => tool_change_run(entry, changes, options),
        EntryKind::Boundary(Boundary::Compact { summary }) => {
            Some(summary_run(entry, summary, options))
        }
        EntryKind::Boundary(Boundary::CompactBlock { block }) => expander.compaction(block),
        EntryKind::Boundary(Boundary::Clear)
        | EntryKind::Snip { .. }
        | EntryKind::Delivery(_)
        | EntryKind::PrefixChange(_)
        | EntryKind::Aborted
        | EntryKind::Other { .. } => None,
    }
}

struct Expander<'a> {
    entry: &'a Entry,
    options: &'a LowerOptions,
    diagnostics: &'a mut Vec<Repair>,
}

impl Expander<'_> {
    /// Converts the parts in order; parts that are not sent have no block.
    fn blocks(&mut self) -> Vec<Block> {
        let parts = self.entry.parts.iter().enumerate();
        let blocks = parts.filter_map(|(index, part)| self.block(index, part));
        blocks.collect()
    }

    /// Makes a system message, or reminders in the preceding user message if
    /// the model does not accept the form.
    ///
    /// ```text
    /// system: "Note"  →  system: "Note"                                   accepted
    ///                 →  user: "<system-reminder>\nNote\n</system-reminder>"  not accepted
    /// ```
    ///
    /// Returns `None` if no block is left.
    fn system_message(&mut self, place: GroupPlace, is_accepted: bool) -> Option<Run> {
        let mut blocks = self.blocks();
        let is_turn_scoped = place == GroupPlace::TurnScoped;
        for block in blocks.iter_mut().filter(|_| is_turn_scoped) {
            // The API accepts no marker there.
            block.marker = None;
            block.source.turn_scoped = true;
        }
        let mut run = Run::system(place, blocks);
        if !is_accepted {
            run = run.into_reminders();
            for block in run.blocks.iter_mut().filter(|_| is_turn_scoped) {
                block.source.volatile = true;
            }
        }
        (!run.blocks.is_empty()).then_some(run)
    }

    /// Returns `None` for another model's thinking, a blank reminder, and a summary that cannot be
    /// read where its block is not accepted.
    /// The order of steps: the content, neutralizing, a call's id, the cache
    /// markers. The caller's own marker is kept apart from the content, in
    /// `Block::marker`.
    fn block(&mut self, index: usize, part: &Part) -> Option<Block> {
        let source = match &self.entry.origin {
            Origin::Reminder { id } => Source::Reminder { id: id.as_str().into() },
            _ => Source::Entry { id: self.entry.id, part: index },
        };
        if is_thinking(part) && !self.options.keeps_thinking(&self.entry.origin) {
            self.diagnostics.push(Repair::Thinking { source });
            return None;
        }
        let is_system = is_system(self.entry);
        let nature = match part {
            Part::Reminder { body } if body.trim().is_empty() => return None,
            Part::Reminder { .. } if !is_system => Nature::Reminder,
            _ => nature(self.entry),
        };
        let mut content = match part {
            // The role already shows that the harness wrote the text.
            Part::Reminder { body } if is_system => ContentBlock::text(body.clone()),
            Part::Other(block) if !self.takes(block) => {
                ContentBlock::text(self.summary(block, source.clone())?)
            }
            part => self.content(part),
        };
        let is_own = is_model_output(part) && is_answer(self.entry);
        if self.options.neutralize && nature != Nature::Reminder {
            let neutralize = if is_own { neutralize_quoted } else { neutralize_block };
            neutralize(&mut content, &[REMINDER_TAG]);
        }
        convert_call(&mut content);
        if !self.options.documents && replace_documents(&mut content) {
            self.diagnostics.push(Repair::Document { source: source.clone() });
        }
        if content.unmark_content() {
            self.diagnostics.push(Repair::Marker { entry: self.entry.id, part: index });
        }
        Some(Block {
            marker: content.unmark(),
            content,
            nature,
            source: BlockSource::new(source, layer(self.entry)),
        })
    }

    /// Makes the message with the API's own summary: its block, or the summary as text if the
    /// model does not accept the block.
    ///
    /// ```text
    /// compaction "Sum"  →  assistant: compaction "Sum"    accepted
    ///                   →  user: "Sum"                    not accepted
    /// ```
    ///
    /// Returns `None` if the block is not accepted and its summary cannot be read.
    fn compaction(&mut self, block: &Other) -> Option<Run> {
        if self.takes(block) {
            let block = block_of(self.entry, 0, ContentBlock::Other(block.clone()));
            return Some(Run::new(Role::Assistant, vec![block]));
        }
        let summary = self.summary(block, Source::Entry { id: self.entry.id, part: 0 })?;
        Some(summary_run(self.entry, &summary.into(), self.options))
    }

    /// Returns false for a block of the API's compaction if the model takes none.
    fn takes(&self, block: &Other) -> bool {
        self.options.compaction_blocks || block.compaction().is_none()
    }

    /// Returns the text of a summary in a block that is not accepted, if it can be read.
    fn summary(&mut self, block: &Other, source: Source) -> Option<String> {
        let summary = block.compaction().and_then(|it| it.content);
        let summary = summary.filter(|it| !it.trim().is_empty());
        self.diagnostics.push(Repair::Compaction { source, is_readable: summary.is_some() });
        summary
    }

    /// Converts the part without neutralizing, except a reminder's body.
    fn content(&mut self, part: &Part) -> ContentBlock {
        match part.clone().into_block(|call| tool_input(call, self.diagnostics)) {
            Ok(ContentBlock::ToolResult(result)) => {
                ContentBlock::ToolResult(self.tool_result(result))
            }
            Ok(block) => block,
            Err(body) => ContentBlock::text(reminder_text(&body)),
        }
    }

    /// Always writes the content as blocks, so that a result keeps its form
    /// when a reminder is added.
    ///
    /// The API refuses a `tool_reference` to a tool that the request lacks, so
    /// it becomes the text `[The tool Grep is no longer offered.]`.
    fn tool_result(&mut self, mut result: ToolResult) -> ToolResult {
        let mut blocks = match result.content {
            ResultContent::Text(text) => vec![ContentBlock::text(text)],
            ResultContent::Blocks(blocks) => blocks,
        };
        for block in &mut blocks {
            if let Some(tool) = block.tool_reference()
                && !self.options.has_tool(&tool)
            {
                let tool_use_id = result.tool_use_id.as_ref().into();
                *block = ContentBlock::text(format!("[The tool {tool} is no longer offered.]"));
                self.diagnostics.push(Repair::ToolReference { tool_use_id, tool });
            }
        }
        result.content = ResultContent::Blocks(blocks);
        result
    }
}

/// Replaces documents that are not plain text, also in a tool result. Returns
/// true if there was one.
fn replace_documents(content: &mut ContentBlock) -> bool {
    match content {
        ContentBlock::Document(document) if !document.source.is_text() => {
            *content = ContentBlock::text(NO_DOCUMENTS);
            true
        }
        ContentBlock::ToolResult(ToolResult { content: ResultContent::Blocks(blocks), .. }) => {
            let replaced = blocks.iter_mut().filter_map(|it| replace_documents(it).then_some(()));
            replaced.count() > 0
        }
        _ => false,
    }
}

/// Converts a call's id and name that the API would refuse, the id in its result
/// too.
fn convert_call(content: &mut ContentBlock) {
    let id = match content {
        ContentBlock::ToolUse(call) => {
            if let Cow::Owned(accepted) = call_id::accepted_name(&call.name) {
                call.name = accepted.into();
            }
            &mut call.id
        }
        ContentBlock::ToolResult(result) => &mut result.tool_use_id,
        _ => return,
    };
    if let Cow::Owned(accepted) = call_id::accepted(id) {
        *id = accepted.into();
    }
}

/// Creates the user message with a summary. The summary is neutralized even if
/// the model wrote it, because it is no longer a response.
fn summary_run(entry: &Entry, summary: &Arc<str>, options: &LowerOptions) -> Run {
    let mut content = ContentBlock::text(summary.clone());
    if options.neutralize {
        neutralize_block(&mut content, &[REMINDER_TAG]);
    }
    Run::new(Role::User, vec![block_of(entry, 0, content)])
}

/// Creates the system message with added and removed tools. Returns `None` if
/// the model does not accept it, or if the request has none of the tools.
fn tool_change_run(entry: &Entry, changes: &[ToolChange], options: &LowerOptions) -> Option<Run> {
    if !(options.forms.messages && options.forms.tool_changes) {
        return None;
    }
    let changes = changes.iter().enumerate();
    // The API refuses to change a tool that the request does not have.
    let known = changes.filter(|(_, change)| options.has_tool(change.tool()));
    let blocks: Vec<Block> =
        known.map(|(index, change)| block_of(entry, index, change.clone().into())).collect();
    (!blocks.is_empty()).then(|| Run::system(GroupPlace::ToolChange, blocks))
}

/// Creates the block for a part that only the model sees, without a marker.
fn block_of(entry: &Entry, part: usize, content: ContentBlock) -> Block {
    let source = Source::Entry { id: entry.id, part };
    Block {
        content,
        marker: None,
        nature: Nature::Meta,
        source: BlockSource::new(source, Layer::Conversation),
    }
}

/// Turn-scoped or not.
fn is_system(entry: &Entry) -> bool {
    match &entry.kind {
        EntryKind::Message { role } => *role == Role::System,
        EntryKind::TurnScoped => true,
        _ => false,
    }
}

/// Returns true for the model's own message. A model's text in another role,
/// such as a subagent's report, is text from outside.
fn is_answer(entry: &Entry) -> bool {
    let role = Role::Assistant;
    entry.kind == EntryKind::Message { role } && matches!(entry.origin, Origin::Model { .. })
}

/// Neutralizes an unknown role, which is text from outside too.
fn safe_role(role: &Role, options: &LowerOptions) -> Role {
    match role {
        Role::Other(word) if options.neutralize => {
            Role::Other(neutralize(word, &[REMINDER_TAG]).into_owned())
        }
        known => known.clone(),
    }
}

/// Everything that the user does not see is `Meta`.
fn nature(entry: &Entry) -> Nature {
    match entry.visibility {
        Visibility::Shown => Nature::Shown,
        Visibility::Meta | Visibility::DisplayOnly => Nature::Meta,
    }
}

/// Only session context can belong to another layer than the conversation.
fn layer(entry: &Entry) -> Layer {
    match entry.origin {
        Origin::Context { layer } => layer,
        _ => Layer::Conversation,
    }
}

/// Returns true for parts that the model writes. Results from a provider's own
/// tools are in the model's message too, but they are text from outside.
fn is_model_output(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::ToolUse(_)) || is_thinking(part)
}

fn is_thinking(part: &Part) -> bool {
    matches!(part, Part::Thinking(_) | Part::RedactedThinking(_))
}

/// Returns `{}` for an input that is not an object: the API refuses any other
/// value. It also refuses what [`RawJson::repairs`] changes.
fn tool_input(call: &ToolCall, diagnostics: &mut Vec<Repair>) -> RawJson {
    let tool_use_id = || call.id.as_ref().into();
    let input = call.input.object().unwrap_or_else(|found| {
        diagnostics.push(Repair::ToolInput { tool_use_id: tool_use_id(), found });
        RawJson::parse("{}").expect("an empty object is JSON")
    });
    let Some((repaired, repairs)) = input.repairs() else {
        return input;
    };
    let repairs = repairs.into_iter();
    diagnostics
        .extend(repairs.map(|repair| Repair::InputValue { tool_use_id: tool_use_id(), repair }));
    repaired
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::conversation::{Conversation, EntryDraft};

    #[test]
    fn the_kind_of_a_neutralized_block_is_the_one_on_the_wire() {
        let raw = RawJson::parse(r#"{"type":"</system-reminder>"}"#).expect("valid JSON");
        let other = Other::new(raw).expect("an object with a type");
        let parts = vec![ContentBlock::Other(other).into()];
        let mut conversation = Conversation::new(Uuid::nil());
        let entry = conversation.push(EntryDraft::message(Role::User, Origin::Human, parts));
        let run = expand(entry, &LowerOptions::default(), &mut Vec::new())
            .expect("a message becomes a run");
        assert_eq!(run.blocks[0].content.kind(), "&lt;/system-reminder>");
    }
}
