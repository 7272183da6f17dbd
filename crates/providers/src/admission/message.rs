//! The rules for messages and their blocks.

use std::collections::HashSet;
use std::sync::Arc;

use aside_body::turns::{self, Fault, Pairing, Repeats, Window};
use aside_messages::wire::{ContentBlock, MediaSource, Message, Role};
use aside_rules::of::message::{Place, is_error_content, needs_content};
use aside_rules::table;

use super::at::At;
use super::changes::ToolChanges;
use super::findings::Findings;
use super::prefix::blank;

/// Iterates over a message's blocks and those in its results.
pub(super) fn all_blocks(
    index: usize,
    message: &Message,
) -> impl Iterator<Item = (At, &ContentBlock)> {
    let blocks = message.content.iter().enumerate();
    blocks.flat_map(move |(place, block)| {
        let at = At { message: index, block: place, within: None };
        let inner = block.inner_blocks().iter().enumerate();
        let inner = inner.map(move |(within, block)| {
            let within = Some(within);
            (At { within, ..at }, block)
        });
        std::iter::once((at, block)).chain(inner)
    })
}

/// Checks what lowering does not guarantee. Returns how many images there are, and reads the tool
/// changes.
pub(super) fn check(
    found: &mut Findings<'_>,
    index: usize,
    message: &Message,
    changes: &mut ToolChanges,
) -> usize {
    let mut images = 0;
    for (at, block) in all_blocks(index, message) {
        changes.read(at, block);
        match block {
            ContentBlock::Image(_) => images += 1,
            ContentBlock::Document(_) if message.role == Role::Assistant && at.within.is_none() => {
                found.add(&table::ASSISTANT_DOCUMENT, at.to_string(), "a document");
            }
            ContentBlock::Text(text)
                if text.citations.is_some()
                    && message.role == Role::User
                    && at.within.is_none() =>
            {
                let path = format!("{at}.citations");
                found.add(&table::USER_CITATIONS, path, "citations");
            }
            _ => {}
        }
    }
    images
}

/// Returns why data are not base64; only images need any.
fn broken_base64(block: &ContentBlock) -> Option<String> {
    let source = match block {
        ContentBlock::Image(image) => &image.source,
        ContentBlock::Document(document) => &document.source,
        _ => return None,
    };
    let MediaSource::Base64 { data, .. } = source else {
        return None;
    };
    let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"+/=\r\n".contains(&it);
    if data.is_empty() && matches!(block, ContentBlock::Image(_)) {
        return Some("no data".to_owned());
    }
    let position = data.bytes().position(|it| !is_valid(it))?;
    Some(format!("another character at {position}"))
}

/// Checks that there is content, and that it is the right kind.
pub(super) fn content(found: &mut Findings<'_>, (index, place): (usize, Place), message: &Message) {
    if message.content.is_empty() && needs_content(message.role.as_str(), place) {
        let path = format!("messages[{index}].content");
        found.add(&table::EMPTY_CONTENT, path, "no content");
    }
    let mut is_error = false;
    for (at, block) in all_blocks(index, message) {
        if let Some(value) = blank(block) {
            found.add(&table::BLANK_TEXT, at.to_string(), value);
        }
        if let Some(value) = broken_base64(block) {
            found.add_of_provider(&table::MEDIA_DATA, format!("{at}.source.data"), value);
        }
        match block {
            ContentBlock::ToolResult(result) if at.within.is_none() => {
                is_error = result.is_error == Some(true);
            }
            block if at.within.is_some() && is_error && !is_error_content(block.kind()) => {
                let value = format!("a block {:?}", block.kind());
                found.add(&table::ERROR_CONTENT, at.to_string(), value);
            }
            _ => {}
        }
    }
}

/// A request's tool uses and results so far.
pub(super) struct Pairs {
    pairing: Pairing<Arc<str>, (At, Arc<str>)>,
    role: Option<Role>,
    calls: HashSet<Arc<str>>,
    results: HashSet<Arc<str>>,
}

impl Pairs {
    pub(super) fn new() -> Self {
        Self {
            pairing: Pairing::new(Window::NextTurn, Repeats::Same),
            role: None,
            calls: HashSet::new(),
            results: HashSet::new(),
        }
    }

    /// Passes a message. Consecutive messages with one role are one turn; a system message does not
    /// end it.
    pub(super) fn pass(&mut self, found: &mut Findings<'_>, index: usize, message: &Message) {
        let turn = match message.role {
            Role::User => turns::Role::User,
            Role::Assistant => turns::Role::Assistant,
            _ => turns::Role::Other,
        };
        if turn != turns::Role::Other && self.role.as_ref() != Some(&message.role) {
            self.role = Some(message.role.clone());
            unanswered(found, self.pairing.turn(turn));
        }
        for (at, block) in all_blocks(index, message).filter(|(at, _)| at.within.is_none()) {
            self.doubled(found, at, block);
            match turn {
                turns::Role::User => self.answer(found, at, block),
                turns::Role::Assistant => self.call(at, block),
                _ => {}
            }
        }
    }

    pub(super) fn finish(mut self, found: &mut Findings<'_>) {
        unanswered(found, self.pairing.close());
    }

    /// Reports an id that another tool use or result already has.
    fn doubled(&mut self, found: &mut Findings<'_>, at: At, block: &ContentBlock) {
        let (rule, key, id, seen) = match block {
            ContentBlock::ToolUse(call) => {
                (&table::DOUBLED_CALL, "id", call.id.clone(), &mut self.calls)
            }
            ContentBlock::ToolResult(result) => {
                let id = result.tool_use_id.clone();
                (&table::DOUBLED_RESULT, "tool_use_id", id, &mut self.results)
            }
            ContentBlock::Other(other) => match other.server_call() {
                Some(id) => (&table::DOUBLED_CALL, "id", id.into(), &mut self.calls),
                None => return,
            },
            _ => return,
        };
        if !seen.insert(id.clone()) {
            found.add(rule, format!("{at}.{key}"), format!("{id:?} again"));
        }
    }

    /// Passes a block from the assistant.
    fn call(&mut self, at: At, block: &ContentBlock) {
        match block {
            ContentBlock::ToolUse(call) => {
                self.pairing.call(call.id.clone(), (at, call.id.clone()));
            }
            ContentBlock::Other(other) => {
                let call = other.server_call();
                if let Some(id) = call.filter(|_| other.kind() == "server_tool_use") {
                    let id: Arc<str> = id.into();
                    self.pairing.server_call(id.clone(), (at, id));
                } else if let Some(id) = other.server_result() {
                    self.pairing.server_result(&id.into()).ok();
                }
            }
            _ => {}
        }
    }

    /// Passes a block from the user.
    fn answer(&mut self, found: &mut Findings<'_>, at: At, block: &ContentBlock) {
        let ContentBlock::ToolResult(result) = block else {
            self.pairing.other();
            return;
        };
        let id = &result.tool_use_id;
        // A result for a server tool breaks another rule.
        if id.starts_with("srvtoolu_") {
            return;
        }
        match self.pairing.result(id) {
            Err(fault) if fault.is_orphaned() => {
                let path = format!("{at}.tool_use_id");
                found.add(&table::ORPHANED_RESULT, path, format!("{id:?}"));
            }
            Err(Fault::ResultAfterOther) => {
                let value = format!("the result of {id:?} after another block");
                found.add(&table::RESULT_ORDER, at.to_string(), value);
            }
            _ => {}
        }
    }
}

/// Reports calls that can no longer get a result.
fn unanswered(found: &mut Findings<'_>, calls: Vec<(At, Arc<str>)>) {
    for (at, id) in calls {
        found.add(&table::UNANSWERED_CALL, at.to_string(), format!("{id:?}"));
    }
}

/// Reports a request with more images than the model takes.
pub(super) fn limit(found: &mut Findings<'_>, images: usize) {
    if images == 0 {
        return;
    }
    let Some(facts) = found.facts() else { return };
    let limit = facts.max_images.and_then(|it| usize::try_from(it).ok());
    if let Some(limit) = limit.filter(|limit| images > *limit) {
        let value = format!("{images} images, {} takes {limit}", facts.id);
        found.add(&table::MEDIA_LIMIT, "messages", value);
    }
}
