//! The list of messages: how it begins and ends.
//!
//! - `no-message`: `"messages":[]`. Refusal: `messages: at least one message is
//!   required`. Valid if the request continues a thread.
//! - `prefill`: a last message `{"role":"assistant","content":"Once"}`.
//!   Refusal: `This model does not support assistant message prefill`. Valid
//!   with generation 4.5 models.
//! - `trailing-space`: the same with `"Once "`, if the model accepts a prefill.
//!   Refusal: `final assistant content cannot end with trailing whitespace`.
//!
//! Two messages in a row with one role are accepted and merged (documented),
//! and so is an assistant message at the start (observed, September 2026), so
//! no rule reports them.

use super::view::View;
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::table::{NO_MESSAGE, PREFILL, TRAILING_SPACE};

/// A paused response at the end is no prefill: the API continues it.
/// `compaction` and `count_tokens` accept any last message.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let is_list = view.root.get("messages").is_some_and(|it| it.raw().starts_with('['));
    let Some(last) = view.messages.last() else {
        // An empty list continues the response that the thread ends in.
        if is_list && !view.continues_thread() {
            checker.add(&NO_MESSAGE, "messages", "none");
        }
        return;
    };
    let has_text = last.text.is_some() || last.blocks.iter().any(|it| it.kind == "text");
    let is_prefill = last.is_assistant() && has_text && !last.is_paused() && !last.is_empty();
    // To compact or to count tokens you need no user message at the end.
    let is_answered =
        view.root.given("compaction").is_none() && checker.endpoint != ApiEndpoint::CountTokens;
    if !is_prefill || !is_answered {
        return;
    }
    match checker.facts.and_then(|facts| facts.prefill) {
        Some(false) => {
            checker.add(&PREFILL, last.at("role"), checker.on_model("the beginning of an answer"));
        }
        Some(true) => {
            let of_block = last.blocks.last().and_then(|it| it.value.text_of("text"));
            let text = last.text.clone().or(of_block).unwrap_or_default();
            if text.ends_with(char::is_whitespace) {
                checker.add(&TRAILING_SPACE, last.at("content"), "white space at the end");
            }
        }
        None => {}
    }
}
