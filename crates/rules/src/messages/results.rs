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
//! This pair is valid. Each of these changes is refused (texts documented, that
//! of the failed tool from issue threads):
//!
//! - `result-order`: the text before the result. The API reports it as a tool
//!   use without result.
//! - `unanswered-call`: no result in the next message of the user. Refusal:
//!   `tool_use` ids were found without `tool_result` blocks immediately after.
//! - `orphaned-result`: a result whose call is not in the message before.
//!   Refusal: unexpected `tool_use_id` found in `tool_result` blocks.
//! - `doubled-result`: two results for one id. Refusal: each tool_use must have
//!   a single result.
//! - `doubled-call`: an id again. Refusal: `tool_use` ids must be unique.
//! - `call-id`, `server-call-id`: an id with another character than
//!   `[a-zA-Z0-9_-]`; an id of a server tool without `srvtoolu_`.
//! - `server-result`: a `tool_result` for an id with `srvtoolu_`.
//! - `pending-server-call`: text next to the results, while a `server_tool_use`
//!   before has no result.
//! - `error-content`: an image in a result with `"is_error":true`. Refusal: all
//!   content must be type `text` if `is_error` is true.

use std::borrow::Cow;
use std::collections::HashSet;

use aside_json::Value;

use super::view::{Block, Message, View, is_server_result};
use crate::checker::Checker;
use crate::table::{
    CALL_ID, DOUBLED_CALL, DOUBLED_RESULT, ERROR_CONTENT, ORPHANED_RESULT, PENDING_SERVER_CALL,
    RESULT_ORDER, SERVER_CALL_ID, SERVER_RESULT, UNANSWERED_CALL,
};

/// Consecutive messages of one role, which the API joins; system messages are
/// not among them.
struct Run<'v, 't> {
    /// True for the user, false for the assistant.
    is_user: bool,
    /// The blocks of all messages of the run, in order.
    blocks: Vec<&'v Block<'t>>,
    /// The first text of a message that is a string, by its path.
    ///
    /// The number is that of the blocks of the run before the text.
    first_text: Option<(usize, String)>,
}

/// Each run of the user is compared with the run before it, and each run of the
/// assistant with the run after it.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    ids(checker, view);
    let runs = runs(view);
    for (index, run) in runs.iter().enumerate() {
        let next = runs.get(index + 1);
        let before = index.checked_sub(1).map(|before| &runs[before]);
        if run.is_user {
            let calls = calls(before);
            order(checker, run, &calls);
            orphans(checker, run, &calls);
        } else {
            unanswered(checker, run, next);
            pending(checker, run, next);
        }
    }
    for block in view.blocks().filter(|block| block.kind == "tool_result") {
        failed(checker, block);
    }
}

/// Calls and results are paired by runs, because two messages of one role are
/// one to the API.
fn runs<'v, 't>(view: &'v View<'t>) -> Vec<Run<'v, 't>> {
    let mut runs: Vec<Run<'v, 't>> = Vec::new();
    let messages = view.messages.iter();
    for message in messages.filter(|it| it.is_user() || it.is_assistant()) {
        if runs
            .last()
            .is_none_or(|run| run.is_user != message.is_user())
        {
            runs.push(Run {
                is_user: message.is_user(),
                blocks: Vec::new(),
                first_text: None,
            });
        }
        if let Some(run) = runs.last_mut() {
            run.add(message);
        }
    }
    runs
}

impl<'v, 't> Run<'v, 't> {
    /// Appends the content of a message to the run.
    fn add(&mut self, message: &'v Message<'t>) {
        if message.text.is_some() && self.first_text.is_none() {
            self.first_text = Some((self.blocks.len(), message.at("content")));
        }
        self.blocks.extend(&message.blocks);
    }

    /// Returns the blocks of a type.
    fn of(&self, kind: &str) -> impl Iterator<Item = &'v Block<'t>> {
        self.blocks
            .iter()
            .copied()
            .filter(move |it| it.kind == kind)
    }
}

fn quoted(id: &str) -> String {
    format!("{id:?}")
}

/// Returns the ids of the tool uses to which a run may have results.
fn calls<'t>(before: Option<&Run<'_, 't>>) -> HashSet<Cow<'t, str>> {
    let calls = before.into_iter().flat_map(|before| before.of("tool_use"));
    calls.filter_map(|it| it.value.text_of("id")).collect()
}

/// Reports results of `calls` that follow a block of another type or a text.
fn order(checker: &mut Checker, run: &Run<'_, '_>, calls: &HashSet<Cow<'_, str>>) {
    let first_other = run.blocks.iter().position(|it| it.kind != "tool_result");
    let first_text = run.first_text.as_ref().map(|(at, _)| *at);
    let first_other = first_other.into_iter().chain(first_text).min();
    let Some(first_other) = first_other else {
        return;
    };
    for block in run.blocks.iter().skip(first_other) {
        let id = block.value.text_of("tool_use_id");
        // A result without a call is reported as that.
        if block.kind == "tool_result" && id.is_some_and(|id| calls.contains(&id)) {
            checker.add(
                &RESULT_ORDER,
                block.path(),
                "a tool result after another block",
            );
        }
    }
}

/// Reports results that answer no call of the run before.
fn orphans(checker: &mut Checker, run: &Run<'_, '_>, calls: &HashSet<Cow<'_, str>>) {
    for block in run.of("tool_result") {
        let Some(id) = block.value.text_of("tool_use_id") else {
            continue;
        };
        if id.starts_with("srvtoolu_") {
            checker.add(&SERVER_RESULT, block.at("tool_use_id"), quoted(&id));
        } else if !calls.contains(&id) {
            checker.add(&ORPHANED_RESULT, block.at("tool_use_id"), quoted(&id));
        }
    }
}

/// Reports calls that the next run does not answer. A call in the last message
/// is one of them: the API requires the result in the request.
fn unanswered(checker: &mut Checker, run: &Run<'_, '_>, next: Option<&Run<'_, '_>>) {
    let results = next.into_iter().flat_map(|next| next.of("tool_result"));
    let answered: HashSet<_> = results
        .filter_map(|it| it.value.text_of("tool_use_id"))
        .collect();
    for call in run.of("tool_use") {
        let Some(id) = call.value.text_of("id") else {
            continue;
        };
        if !answered.contains(&id) {
            checker.add(&UNANSWERED_CALL, call.path(), quoted(&id));
        }
    }
}

/// While a tool of the API is pending, the user sends only results.
///
/// The call is pending if its result is not in the same run.
fn pending(checker: &mut Checker, run: &Run<'_, '_>, next: Option<&Run<'_, '_>>) {
    let Some(next) = next else { return };
    let results = run.blocks.iter().filter(|it| is_server_result(&it.kind));
    let done: HashSet<_> = results
        .filter_map(|it| it.value.text_of("tool_use_id"))
        .collect();
    let pending = run.of("server_tool_use").find(|call| {
        let id = call.value.text_of("id");
        id.is_some_and(|id| !done.contains(&id))
    });
    let Some(call) = pending else { return };
    let name = call.value.text_of("name").unwrap_or_default();
    let found = format!("another block, and {name} is pending at {call}");
    let other = next.blocks.iter().find(|it| it.kind != "tool_result");
    match (other, &next.first_text) {
        (Some(block), _) => checker.add(&PENDING_SERVER_CALL, block.path(), found),
        (None, Some((_, path))) => checker.add(&PENDING_SERVER_CALL, path.clone(), found),
        (None, None) => {}
    }
}

/// Reports other blocks than text in the result of a failed tool.
fn failed(checker: &mut Checker, block: &Block<'_>) {
    if !block.value.get("is_error").is_some_and(Value::is_true) {
        return;
    }
    for inner in block.content().filter(|inner| inner.kind != "text") {
        checker.add(
            &ERROR_CONTENT,
            inner.path(),
            format!("a block {:?}", inner.kind),
        );
    }
}

/// Checks the form of ids, and that none occurs twice. Ids of calls and of
/// results are compared separately. Those of MCP tools may have any form.
fn ids(checker: &mut Checker, view: &View<'_>) {
    let (mut calls, mut results) = (HashSet::new(), HashSet::new());
    for block in view.blocks() {
        let (key, rule, seen) = match &*block.kind {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => ("id", &DOUBLED_CALL, &mut calls),
            "tool_result" => ("tool_use_id", &DOUBLED_RESULT, &mut results),
            _ => continue,
        };
        let Some(id) = block.value.text_of(key) else {
            continue;
        };
        let is_form = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let is_valid = !id.is_empty() && id.bytes().all(is_form);
        if block.kind == "server_tool_use" {
            if !id.starts_with("srvtoolu_") {
                checker.add(&SERVER_CALL_ID, block.at(key), quoted(&id));
            }
        } else if !is_valid && block.kind != "mcp_tool_use" {
            checker.add(&CALL_ID, block.at(key), quoted(&id));
        }
        if !seen.insert(id.clone()) {
            checker.add(rule, block.at(key), format!("{id:?} again"));
        }
    }
}
