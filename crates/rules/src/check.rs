//! Checking a body, on any wire.

use aside_body::wire::messages_key;
use aside_json::{Kind, Tape, excerpt};
use aside_models::Wire;

use crate::checker::Checker;
use crate::context::Context;
use crate::finding::{Checked, Finding};
use crate::node::Node;
use crate::{chat, gemini, messages, responses, table};

/// Checks a request body's bytes. The work grows with their number. A body that is no JSON object
/// has one finding, from the rule `json`.
///
/// Other wires have the rules of the vendor's own server. They apply if the model is the vendor's,
/// if no model is named, or if [`Context::platform`] is the vendor's; of bodies for other servers, only
/// the form of the wire is checked. On these wires, an array is read as a body's history, in its
/// `messages`, `input` or `contents`.
///
/// ```
/// use aside_rules::{Context, Wire, check};
///
/// let body = br#"{"model":"claude-opus-5-5","max_tokens":8,"maxTokens":8,
///     "messages":[{"role":"user","content":" "}]}"#;
/// let checked = check(body, Wire::Messages, &Context::default());
/// let found: Vec<_> = checked.refused().map(|it| (it.rule, &*it.path)).collect();
/// assert_eq!(found, [("unknown-key", "maxTokens"), ("blank-text", "messages[0].content")]);
///
/// let body = br#"{"model":"gpt-6-sol","input":[
///     {"type":"function_call","call_id":"call_1","name":"Bash","arguments":"{}"}]}"#;
/// let checked = check(body, Wire::Responses, &Context::default());
/// let found: Vec<_> = checked.refused().map(|it| (it.rule, &*it.path)).collect();
/// assert_eq!(found, [("unanswered-call", "input[0].call_id")]);
/// ```
#[must_use]
pub fn check(body: &[u8], wire: Wire, context: &Context) -> Checked {
    let history;
    let is_history = wire != Wire::Messages && body.trim_ascii_start().starts_with(b"[");
    let body = if is_history {
        history = [b"{\"", messages_key(wire).as_bytes(), b"\":", body, b"}"].concat();
        &history
    } else {
        body
    };
    match Tape::parse(body) {
        Ok(tape) => check_tape(&tape, wire, context),
        Err(error) => unreadable(wire, error.in_text(body)),
    }
}

/// Checks a request body that is already on a tape, as [`check`] does. An array is no body here.
#[must_use]
pub fn check_tape(tape: &Tape<'_>, wire: Wire, context: &Context) -> Checked {
    let root = tape.root();
    if root.kind() != Kind::Object {
        return unreadable(wire, excerpt(root.raw()));
    }
    let mut checker = match wire {
        Wire::Messages => Checker::for_messages(root, context),
        _ => Checker::for_vendor(root, wire, context),
    };
    for value in tape.lone_surrogates() {
        checker.add(&table::SURROGATE, value.path(), "half a surrogate pair");
    }
    if wire != Wire::Messages {
        checker.doubled_keys(root);
    }
    match wire {
        Wire::Messages => messages::check(&mut checker, root),
        Wire::ChatCompletions => chat::check(&mut checker, &Node::root(root)),
        Wire::Responses => responses::check(&mut checker, &Node::root(root)),
        Wire::GenerateContent => gemini::check(&mut checker, &Node::root(root)),
        _ => {}
    }
    crate::shapes::check_types(&mut checker, root);
    checker.finish()
}

/// Returns the finding for a body that is no JSON object.
fn unreadable(wire: Wire, found: String) -> Checked {
    Checked { findings: vec![Finding::new(&table::JSON, wire, "", found)], ..Checked::default() }
}
