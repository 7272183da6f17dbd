//! The rules of the other wires, checked on a body as it is sent there.
//!
//! `table` lists the rules, and the file of each wire has their conditions. A `Finder`
//! collects the violations of one body, and `Node` is a value with its path. Conditions
//! that a body alone cannot decide, such as whether a signature is valid, are counted as
//! not checked.

mod chat;
mod finder;
mod gemini;
mod names;
mod node;
mod responses;
mod table;

use aside_messages::{Checked, Rules};
use aside_models::Wire;
use serde::de::IgnoredAny;
use serde_json::Value;

pub use self::table::{WIRE_RULES, WireRule};

use self::finder::Finder;
use self::node::Node;

/// Checks a body of Chat Completions, Responses or `generateContent` by the rules of that
/// wire ([`WIRE_RULES`]). No rule of the Messages API is applied.
///
/// The rules are those of the vendor's own server. They are applied if the model is the
/// vendor's, if no model is named, or if [`Rules::platform`] is the vendor's; the bodies
/// of compatible servers are counted as not checked.
///
/// A body in the form of the Messages API has nothing to check here: see
/// [`aside_messages::check_body`].
///
/// An array is read as the history of a body, in its `messages`, `input` or `contents`. A
/// body that is no JSON object violates `wire-json`; one that is valid JSON but nested
/// too deep, or has half a surrogate pair, is counted as not checked.
///
/// ```
/// use aside_messages::Rules;
/// use aside_models::Wire;
/// use aside_providers::check_wire;
///
/// let body = br#"{"model":"gpt-6-sol","input":[
///     {"type":"function_call","call_id":"call_1","name":"Bash","arguments":"{}"}]}"#;
/// let checked = check_wire(body, Wire::Responses, &Rules::default());
/// let found: Vec<_> = checked.refused().map(|it| (it.rule, &*it.path)).collect();
/// assert_eq!(found, [("responses-call-output", "input[0].call_id")]);
/// ```
#[must_use]
pub fn check_wire(body: &[u8], wire: Wire, rules: &Rules) -> Checked {
    let mut finder = Finder::new(wire, rules);
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) if serde_json::from_slice::<IgnoredAny>(body).is_ok() => {
            // Valid, but too deep or with half a surrogate pair.
            finder.skip("body", 1, error.to_string());
            return finder.finish();
        }
        Err(error) => {
            finder.add(&table::JSON, String::new(), error.to_string());
            return finder.finish();
        }
    };
    let key = match wire {
        Wire::ChatCompletions => "messages",
        Wire::Responses => "input",
        Wire::GenerateContent => "contents",
        _ => return finder.finish(),
    };
    // A history by itself is checked as the body that has only that.
    let value = match value {
        Value::Array(_) => Value::Object([(key.to_owned(), value)].into_iter().collect()),
        value => value,
    };
    let root = Node::root(&value);
    if !value.is_object() {
        finder.add(&table::JSON, String::new(), root.excerpt());
        return finder.finish();
    }
    if !finder.begin(&root) {
        return finder.finish();
    }
    match wire {
        Wire::ChatCompletions => chat::check(&mut finder, &root),
        Wire::Responses => responses::check(&mut finder, &root),
        Wire::GenerateContent => gemini::check(&mut finder, &root),
        _ => {}
    }
    finder.finish()
}
