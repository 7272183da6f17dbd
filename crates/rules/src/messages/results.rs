//! Tool uses and their results.
//!
//! ```json
//! [{"role": "assistant", "content": [
//!    {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}]},
//!  {"role": "user", "content": [
//!    {"type": "tool_result", "tool_use_id": "toolu_1", "content": "noon"},
//!    {"type": "text", "text": "Thanks"}]}]
//! ```
//!
//! This pair is valid. Each of these changes is refused (texts documented, except for the failed
//! tool's, which is from issue threads):
//!
//! - `result-order`: the text before the result. The API reports it as a tool use without result.
//! - `unanswered-call`: no result in the next user message. Refusal: `tool_use` ids were found
//!   without `tool_result` blocks immediately after.
//! - `compaction-incomplete-turn`: the same in the last turn, with `compaction` in the request.
//!   Code: `compaction_incomplete_turn`.
//! - `orphaned-result`: a result whose call is not in the message before. Refusal: unexpected
//!   `tool_use_id` found in `tool_result` blocks.
//! - `doubled-result`: two results for one id. Refusal: each tool_use must have a single result.
//! - `doubled-call`: an id again. Refusal: `tool_use` ids must be unique.
//! - `call-id`, `server-call-id`: an id with another character than
//!   `[a-zA-Z0-9_-]`; an id of a server tool without `srvtoolu_`.
//! - `call-name`: a call of a tool with another character in its name, or over 200. Refusal: the
//!   name should match a pattern (issue threads).
//! - `server-result`: a `tool_result` for an id with `srvtoolu_`.
//! - `pending-server-call`: text next to the results, while a `server_tool_use` before has no
//!   result.
//! - `orphaned-server-result`: an API tool's result whose `server_tool_use` is nowhere before it.
//!   It is valid if the call is in an earlier turn: your own tools may have run in between.
//! - `error-content`: an image in a result with `"is_error":true`. Refusal: all content must be
//!   type `text` if `is_error` is true.

use std::borrow::Cow;
use std::collections::HashSet;

use aside_body::turns::{Fault, Pairing, Repeats, Role, Window};
use aside_json::Value;

use super::view::{Block, View, is_server_result};
use crate::checker::Checker;
use crate::of::message::is_error_content;
use crate::rule::Rule;
use crate::table::{
    CALL_ID, CALL_NAME, COMPACTION_INCOMPLETE_TURN, DOUBLED_CALL, DOUBLED_RESULT, ERROR_CONTENT,
    ORPHANED_RESULT, ORPHANED_SERVER_RESULT, PENDING_SERVER_CALL, RESULT_ORDER, SERVER_CALL_ID,
    SERVER_RESULT, UNANSWERED_CALL,
};

/// The longest name of a call, in bytes: those of earlier tools may be longer than a tool's.
const MAX_CALL_NAME: usize = 200;
/// How much of a name to show.
const MAX_SHOWN_CHARS: usize = 80;

/// One user turn's findings, until it is known which calls it leaves open.
#[derive(Default)]
struct Turn {
    pending: Vec<Found>,
    out_of_order: Vec<Found>,
    orphans: Vec<Found>,
}

/// A broken rule, the path and what was found.
type Found = (&'static Rule, String, String);

/// Pairs calls with results by turns: consecutive messages with one role, which the API joins.
/// System messages are not among them.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    ids(checker, view);
    let mut pairing = Pairing::new(Window::NextTurn, Repeats::Same);
    let (mut turn, mut role) = (Turn::default(), None);
    if view.continues_thread() {
        // The thread has the calls that the first turn answers.
        let messages = view.messages.iter().filter(|it| !it.is_system());
        let first = messages.take_while(|it| it.is_user());
        let _ = pairing.turn(Role::Assistant);
        for block in first.flat_map(|it| &it.blocks) {
            let id = block.value.text_of("tool_use_id");
            let _ = id.and_then(|id| pairing.call(id, block));
        }
    }
    let messages = view.messages.iter();
    for message in messages.filter(|it| it.is_user() || it.is_assistant()) {
        let is_user = message.is_user();
        if role.replace(is_user) != Some(is_user) {
            let of_turn = if is_user { Role::User } else { Role::Assistant };
            turn.end(checker, &UNANSWERED_CALL, pairing.turn(of_turn));
        }
        if message.text.is_some() {
            turn.other(pairing.other(), || message.at("content"));
        }
        for block in &message.blocks {
            if is_user { turn.answer(&mut pairing, block) } else { call(&mut pairing, block) }
        }
    }
    let is_compacted = view.root.given("compaction").is_some();
    let open = if is_compacted { &COMPACTION_INCOMPLETE_TURN } else { &UNANSWERED_CALL };
    turn.end(checker, open, pairing.close());
    for block in view.blocks_of(&["tool_result"]) {
        failed(checker, block);
    }
}

type Calls<'v, 't> = Pairing<Cow<'t, str>, &'v Block<'t>>;

/// Passes an assistant block.
fn call<'v, 't>(pairing: &mut Calls<'v, 't>, block: &'v Block<'t>) {
    let id = |key| block.value.text_of(key);
    // Doubled ids count over the whole request.
    match &*block.kind {
        "tool_use" => {
            let _ = id("id").and_then(|id| pairing.call(id, block));
        }
        "server_tool_use" => {
            let _ = id("id").and_then(|id| pairing.server_call(id, block));
        }
        kind if is_server_result(kind) => {
            let _ = id("tool_use_id").map(|id| pairing.server_result(&id));
        }
        _ => {}
    }
}

fn quoted(id: &str) -> String {
    format!("{id:?}")
}

impl Turn {
    /// Passes a user block.
    fn answer<'v, 't>(&mut self, pairing: &mut Calls<'v, 't>, block: &'v Block<'t>) {
        if block.kind != "tool_result" {
            return self.other(pairing.other(), || block.path());
        }
        let Some(id) = block.value.text_of("tool_use_id") else {
            return;
        };
        let mut orphan = |rule| {
            let orphan = (rule, block.at("tool_use_id"), quoted(&id));
            self.orphans.push(orphan);
        };
        if id.starts_with("srvtoolu_") {
            return orphan(&SERVER_RESULT);
        }
        match pairing.result(&id) {
            Err(fault) if fault.is_orphaned() => orphan(&ORPHANED_RESULT),
            Err(Fault::ResultAfterOther) => {
                let found = format!("the result of {id:?} after another block");
                self.out_of_order.push((&RESULT_ORDER, block.path(), found));
            }
            _ => {}
        }
    }

    /// Passes a block that is no result. While an API tool is pending, users may send only results.
    fn other(&mut self, pending: Option<&Block<'_>>, path: impl Fn() -> String) {
        if let Some(call) = pending {
            let name = call.value.text_of("name").unwrap_or_default();
            let found = format!("another block, and {name} is pending at {}", call.path());
            self.pending.push((&PENDING_SERVER_CALL, path(), found));
        }
    }

    /// Reports what was found, and calls that this turn does not answer, even a call in the last
    /// message: the API requires its result in the request.
    fn end(&mut self, checker: &mut Checker, rule: &'static Rule, unanswered: Vec<&Block<'_>>) {
        for call in unanswered {
            let id = call.value.text_of("id").unwrap_or_default();
            checker.add(rule, call.path(), quoted(&id));
        }
        let Self { pending, out_of_order, orphans } = std::mem::take(self);
        for (rule, path, found) in pending.into_iter().chain(out_of_order).chain(orphans) {
            checker.add(rule, path, found);
        }
    }
}

/// Reports blocks other than text in a failed tool's result.
fn failed(checker: &mut Checker, block: &Block<'_>) {
    if !block.value.get("is_error").is_some_and(Value::is_true) {
        return;
    }
    let content = block.content.iter();
    for inner in content.filter(|inner| !is_error_content(&inner.kind)) {
        checker.add(&ERROR_CONTENT, inner.path(), format!("a block {:?}", inner.kind));
    }
}

/// Returns true if a text is of the form `[a-zA-Z0-9_-]+`.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.bytes().all(is_plain)
}

/// Checks the form of ids, that none occurs twice, and that an API tool's result has its call
/// before it. Call ids and result ids are compared separately. MCP tools' ids may have any form.
fn ids(checker: &mut Checker, view: &View<'_>) {
    // A set that grows hashes what it has again.
    let expected = view.messages.len() / 2;
    let set = || HashSet::with_capacity(expected);
    let (mut calls, mut results) = (set(), set());
    for block in view.blocks() {
        let (key, rule, seen) = match &*block.kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => ("id", &DOUBLED_CALL, &mut calls),
            "tool_result" => ("tool_use_id", &DOUBLED_RESULT, &mut results),
            kind if is_server_result(kind) => {
                if let Some(id) = block.value.text_of("tool_use_id")
                    && !calls.contains(&id)
                {
                    let path = block.at("tool_use_id");
                    checker.add(&ORPHANED_SERVER_RESULT, path, quoted(&id));
                }
                continue;
            }
            _ => continue,
        };
        if block.kind == "tool_use"
            && let Some(name) = block.value.text_of("name")
            && !(is_plain(&name) && name.len() <= MAX_CALL_NAME)
        {
            let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
            checker.add(&CALL_NAME, block.at("name"), format!("{shown:?}"));
        }
        let Some(id) = block.value.text_of(key) else {
            continue;
        };
        if block.kind == "server_tool_use" {
            if !id.starts_with("srvtoolu_") {
                checker.add(&SERVER_CALL_ID, block.at(key), quoted(&id));
            }
        } else if !is_plain(&id) && block.kind != "mcp_tool_use" {
            checker.add(&CALL_ID, block.at(key), quoted(&id));
        }
        if !seen.insert(id.clone()) {
            checker.add(rule, block.at(key), format!("{id:?} again"));
        }
    }
}
