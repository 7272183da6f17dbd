//! Proof that a request continues a conversation: call ids, and the last
//! response's text.

use std::collections::HashSet;

use super::{ParentRule, Thread};
use aside_body::body::{Body, Placed, Role};
use aside_body::hash;
use aside_body::path::Level;
use aside_json::scan as json;

/// A conversation that a request may continue.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// Its index in the list of conversations.
    pub(super) index: usize,
    pub(super) thread: &'a Thread,
}

/// How many messages around a response's position to search for its text.
const ANSWER_WINDOW: usize = 8;

/// Hashes the ids of all calls and results in a request.
pub(super) fn call_ids(request: &Body) -> HashSet<u64> {
    ids_in(request).collect()
}

fn ids_in(request: &Body) -> impl Iterator<Item = u64> {
    request.section(Level::Messages).iter().flat_map(|it| it.item.call_ids())
}

/// Returns true if the ids have one from the conversation's last response or,
/// if that was not recorded, the last one in its last request.
pub(super) fn has_call(ids: &HashSet<u64>, thread: &Thread) -> bool {
    let is_use = |it: &&Placed| {
        let mut blocks = it.item.blocks.iter();
        !it.item.calls.is_empty() || blocks.any(|it| it.kind.is_call())
    };
    match &thread.answer {
        Some(answer) => {
            let mut answered = answer.tool_use_ids.iter();
            answered.any(|it| ids.contains(&hash::of_bytes(it.as_bytes())))
        }
        None => {
            let messages = thread.last.section(Level::Messages).iter();
            let last = messages.rev().find(is_use);
            last.is_some_and(|it| it.item.call_ids().any(|it| ids.contains(&it)))
        }
    }
}

/// Returns true if the ids have one from anywhere in the conversation: a fork
/// leaves out the last responses. Forks of one conversation share such ids, so
/// this needs a message in common too.
pub(super) fn has_earlier_call(ids: &HashSet<u64>, thread: &Thread) -> bool {
    has_call(ids, thread) || ids_in(&thread.last).any(|it| ids.contains(&it))
}

/// Returns the only candidate with a call's id, even if it has no message in
/// common with the request: its history was rewritten.
pub(super) fn by_only_call(
    ids: &HashSet<u64>,
    candidates: &[Candidate<'_>],
) -> Option<(usize, ParentRule)> {
    let holders = candidates.iter().filter(|it| has_call(ids, it.thread));
    Some((only(holders)?, ParentRule::ToolUseId))
}

/// Returns the only candidate whose last response is in the request.
pub(super) fn by_text(request: &Body, candidates: &[Candidate<'_>]) -> Option<(usize, ParentRule)> {
    let holders = candidates.iter().filter(|it| has_text(request, it.thread));
    Some((only(holders)?, ParentRule::AnswerText))
}

/// Returns the only candidate: what several hold proves nothing.
pub(super) fn only<'a>(mut holders: impl Iterator<Item = &'a Candidate<'a>>) -> Option<usize> {
    let first = holders.next()?;
    holders.next().is_none().then_some(first.index)
}

/// Returns true if the request has an id or the text from the last response.
pub(super) fn has_answer(request: &Body, ids: &HashSet<u64>, thread: &Thread) -> bool {
    has_call(ids, thread) || has_text(request, thread)
}

/// Returns true if the request has the last response's text near where it must
/// be.
fn has_text(request: &Body, thread: &Thread) -> bool {
    let Some(text) = thread.answer.as_ref().and_then(|it| it.text.as_deref()) else {
        return false;
    };
    if text.is_empty() {
        return false;
    }
    let from = thread.last.conversation().len();
    let from = from.saturating_sub(ANSWER_WINDOW / 2);
    let near = request.conversation().iter().skip(from).take(ANSWER_WINDOW);
    let bytes = request.as_bytes();
    let near = near.filter(|it| it.item.role == Role::Assistant);
    near.flat_map(|placed| placed.item.blocks.iter().map(move |it| placed.at(&it.span))).any(
        |span| {
            let value = json::get(bytes, span.start, "text").unwrap_or(span);
            json::string(bytes, &value).is_some_and(|it| it == text)
        },
    )
}
