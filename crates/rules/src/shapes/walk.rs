//! Compares a body with its shapes.
//!
//! These are wrong forms that an API refuses whatever the model is: a key that is doubled, unknown
//! or missing, a value with another type or outside its set, a block type that is unknown or not
//! accepted in its place. On the Messages API:
//!
//! | body | rule | the API's refusal |
//! |---|---|---|
//! | `{"maxTokens":8,…}` | `unknown-key` | `maxTokens: Extra inputs are not permitted` |
//! | no `max_tokens` | `missing-key` | 400 with the path of the key |
//! | `"stream":"yes"` | `value-type` | 400 with the path of the value |
//! | `"clear_at":"soon"` | `value` | `Input should be 'next_user_message' or 'never'` |
//! | `{"type":"Tool_Use",…}` | `misspelled-kind` | 400 with the path of the block |
//! | an image in `system` | `block-place` | 400 with the path of the block |
//!
//! Sources: the SDKs' types (documented) and published error texts (observed, October 2026).

use std::collections::BTreeSet;

use aside_json::{Kind as Type, Path, Value, excerpt};
use aside_models::Wire;

use super::{Key, Kind, Null, Object, Origin, Shape, Shapes, Union, begins, shapes};
use crate::checker::Checker;
use crate::rule::{Rule, RuleLevel};
use crate::table::{DOUBLED_KEY, MARKER_FORM, MISSING_KEY, VALUE, VALUE_TYPE};

/// Checks a whole body against the shape with this name, which the wire's file exports.
pub(crate) fn check(checker: &mut Checker, name: &str, root: Value<'_>) {
    walk(checker, Origin::Rules, name, root);
}

pub(super) fn walk(checker: &mut Checker, origin: Origin, name: &str, root: Value<'_>) {
    let Some(shapes) = shapes(checker.wire, origin) else {
        return;
    };
    let is_messages = checker.wire == Wire::Messages;
    let mut walk = Walk { checker, shapes, is_messages, origin };
    let export = shapes.exports.iter().find(|(export, _)| *export == name);
    if let Some((_, shape)) = export {
        walk.shape(*shape, root, Path::Root);
    }
}

/// Recursion goes as deep as the shapes: an object in any form (`Kind::Open`, such as a schema or a
/// tool input) ends it. A shape that is part of itself goes as deep as the body, which `aside_json`
/// limits.
pub(super) struct Walk<'c> {
    pub(super) checker: &'c mut Checker,
    pub(super) shapes: &'static Shapes,
    pub(super) is_messages: bool,
    pub(super) origin: Origin,
}

impl Walk<'_> {
    fn shape(&mut self, shape: usize, value: Value<'_>, at: Path<'_>) {
        match &self.shapes.shapes[shape] {
            Shape::Object(object) => self.object(object, value, at),
            Shape::Union(union) => self.tagged(union, value, at),
        }
    }

    /// Checks each member in text order, then reports missing keys. A doubled key is reported where
    /// it occurs the second time; both values are checked. A null is not missing: it is reported as
    /// a wrong type.
    fn object(&mut self, object: &'static Object, value: Value<'_>, at: Path<'_>) {
        let (mut seen, mut next) = (0_u64, 0);
        let mut others: Option<BTreeSet<_>> = None;
        for (name, value) in value.members() {
            let position = object.position(&name, next);
            let is_first = match position {
                Some(index) => {
                    let before = seen;
                    seen |= 1 << index;
                    next = index + 1;
                    seen != before
                }
                None => others.get_or_insert_default().insert(name.clone()),
            };
            let at = Path::Key(&at, &name);
            // On the other wires, all doubled keys in the body are already reported.
            if !is_first && self.is_messages {
                self.checker.add(&DOUBLED_KEY, at.to_string(), "the key again");
            }
            match (position, &object.others) {
                (Some(index), _) if self.is_absent(object, index, value) => {}
                (Some(index), _) if self.is_missing(object, index, value) => {
                    let expected = self.shapes.noun(&object.keys[index].kind);
                    self.add(&VALUE_TYPE, at, RuleLevel::Refused, "null", expected);
                }
                (Some(index), _) => self.member(&object.keys[index], value, at),
                (None, Some(kind)) => self.value(kind, value, at, None),
                (None, None) => self.unknown_key(&name, value, object, at),
            }
        }
        let mut missing = object.required & !seen;
        while missing != 0 {
            let key = &object.keys[missing.trailing_zeros() as usize];
            missing &= missing - 1;
            let expected = self.shapes.noun(&key.kind);
            let rule = key.instead.unwrap_or(&MISSING_KEY);
            let path = Path::Key(&at, key.name);
            self.add(rule, path, RuleLevel::Refused, "no key", expected);
        }
    }

    /// Checks a known key. The gate is reported first, then the value is checked, so that a body
    /// without the beta also gets a wrong value reported.
    fn member(&mut self, key: &'static Key, value: Value<'_>, at: Path<'_>) {
        match key.null {
            Null::Accepted if value.is_null() => {
                if !self.is_messages && self.origin == Origin::Rules {
                    self.checker.accepted_nulls.insert(at.to_string());
                }
                return;
            }
            Null::Breaks(rule) if value.is_null() => {
                return self.checker.add(rule, at.to_string(), "null");
            }
            _ => {}
        }
        if let Some(gate) = key.gate
            && !value.is_null()
        {
            self.checker.add(gate, at.to_string(), excerpt(value.raw()));
        }
        self.value(&key.kind, value, at, key.instead);
    }

    /// Checks one value. `instead` is the rule to report for its own faults, if any.
    fn value(
        &mut self,
        kind: &'static Kind,
        value: Value<'_>,
        at: Path<'_>,
        instead: Option<&'static Rule>,
    ) {
        // The alternative with the type is compared as any other kind.
        let alternatives = match kind {
            Kind::Either(kinds) => kinds.as_slice(),
            kind => std::slice::from_ref(kind),
        };
        let found = value.kind();
        let Some(kind) = alternatives.iter().find(|kind| has_type(kind, found, value)) else {
            let expected = self.shapes.noun(kind);
            let rule = instead.unwrap_or(&VALUE_TYPE);
            let level = self.of_other_type(kind, value);
            return self.add(rule, at, level, excerpt(value.raw()), expected);
        };
        let rule = instead.unwrap_or(&VALUE);
        match kind {
            Kind::Boolean | Kind::Number => {}
            Kind::Text { max_chars } => {
                // A character has at least one byte.
                if value.range().len() > *max_chars {
                    self.length(*max_chars, value, at, rule);
                }
            }
            Kind::Base64 => self.base64(value, at),
            Kind::Open | Kind::Any if !self.is_messages => {}
            Kind::Open | Kind::Any => self.checker.doubled_keys(value),
            Kind::Integer { min } => {
                if value.integer().is_some_and(|number| number < *min) {
                    self.report(rule, value, at, format!("at least {min}"));
                }
            }
            Kind::Literal(values) => {
                let text = value.text().unwrap_or_default();
                if !values.contains(&&*text) && !values.iter().any(|value| begins(value, &text)) {
                    // A wrong lifetime such as `"ttl":"2h"` has its own row in the table.
                    let is_of_marker = matches!(at, Path::Key(Path::Key(_, MARKER), _));
                    let rule = if is_of_marker { &MARKER_FORM } else { rule };
                    self.report(rule, value, at, self.shapes.noun(kind));
                }
            }
            Kind::List(item) => {
                for (index, value) in value.items().enumerate() {
                    self.value(item, value, Path::Index(&at, index), None);
                }
            }
            Kind::Shape(shape) => self.shape(*shape, value, at),
            Kind::Either(_) => self.value(kind, value, at, instead),
        }
    }

    fn length(&mut self, max_chars: usize, value: Value<'_>, at: Path<'_>, rule: &'static Rule) {
        let chars = value.text().map_or(0, |text| text.chars().count());
        if chars > max_chars {
            let (found, expected) =
                (format!("{chars} characters"), format!("at most {max_chars} characters"));
            self.add(rule, at, RuleLevel::Refused, found, expected);
        }
    }

    fn report(&mut self, rule: &'static Rule, value: Value<'_>, at: Path<'_>, expected: String) {
        let found = excerpt(value.raw());
        self.add(rule, at, RuleLevel::Unknown, found, expected);
    }

    /// Returns true if an object has every key that a shape requires.
    fn has_keys(&self, shape: usize, value: Value<'_>) -> bool {
        let Shape::Object(object) = &self.shapes.shapes[shape] else {
            return false;
        };
        let mut required = object.keys.iter().enumerate();
        required.all(|(index, key)| {
            object.required & (1 << index) == 0 || value.get(key.name).is_some()
        })
    }

    /// Checks an object by its tag, `type` or `role`. Without one, the object has the union's
    /// untagged shape (a caller's tool has no `type`), or the key is missing.
    fn tagged(&mut self, union: &'static Union, value: Value<'_>, at: Path<'_>) {
        let at_tag = Path::Key(&at, union.tag);
        let Some(tag) = value.given(union.tag) else {
            let has_keys = |shape: &&usize| self.has_keys(**shape, value);
            let untagged = union.untagged.iter().find(has_keys);
            if let Some(shape) = untagged.or(union.untagged.first()) {
                return self.shape(*shape, value, at);
            }
            let expected = format!("the {} of a {}", union.tag, union.noun);
            return self.add(&MISSING_KEY, at_tag, RuleLevel::Refused, "no key", expected);
        };
        let Some(name) = tag.text() else {
            let (refused, found) = (RuleLevel::Refused, excerpt(tag.raw()));
            return self.add(&VALUE_TYPE, at_tag, refused, found, "a string");
        };
        let Some(variant) = union.variant(&name) else {
            return self.unknown_kind(&name, union, at_tag);
        };
        if let Some(gate) = variant.gate {
            self.checker.add(gate, at.to_string(), excerpt(tag.raw()));
        }
        self.shape(variant.shape, value, at);
    }
}

pub(super) const MARKER: &str = "cache_control";

/// Returns true if the value, whose JSON type is `found`, has the right one.
pub(super) fn has_type(kind: &Kind, found: Type, value: Value<'_>) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Text { .. } | Kind::Base64 | Kind::Literal(_) => found == Type::String,
        Kind::Boolean => found == Type::Bool,
        Kind::Integer { .. } => found == Type::Number && value.integer().is_some(),
        Kind::Number => found == Type::Number,
        Kind::Open | Kind::Shape(_) => found == Type::Object,
        Kind::List(_) => found == Type::Array,
        Kind::Either(kinds) => kinds.iter().any(|kind| has_type(kind, found, value)),
    }
}
