use super::LowerOptions;
use super::block::{Block, Run};
use crate::conversation::{Entry, EntryKind, Origin, Part, ToolInput};
use crate::diagnostic::Diagnostic;
use crate::neutralize::{REMINDER_TAG, neutralize_block};
use crate::source::{BlockSource, Layer, Source};
use crate::wire::{
    ContentBlock, Extra, RawJson, ResultContent, ToolResult, ToolUse, reminder_text,
};

/// Turns the parts of an entry into wire blocks. This is the one place where
/// text from outside is neutralized: everything that is not the model's own.
#[must_use]
pub fn expand(entry: &Entry, options: &LowerOptions, diagnostics: &mut Vec<Diagnostic>) -> Run {
    let EntryKind::Message { role } = &entry.kind;
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
        Part::ToolUse { id, name, input } => {
            let input = tool_input(&id, &input, diagnostics);
            let extra = Extra::default();
            ContentBlock::ToolUse(ToolUse {
                id,
                name,
                input,
                extra,
                cache_control: None,
            })
        }
        Part::ToolResult {
            tool_use_id,
            content,
            is_error,
        } => {
            // Always blocks: a result must not flip between its two forms when
            // a reminder joins it.
            ContentBlock::ToolResult(ToolResult {
                tool_use_id,
                content: ResultContent::Blocks(content),
                is_error: is_error.then_some(true),
                extra: Extra::default(),
                cache_control: None,
            })
        }
        Part::Image(image) => ContentBlock::Image(image),
        Part::Document(document) => ContentBlock::Document(document),
        Part::Thinking(thinking) => ContentBlock::Thinking(thinking),
        Part::RedactedThinking(thinking) => ContentBlock::RedactedThinking(thinking),
        Part::Other(other) => ContentBlock::Other(other),
    }
}

fn tool_input(id: &str, input: &ToolInput, diagnostics: &mut Vec<Diagnostic>) -> RawJson {
    input.object().unwrap_or_else(|found| {
        diagnostics.push(Diagnostic::ToolInput {
            tool_use_id: id.to_owned(),
            found,
        });
        RawJson::parse("{}").expect("an empty object is JSON")
    })
}
