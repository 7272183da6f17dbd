use std::sync::Arc;

use super::LowerOptions;
use super::block::{Block, Nature, Run};
use crate::conversation::{Boundary, Entry, EntryKind, Origin, Part, ToolCall, Visibility};
use crate::diagnostic::Diagnostic;
use crate::neutralize::{REMINDER_TAG, neutralize, neutralize_block, neutralize_quoted};
use crate::source::{BlockSource, Layer, Source};
use crate::wire::{ContentBlock, RawJson, ResultContent, Role, ToolResult, ToolUse, reminder_text};

/// Turns an entry into wire blocks; `None` where it says nothing by itself.
///
/// This is the one place where text from outside is neutralized: everything
/// that is not the model's own. Thinking of another model is left out, and a
/// reference to a tool that is not offered becomes text.
#[must_use]
pub fn expand(
    entry: &Entry,
    options: &LowerOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Run> {
    match &entry.kind {
        EntryKind::Message { role } => {
            let mut expander = Expander {
                entry,
                options,
                diagnostics,
            };
            let parts = entry.parts.iter().enumerate();
            let blocks = parts.filter_map(|(index, part)| expander.block(index, part));
            Some(Run::new(safe_role(role, options), blocks.collect()))
        }
        EntryKind::Boundary(Boundary::Compact { summary }) => {
            Some(summary_run(entry, summary, options))
        }
        EntryKind::Boundary(Boundary::Clear)
        | EntryKind::Snip { .. }
        | EntryKind::Aborted
        | EntryKind::Other { .. } => None,
    }
}

struct Expander<'a> {
    entry: &'a Entry,
    options: &'a LowerOptions,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Expander<'_> {
    fn block(&mut self, index: usize, part: &Part) -> Option<Block> {
        let source = Source::Entry {
            id: self.entry.id,
            part: index,
        };
        if is_thinking(part) && !self.is_own_thinking() {
            self.diagnostics.push(Diagnostic::Thinking { source });
            return None;
        }
        let nature = match part {
            Part::Reminder { body } if body.trim().is_empty() => return None,
            Part::Reminder { .. } => Nature::Reminder,
            _ => nature(self.entry),
        };
        let mut content = self.content(part);
        let is_own = is_models_word(part) && is_answer(self.entry);
        if self.options.neutralize && nature != Nature::Reminder {
            let neutralize = if is_own {
                neutralize_quoted
            } else {
                neutralize_block
            };
            neutralize(&mut content, &[REMINDER_TAG]);
        }
        if content.unmark_content() {
            self.diagnostics.push(Diagnostic::Marker {
                entry: self.entry.id,
                part: index,
            });
        }
        Some(Block {
            content,
            nature,
            source: BlockSource::new(source, layer(self.entry)),
        })
    }

    fn is_own_thinking(&self) -> bool {
        match (&self.options.model, &self.entry.origin) {
            (None, _) => true,
            (Some(own), Origin::Model { provider, name }) => {
                (&own.provider, &own.name) == (provider, name)
            }
            (Some(_), _) => false,
        }
    }

    fn content(&mut self, part: &Part) -> ContentBlock {
        match part.clone() {
            Part::Text(text) => ContentBlock::Text(text),
            Part::Reminder { body } => ContentBlock::text(reminder_text(&body)),
            Part::ToolUse(call) => ContentBlock::ToolUse(ToolUse {
                input: tool_input(&call, self.diagnostics),
                id: call.id,
                name: call.name,
                extra: call.extra,
                cache_control: call.cache_control,
            }),
            Part::ToolResult(result) => ContentBlock::ToolResult(self.tool_result(result)),
            Part::Image(image) => ContentBlock::Image(image),
            Part::Document(document) => ContentBlock::Document(document),
            Part::Thinking(thinking) => ContentBlock::Thinking(thinking),
            Part::RedactedThinking(thinking) => ContentBlock::RedactedThinking(thinking),
            Part::Other(other) => ContentBlock::Other(other),
        }
    }

    /// Its content is always blocks: a result must not flip between its two
    /// forms when a reminder joins it.
    fn tool_result(&mut self, mut result: ToolResult) -> ToolResult {
        let mut blocks = match result.content {
            ResultContent::Text(text) => vec![ContentBlock::text(text)],
            ResultContent::Blocks(blocks) => blocks,
        };
        for block in &mut blocks {
            if let Some(tool) = block.tool_reference()
                && !self.options.offers(&tool)
            {
                let tool_use_id = result.tool_use_id.as_ref().into();
                *block = ContentBlock::text(format!("[The tool {tool} is no longer offered.]"));
                self.diagnostics
                    .push(Diagnostic::ToolReference { tool_use_id, tool });
            }
        }
        result.content = ResultContent::Blocks(blocks);
        result
    }
}

/// What the model is told instead of what stands before a boundary. It is
/// neutralized whoever wrote it: it is no longer an answer of the model.
fn summary_run(entry: &Entry, summary: &Arc<str>, options: &LowerOptions) -> Run {
    let mut content = ContentBlock::text(summary.clone());
    if options.neutralize {
        neutralize_block(&mut content, &[REMINDER_TAG]);
    }
    let source = Source::Entry {
        id: entry.id,
        part: 0,
    };
    let block = Block {
        content,
        nature: Nature::Meta,
        source: BlockSource::new(source, Layer::Conversation),
    };
    Run::new(Role::User, vec![block])
}

/// What a model says in another role, such as the report of a helper, is text
/// from outside.
fn is_answer(entry: &Entry) -> bool {
    let role = Role::Assistant;
    entry.kind == EntryKind::Message { role } && matches!(entry.origin, Origin::Model { .. })
}

/// A role that nobody knows is text from outside too.
fn safe_role(role: &Role, options: &LowerOptions) -> Role {
    match role {
        Role::Other(word) if options.neutralize => {
            Role::Other(neutralize(word, &[REMINDER_TAG]).into_owned())
        }
        known => known.clone(),
    }
}

fn nature(entry: &Entry) -> Nature {
    match entry.visibility {
        Visibility::Shown => Nature::Shown,
        Visibility::Meta | Visibility::DisplayOnly => Nature::Meta,
    }
}

fn layer(entry: &Entry) -> Layer {
    match entry.origin {
        Origin::Context { layer } => layer,
        _ => Layer::Conversation,
    }
}

/// What tools say stays text from outside where a provider ran them and put
/// their results into the model's answer.
fn is_models_word(part: &Part) -> bool {
    matches!(part, Part::Text(_) | Part::ToolUse(_)) || is_thinking(part)
}

fn is_thinking(part: &Part) -> bool {
    matches!(part, Part::Thinking(_) | Part::RedactedThinking(_))
}

fn tool_input(call: &ToolCall, diagnostics: &mut Vec<Diagnostic>) -> RawJson {
    call.input.object().unwrap_or_else(|found| {
        diagnostics.push(Diagnostic::ToolInput {
            tool_use_id: call.id.as_ref().into(),
            found,
        });
        RawJson::parse("{}").expect("an empty object is JSON")
    })
}
