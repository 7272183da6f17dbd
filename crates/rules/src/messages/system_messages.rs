//! System messages in mid-conversation, turn-scoped ones, and message efforts.
//!
//! Placement (documented, texts observed in October 2026), by the roles in
//! `messages`:
//!
//! - `[user, system]` and `[user, system, assistant]` are valid;
//! - `[system, user]`, `system-first`: use the top-level 'system' parameter for
//!   the initial system prompt;
//! - `[user, assistant, system]`, `system-after`: role 'system' must follow a
//!   'user' message or an 'assistant' message ending in a server tool result;
//! - `[user, system, user]`, `system-before`: role 'system' must precede an
//!   'assistant' message or end the array;
//! - `"content":[]` without `output_config`, `system-content`: system content
//!   must contain at least one block;
//! - an image, `system-blocks`: role 'system' supports text, tool_addition, and
//!   tool_removal blocks only;
//! - a model without support, `system-model`: role 'system' is not supported on
//!   this model.
//!
//! A turn-scoped message, which the model sees until the next user message, has
//! text only:
//!
//! ```json
//! {"role": "system", "clear_at": "next_user_message", "content": [{"type": "text", "text": "…"}]}
//! ```
//!
//! Refused are another role (`clear-at-role`), a tool change in it
//! (`clear-at-blocks`), `output_config` (`clear-at-output-config`) and a cache
//! marker (`clear-at-marker`). `"clear_at":"never"` is the default and has none
//! of these limits.
//!
//! To set the effort from the next turn on, send a message without content:
//!
//! ```json
//! {"role": "system", "content": [], "output_config": {"effort": "low"}}
//! ```

use aside_json::Value;
use aside_models::{Acceptance, Effort, ModelFacts};

use super::view::{Message, View};
use crate::checker::Checker;
use crate::table::{
    CLEAR_AT_BLOCKS, CLEAR_AT_MARKER, CLEAR_AT_MODEL, CLEAR_AT_OUTPUT_CONFIG, CLEAR_AT_ROLE,
    EFFORT_MODEL, MESSAGE_EFFORT_MODEL, MESSAGE_EFFORT_ROLE, MESSAGE_EFFORT_THINKING, SYSTEM_AFTER,
    SYSTEM_BEFORE, SYSTEM_BLOCKS, SYSTEM_CONTENT, SYSTEM_FIRST, SYSTEM_MODEL,
};

/// The blocks that a system message can have.
const BLOCKS: [&str; 3] = ["text", "tool_addition", "tool_removal"];

/// A message that only sets the effort is excluded from the rules about content
/// and place.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    placement(checker, view);
    efforts(checker, view);
    for message in &view.messages {
        keys(checker, message);
        if message.is_system() && !message.is_directive() {
            content(checker, message);
        }
    }
}

/// Judges messages that bear content, in groups. A message that holds only an
/// effort is accepted everywhere, and is not among them.
///
/// Consecutive system messages are one group: its first must follow a message
/// that permits it, and its last must precede one. Each fault is reported once,
/// at that message.
fn placement(checker: &mut Checker, view: &View<'_>) {
    let placed: Vec<_> = view.messages.iter().filter(|it| !it.is_directive()).collect();
    let is_start = !view.continues_thread();
    let leading = placed.iter().take_while(|it| is_start && it.is_system()).count();
    let is_system = |at: usize| placed.get(at).is_some_and(|it| it.is_system());
    for (at, message) in placed.iter().enumerate().filter(|(_, it)| it.is_system()) {
        let is_first_of_group = at == 0 || !is_system(at - 1);
        let is_last_of_group = !is_system(at + 1);
        let path = || message.at("role");
        // A continued thread has the message before it.
        if at == 0 && is_start {
            checker.add(&SYSTEM_FIRST, path(), "a system message at the beginning");
        } else if at > 0 && is_first_of_group {
            let before = placed[at - 1];
            if !before.is_user() && !before.ends_in_server_result() {
                let found = format!("a system message after {}", before.path());
                checker.add(&SYSTEM_AFTER, path(), found);
            }
        }
        // A system message before the first user message is one fault.
        if is_last_of_group
            && at >= leading
            && let Some(next) = placed.get(at + 1)
            && !next.is_assistant()
        {
            let found = format!("a system message before {}", next.path());
            checker.add(&SYSTEM_BEFORE, path(), found);
        }
    }
}

/// Checks the model, and that there are blocks of accepted types. The walk has
/// already reported a block without `type`.
fn content(checker: &mut Checker, message: &Message<'_>) {
    checker.require(
        &SYSTEM_MODEL,
        |facts| facts.system_messages,
        message.at("role"),
        "a system message",
    );
    if message.is_empty() {
        checker.add(&SYSTEM_CONTENT, message.at("content"), "no content");
    }
    for block in &message.blocks {
        if !BLOCKS.contains(&&*block.kind) && !block.kind.is_empty() {
            checker.add(&SYSTEM_BLOCKS, block.path(), format!("a block {:?}", block.kind));
        }
    }
}

/// Checks both keys that only system messages have, `clear_at` and
/// `output_config`.
fn keys(checker: &mut Checker, message: &Message<'_>) {
    let clear_at = message.value.given("clear_at");
    let config = message.value.given("output_config");
    if clear_at.is_some() && !message.is_system() {
        checker.add(&CLEAR_AT_ROLE, message.at("clear_at"), "clear_at");
    }
    if config.is_some() && !message.is_system() {
        checker.add(&MESSAGE_EFFORT_ROLE, message.at("output_config"), "output_config");
    }
    if !message.is_system() {
        return;
    }
    if config.is_some() {
        checker.require(
            &MESSAGE_EFFORT_MODEL,
            |facts| facts.message_effort,
            message.at("output_config"),
            "an effort of a message",
        );
    }
    if clear_at.is_some() {
        checker.require(
            &CLEAR_AT_MODEL,
            |facts| facts.clear_at,
            message.at("clear_at"),
            "clear_at",
        );
    }
    let is_scoped = clear_at.and_then(Value::text);
    if is_scoped.as_deref() != Some("next_user_message") {
        return;
    }
    if config.is_some() {
        let path = message.at("output_config");
        checker.add(&CLEAR_AT_OUTPUT_CONFIG, path, "output_config");
    }
    for block in &message.blocks {
        if block.kind != "text" && BLOCKS.contains(&&*block.kind) {
            checker.add(&CLEAR_AT_BLOCKS, block.path(), format!("a block {:?}", block.kind));
        }
        if block.value.given("cache_control").is_some() {
            checker.add(&CLEAR_AT_MARKER, block.at("cache_control"), "a marker");
        }
    }
}

/// Checks efforts that messages set: the model has to have them, and with
/// thinking off some models take no change.
///
/// To compare, begin with the request's effort, or else with the model's
/// default. Refusal: output_config.effort 'low' differs from the 'high' in
/// effect before it (observed, October 2026). Valid: the same effort again.
fn efforts(checker: &mut Checker, view: &View<'_>) {
    let top = view.output_config("effort").and_then(Value::text).and_then(|it| it.parse().ok());
    let mut current = top.or(checker.facts.and_then(|facts| facts.default_effort));
    let is_off = matches!(&*view.thinking(), "disabled" | "between_tools");
    let is_fixed = is_off && checker.facts.is_some_and(fixes_effort);
    for message in view.messages.iter().filter(|it| it.is_system()) {
        let config = message.value.given("output_config");
        let Some(name) = config.and_then(|config| config.text_of("effort")) else {
            continue;
        };
        let effort = name.parse().ok().filter(|it| *it >= Effort::Low);
        let Some(effort) = effort else {
            continue;
        };
        let path = || message.at("output_config.effort");
        let has_feature = checker.supports(|facts| facts.message_effort) != Some(false);
        if has_feature
            && let Some(facts) = checker.facts
            && facts.takes_effort(effort) == Some(false)
        {
            checker.add(&EFFORT_MODEL, path(), checker.on_model(&format!("{name:?}")));
        }
        if is_fixed && let Some(before) = current.filter(|before| *before != effort) {
            let found = format!("{name:?} after {}", before.as_str());
            checker.add(&MESSAGE_EFFORT_THINKING, path(), found);
        }
        current = Some(effort);
    }
}

/// Returns true for models whose effort is fixed while thinking is off: those
/// in generation 5.5 that can switch it off.
///
/// Documented for Sonnet 5.5 and Haiku 5.5.
fn fixes_effort(facts: &ModelFacts) -> bool {
    let can_be_off = facts.thinking.is_some_and(|it| {
        it.disabled == Acceptance::UpToHighEffort || it.between_tools == Acceptance::UpToHighEffort
    });
    can_be_off && facts.generation >= (5, 5)
}
