//! An official SDK's types, closed, for wires whose own text has only what is refused for a
//! published reason.
//!
//! The types say what the vendor's server knows, so most of what they lack is refused:
//!
//! | fault | level |
//! |---|---|
//! | another JSON type | `refused`; `unknown` for a number as text at Google, or a null for an optional key |
//! | a missing or an unknown key | `refused` |
//! | an unknown value or `type` | `unknown`, since a later version may have it |
//! | null for an optional key on Chat Completions and Gemini, or if the wire's own text accepts it | none |
//!
//! Clients that keep messages as their SDK prints them send `"tool_calls":null` and its like.
//!
//! Source: texts such as `Unknown parameter: 'input[0].x'`, `Invalid type for 'store'`, `Missing
//! required parameter: 'input[0].output'` and `Unknown name "x" at 'contents[0]': Cannot find
//! field`.

use aside_json::{Kind as Type, Path, Value, excerpt};
use aside_models::{Platform, Wire};

use super::walk::{Walk, has_type, walk};
use super::{Kind, Null, Object, Origin};
use crate::checker::Checker;
use crate::messages::seen_from_clients::SEEN_FROM_CLIENTS;
use crate::of::message::is_base64;
use crate::rule::{Rule, RuleLevel};
use crate::table::{MEDIA_DATA, UNKNOWN_KEY, VALUE};

/// Checks a whole body against the types. What another rule found at a place is not reported again,
/// so check this last.
pub(crate) fn check(checker: &mut Checker, root: Value<'_>) {
    walk(checker, Origin::Sdk, "Request", root);
}

/// The user's own data on Azure, which the SDK's types lack.
const AZURE_KEY: &str = "data_sources";

impl Walk<'_> {
    /// Reports a wrong form. For SDK types its level is `in_types`.
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        at: Path<'_>,
        in_types: RuleLevel,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        let path = at.to_string();
        let is_of_types = self.origin == Origin::Sdk;
        let is_taken = || {
            let checker = &self.checker;
            checker.has_finding_at(&path)
                || checker.accepted_nulls.contains(&path)
                || (rule.id == UNKNOWN_KEY.id && is_seen(checker.wire, &path))
                || (path == AZURE_KEY && checker.platforms.contains(Platform::Azure))
        };
        if is_of_types && is_taken() {
            return;
        }
        let level = is_of_types.then_some(in_types);
        self.checker.add_at_level(level, rule, path, found, expected);
    }

    /// Returns true for a null that the server reads as no key.
    pub(super) fn is_absent(&self, object: &Object, index: usize, value: Value<'_>) -> bool {
        let wires = [Wire::ChatCompletions, Wire::GenerateContent];
        self.origin == Origin::Sdk
            && value.is_null()
            && object.required & (1 << index) == 0
            && wires.contains(&self.checker.wire)
    }

    /// Returns true for a null in place of a value that the vendor's server requires. Another
    /// server may do without.
    pub(super) fn is_missing(&self, object: &Object, index: usize, value: Value<'_>) -> bool {
        let key = &object.keys[index];
        self.origin == Origin::Sdk
            && value.is_null()
            && object.required & (1 << index) != 0
            && matches!(key.null, Null::WrongType)
            && !has_type(&key.kind, Type::Null, value)
            && !self.checker.is_other_server
    }

    /// Returns the level for a value with another JSON type. Google's servers read text as a
    /// number.
    pub(super) fn of_other_type(&self, kind: &Kind, value: Value<'_>) -> RuleLevel {
        let is_google = self.checker.wire == Wire::GenerateContent;
        let is_scalar = value.text().is_some_and(|text| takes_scalar(kind, &text));
        if value.is_null() || (is_google && is_scalar) {
            RuleLevel::Unknown
        } else {
            RuleLevel::Refused
        }
    }

    /// Checks data. A length that base64 cannot have may come from a made-up signature.
    pub(super) fn base64(&mut self, value: Value<'_>, at: Path<'_>) {
        let text = value.text().unwrap_or_default();
        let data = text.trim_end_matches('=');
        if !is_base64(data) {
            self.add(&MEDIA_DATA, at, RuleLevel::Refused, excerpt(value.raw()), "base64");
        } else if data.len() % 4 == 1 {
            self.add(&VALUE, at, RuleLevel::Unknown, excerpt(value.raw()), "base64");
        }
    }
}

/// Returns true if Google's servers may read a text as a value of this kind.
fn takes_scalar(kind: &Kind, text: &str) -> bool {
    match kind {
        Kind::Either(kinds) => kinds.iter().any(|kind| takes_scalar(kind, text)),
        Kind::List(item) => takes_scalar(item, text),
        Kind::Shape(_) | Kind::Open => false,
        // The words for what is not finite are numbers, too.
        Kind::Number | Kind::Integer { .. } => text.parse::<f64>().is_ok(),
        _ => true,
    }
}

/// Returns true for a key that a client was observed to send.
fn is_seen(wire: Wire, path: &str) -> bool {
    let of_wire = SEEN_FROM_CLIENTS.iter().filter(|seen| seen.wire == wire);
    let mut keys = of_wire.flat_map(|seen| seen.keys);
    keys.any(|key| without_indexes(path).eq(key.chars()))
}

/// Returns `messages.content` for `messages[0].content`.
fn without_indexes(path: &str) -> impl Iterator<Item = char> {
    let mut is_index = false;
    path.chars().filter(move |letter| {
        is_index |= *letter == '[';
        let is_kept = !is_index;
        is_index &= *letter != ']';
        is_kept
    })
}
