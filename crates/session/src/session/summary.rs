//! The request that summarizes a conversation.
//!
//! It repeats the session's prefix, so that the provider reads the conversation
//! from its cache, and ends with instructions for the summary. In the form
//! [`SummaryForm::Api`] the API has the instructions and writes a compaction
//! block.

use std::sync::Arc;

use aside_messages::conversation::{
    ChangeStart, Conversation, Entry, EntryDraft, EntryKind, Origin, Part, Visibility,
};
use aside_messages::encode::Body;
use aside_messages::wire::{ContentBlock, RawJson, ResultContent, Role};
use serde::Serialize;

use super::Session;
use crate::delivery_form::{is_thinking, takes_compaction_blocks};
use crate::prepare_error::PrepareError;
use crate::summary_form::SummaryForm;

/// The instructions in a summary request, sent as the last user message.
const REQUEST: &str = "\
The conversation is about to exceed the context window, so it has to be replaced by a summary. \
Write this summary now, for yourself: afterwards you continue the task with nothing but the \
summary, the instructions, and the files themselves. Do not call any tool, and do not continue \
the task in this answer.

Cover, in this order and without a preamble:
1. The task: everything that the user asked for, with the exact words where they matter.
2. Decisions and constraints: what was agreed, what the user rejected, and why.
3. Files and code: the paths that were read or changed, what was found or done in each, and the \
signatures and snippets that are needed to continue.
4. Errors: what failed, and what fixed it.
5. State: what is done, what is in progress, and the next step.";

/// How long a result may be in a shortened summary request, in bytes.
const MAX_RESULT_BYTES: usize = 2_000;

/// Which part of a conversation to summarize, and the entries after it.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRange {
    /// How many entries to summarize.
    pub end: usize,
    /// The entries to append after the summary: the user's last messages if
    /// they have no response, otherwise a message that continues the task.
    pub kept: Vec<EntryDraft>,
    /// The ids of calls whose kept results are cut.
    pub cut: Vec<String>,
}

impl SummaryRange {
    /// Returns the range to summarize before the next request, or `None` if the
    /// conversation has no response since it started.
    ///
    /// The range ends with the last response, or with its calls' results.
    /// `continues` is the text for the message to keep after results: without
    /// it the conversation would end with a summary and no task.
    #[must_use]
    pub fn of(conversation: &Conversation, continues: &str) -> Option<Self> {
        let entries = conversation.entries();
        let end = 1 + entries.iter().rposition(|it| it.kind.is_answer() || has_result(it))?;
        let start = entries.iter().rposition(Entry::is_boundary).unwrap_or(0);
        if start > end || !entries[start..end].iter().any(|it| it.kind.is_answer()) {
            return None;
        }
        let unanswered = entries[end..].iter().filter(|it| is_unanswered(it));
        let mut kept: Vec<EntryDraft> = unanswered.cloned().map(EntryDraft::from).collect();
        if kept.is_empty() && has_result(&entries[end - 1]) {
            let message = EntryDraft::human(continues);
            kept.push(message.with_visibility(Visibility::Meta));
        }
        Some(Self { end, kept, cut: Vec::new() })
    }

    /// Returns the range of a whole conversation.
    pub(super) fn all_of(conversation: &Conversation) -> Self {
        Self { end: conversation.entries().len(), kept: Vec::new(), cut: Vec::new() }
    }

    /// Excludes the last round of calls, because its results did not fit. They
    /// follow the summary, and each longer than `max_bytes` is cut. Returns
    /// false if the range does not end with results or contains nothing else.
    ///
    /// The range ends before the response with these calls. Thinking in the
    /// kept response is removed, because it is bound to the prefix that the
    /// summary replaces.
    pub fn without_last_round(&mut self, conversation: &Conversation, max_bytes: usize) -> bool {
        let entries = &conversation.entries()[..self.end];
        let first_result = entries.iter().rposition(|it| !has_result(it)).map_or(0, |at| at + 1);
        let mut before = entries[..first_result].iter();
        let answer = before.rposition(|it| !it.kind.is_answer()).map_or(0, |at| at + 1);
        if first_result == entries.len() || answer == first_result {
            return false;
        }
        if !entries[..answer].iter().any(|it| it.kind.is_answer()) {
            return false;
        }
        for entry in &entries[answer..] {
            let mut draft = EntryDraft::from(entry.clone());
            self.cut.extend(shorten(&mut draft.parts, max_bytes));
            self.kept.push(draft);
        }
        self.end = answer;
        true
    }
}

/// The parameter for the API's own compaction.
///
/// ```json
/// {"compaction": {"type": "summarize", "instructions": "Keep the file names."}}
/// ```
///
/// Without the user's instructions this key is absent.
#[derive(Serialize)]
struct Compaction<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
}

impl Session {
    /// Returns how many tokens of the context window a request may fill, or
    /// `None` if the model's window is unknown.
    ///
    /// This is the window without the tokens that are reserved for the response
    /// (`max_tokens`). The session's state comes before the model table.
    #[must_use]
    pub fn input_window(&self) -> Option<u64> {
        let config = &self.config;
        let facts = config.answering().facts;
        let window = config.state.context_window.or(facts.context_window)?;
        Some(window.saturating_sub(config.max_tokens))
    }

    /// Returns true if the API compacts this model's conversations on demand.
    ///
    /// It does so only on Anthropic's platforms, and not if beta features are
    /// disabled.
    #[must_use]
    pub fn has_api_compaction(&self) -> bool {
        takes_compaction_blocks(&self.config)
    }

    /// Prepares a request that summarizes a conversation's first entries. It
    /// uses up no pending reminder or attachment.
    ///
    /// # Errors
    ///
    /// There is nothing to summarize.
    ///
    /// - [`SummaryForm::Api`] adds the parameter `compaction` and no message.
    /// - [`SummaryForm::Shortened`] cuts results to 2,000 bytes and leaves out
    ///   all thinking, so it does not continue the prefix.
    ///
    /// The user's `instructions` are added to the summary's own; an empty text
    /// counts as none.
    pub fn prepare_summary(
        &mut self,
        conversation: &Conversation,
        range: &SummaryRange,
        form: SummaryForm,
        instructions: Option<&str>,
    ) -> Result<Body, PrepareError> {
        let mut entries: Vec<Entry> =
            conversation.entries().iter().take(range.end).cloned().collect();
        if form == SummaryForm::Shortened {
            for entry in &mut entries {
                shorten(&mut entry.parts, MAX_RESULT_BYTES);
            }
        }
        // What changed the range after its end, such as an argument with the user's next message.
        let changing = conversation.entries().iter().skip(range.end);
        let changing: Vec<Entry> = changing.filter(|it| changes(it, &entries)).cloned().collect();
        entries.extend(changing);
        let mut part = Conversation::from_entries(conversation.id(), entries)
            .expect("entries of a conversation have ids of their own");
        // Prefix changes that no request has recorded yet.
        let is_change = |it: &EntryDraft| matches!(it.kind, EntryKind::PrefixChange(_));
        let changes = self.pipeline.changes(self.delivery.turn());
        for change in changes.into_iter().filter(is_change) {
            part.push(change);
        }
        let mut parameters = self.context.composed.prefix.parameters.clone();
        Arc::make_mut(&mut parameters).context_management = None;
        let instructions = instructions.map(str::trim).filter(|it| !it.is_empty());
        if form == SummaryForm::Api {
            let compaction = Compaction { kind: "summarize", instructions };
            let extra = &mut Arc::make_mut(&mut parameters).extra;
            extra.0.push(("compaction".to_owned(), RawJson::of(&compaction)));
        } else {
            let mut text = REQUEST.to_owned();
            if let Some(instructions) = instructions {
                text.push_str("\n\nIn addition: ");
                text.push_str(instructions);
            }
            let message = EntryDraft::human(text);
            part.push(message.with_visibility(Visibility::Meta));
        }
        let (config, context) = (&self.config, &self.context);
        self.pipeline.prepare_summary(conversation, &mut part, config, context, parameters)
    }
}

/// Cuts the texts of results, and removes thinking, which is bound to the uncut results. Returns
/// the ids of the calls whose results were cut.
fn shorten(parts: &mut Vec<Part>, max_bytes: usize) -> Vec<String> {
    parts.retain(|part| !is_thinking(part));
    let mut ids = Vec::new();
    for part in parts {
        let Part::ToolResult(result) = part else {
            continue;
        };
        let is_cut = match &mut result.content {
            ResultContent::Text(text) => cut(text, max_bytes),
            ResultContent::Blocks(blocks) => {
                let texts = blocks.iter_mut().filter_map(|block| match block {
                    ContentBlock::Text(text) => Some(&mut text.text),
                    _ => None,
                });
                texts.map(|text| cut(text, max_bytes)).filter(|is_cut| *is_cut).count() > 0
            }
        };
        if is_cut {
            ids.push(result.tool_use_id.to_string());
        }
    }
    ids
}

/// Cuts a longer text at a character boundary. It ends with a note on how many bytes are left out.
fn cut(text: &mut Arc<str>, max_bytes: usize) -> bool {
    let end = text.floor_char_boundary(max_bytes);
    let rest = text.len() - end;
    if rest > 0 {
        *text = format!(
            "{}\n[{rest} more bytes of this result are left out: it is too long for the context window.]",
            &text[..end]
        )
        .into();
    }
    rest > 0
}

/// Returns true if an entry changes how earlier entries are sent.
fn changes(entry: &Entry, earlier: &[Entry]) -> bool {
    match &entry.kind {
        EntryKind::Snip { .. } => true,
        EntryKind::PrefixChange(change) => match change.from {
            ChangeStart::Start => true,
            ChangeStart::Entry(id) => earlier.iter().any(|it| it.id == id),
        },
        _ => false,
    }
}

/// Returns true if an entry has a call's result.
fn has_result(entry: &Entry) -> bool {
    entry.parts.iter().any(|part| matches!(part, Part::ToolResult(_)))
}

/// Returns true for a user message without a response, and for what its
/// mentions attached.
fn is_unanswered(entry: &Entry) -> bool {
    let is_message = matches!(&entry.kind, EntryKind::Message { role } if *role == Role::User);
    is_message
        && matches!(
            entry.origin,
            Origin::Human
                | Origin::TaskNotification
                | Origin::Coordinator
                | Origin::Channel { .. }
                | Origin::Attachment { .. }
        )
}
