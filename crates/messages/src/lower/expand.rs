use super::LowerOptions;
use super::block::{Block, Run};
use crate::conversation::{Entry, Origin, Part, ToolCall};
use crate::diagnostic::Diagnostic;
use crate::neutralize::{REMINDER_TAG, neutralize_block};
use crate::source::{BlockSource, Layer, Source};
use crate::wire::{ContentBlock, RawJson, ResultContent, Role, ToolUse, reminder_text};

/// Turns the parts of an entry into wire blocks. This is the one place where
/// text from outside is neutralized: everything that is not the model's own.
#[must_use]
pub fn expand(
    role: &Role,
    entry: &Entry,
    options: &LowerOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Run {
    let is_models_entry = matches!(entry.origin, Origin::Model { .. });
    let layer = match entry.origin {
        Origin::Context { layer } => layer,
        _ => Layer::Conversation,
    };
    let block = |(part, content): (usize, &Part)| {
        let is_reminder = matches!(content, Part::Reminder { .. });
        let is_own = is_models_entry && is_models_word(content);
        let mut content = expand_part(content, diagnostics);
        if options.neutralize && !is_own && !is_reminder {
            neutralize_block(&mut content, &[REMINDER_TAG]);
        }
        if content.unmark() {
            diagnostics.push(Diagnostic::Marker {
                entry: entry.id,
                part,
            });
        }
        let source = BlockSource::new(Source::Entry { id: entry.id, part }, layer);
        Block {
            content,
            is_reminder,
            source,
        }
    };
    let parts = entry.parts.iter().enumerate();
    let parts = parts.filter(|(_, part)| !is_blank_reminder(part));
    Run {
        role: role.clone(),
        blocks: parts.map(block).collect(),
    }
}

/// What tools say stays text from outside where a provider ran them and put
/// their results into the model's answer.
fn is_models_word(part: &Part) -> bool {
    matches!(
        part,
        Part::Text(_) | Part::ToolUse { .. } | Part::Thinking(_) | Part::RedactedThinking(_)
    )
}

/// Tags around nothing would tell the model nothing.
fn is_blank_reminder(part: &Part) -> bool {
    matches!(part, Part::Reminder { body } if body.trim().is_empty())
}

fn expand_part(part: &Part, diagnostics: &mut Vec<Diagnostic>) -> ContentBlock {
    match part.clone() {
        Part::Text(text) => ContentBlock::Text(text),
        Part::Reminder { body } => ContentBlock::text(reminder_text(&body)),
        Part::ToolUse(call) => ContentBlock::ToolUse(ToolUse {
            input: tool_input(&call, diagnostics),
            id: call.id,
            name: call.name,
            extra: call.extra,
            cache_control: call.cache_control,
        }),
        Part::ToolResult(mut result) => {
            // Always blocks: a result must not flip between its two forms when
            // a reminder joins it.
            if let ResultContent::Text(text) = result.content {
                result.content = ResultContent::Blocks(vec![ContentBlock::text(text)]);
            }
            ContentBlock::ToolResult(result)
        }
        Part::Image(image) => ContentBlock::Image(image),
        Part::Document(document) => ContentBlock::Document(document),
        Part::Thinking(thinking) => ContentBlock::Thinking(thinking),
        Part::RedactedThinking(thinking) => ContentBlock::RedactedThinking(thinking),
        Part::Other(other) => ContentBlock::Other(other),
    }
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
