//! The form of JSON values, as data: closed key sets, types, allowed values.
//!
//! The shapes of a wire are a text, `shapes/WIRE.shapes`; the head of `shapes/messages.shapes`
//! describes its notation. A second text, `shapes/sdk/WIRE.shapes`, is generated from the types of
//! the official SDK. A text is parsed the first time its wire is checked.

mod kinds;
mod nearest;
mod parse;
mod sdk;
mod tokens;
mod unknown;
mod walk;

use std::sync::OnceLock;

use aside_models::Wire;

use crate::rule::Rule;

pub(crate) use sdk::check as check_types;
pub(crate) use walk::check;

/// The origin of a text of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Written by hand, with the rules of the wire: `shapes/WIRE.shapes`.
    Rules,
    /// Generated from the types of the official SDK: `shapes/sdk/WIRE.shapes`. The Messages API has
    /// none, because its own text is all of its types.
    Sdk,
}

/// Returns a text of a wire and where it is kept once it was read.
fn file(wire: Wire, origin: Origin) -> Option<(&'static str, &'static OnceLock<Shapes>)> {
    static READ: [OnceLock<Shapes>; 7] = [const { OnceLock::new() }; 7];
    let (text, index) = match (wire, origin) {
        (Wire::Messages, Origin::Rules) => (include_str!("shapes/messages.shapes"), 0),
        (Wire::ChatCompletions, Origin::Rules) => (include_str!("shapes/chat.shapes"), 1),
        (Wire::Responses, Origin::Rules) => (include_str!("shapes/responses.shapes"), 2),
        (Wire::GenerateContent, Origin::Rules) => (include_str!("shapes/gemini.shapes"), 3),
        (Wire::ChatCompletions, Origin::Sdk) => (include_str!("shapes/sdk/chat.shapes"), 4),
        (Wire::Responses, Origin::Sdk) => (include_str!("shapes/sdk/responses.shapes"), 5),
        (Wire::GenerateContent, Origin::Sdk) => (include_str!("shapes/sdk/gemini.shapes"), 6),
        _ => return None,
    };
    Some((text, &READ[index]))
}

/// Returns the shapes of a wire.
fn shapes(wire: Wire, origin: Origin) -> Option<&'static Shapes> {
    let (text, read) = file(wire, origin)?;
    let parse = || parse::parse(text).expect("a test parses every file of shapes");
    Some(read.get_or_init(parse))
}

/// The shapes of one wire.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    /// The names of bodies, with their indexes in `shapes`.
    exports: Vec<(&'static str, usize)>,
}

/// A shape of JSON objects.
#[derive(Debug)]
enum Shape {
    Object(Object),
    Union(Union),
}

/// An object with one set of keys.
#[derive(Clone, Debug, Default)]
struct Object {
    /// At most 64.
    keys: Vec<Key>,
    /// A bit for the index of each required key.
    required: u64,
    /// The kind of the values of other keys, which are refused without one.
    others: Option<Kind>,
}

/// A key of an object.
#[derive(Clone, Debug)]
struct Key {
    name: &'static str,
    kind: Kind,
    null: Null,
    /// The rule that is broken by the key itself, unless a beta lifts it.
    gate: Option<&'static Rule>,
    /// The rule that is broken by an absent key and by every wrong value.
    instead: Option<&'static Rule>,
}

/// What a null in place of a value is.
#[derive(Clone, Copy, Debug)]
enum Null {
    WrongType,
    Accepted,
    Breaks(&'static Rule),
}

/// The form of a value.
#[derive(Clone, Debug)]
enum Kind {
    Text {
        max_chars: usize,
    },
    /// In either alphabet, with or without padding.
    Base64,
    Boolean,
    Integer {
        min: i64,
    },
    Number,
    Literal(Vec<&'static str>),
    /// An object that is not looked into: tool input, schemas.
    Open,
    Any,
    List(Box<Kind>),
    /// The index of a shape.
    Shape(usize),
    /// Only the first with the JSON type of the value is compared, so that a list with a faulty
    /// block is reported at the block and not as “neither text nor a list”.
    Either(Vec<Kind>),
}

/// Objects that differ by their `type`, or by their `role` if an alternative has no `type`.
#[derive(Debug, Default)]
struct Union {
    /// `type` or `role`.
    tag: &'static str,
    /// The noun for messages.
    noun: &'static str,
    /// A type of another union of blocks is reported as misplaced and not as unknown.
    is_of_blocks: bool,
    /// The Claude API refuses another type.
    is_closed: bool,
    variants: Vec<Variant>,
    /// The shapes of objects without a `type`.
    untagged: Vec<usize>,
}

/// One `type` of a union.
#[derive(Debug)]
struct Variant {
    tag: &'static str,
    shape: usize,
    /// The rule that is broken by the type itself, unless a beta lifts it.
    gate: Option<&'static Rule>,
}

impl Shapes {
    /// Returns the values of a tag of an object, and true if it is required.
    fn tags(&self, shape: usize, tag: &str) -> Option<(&[&'static str], bool)> {
        let Shape::Object(object) = &self.shapes[shape] else {
            return None;
        };
        let index = object.position(tag, 0)?;
        match &object.keys[index].kind {
            Kind::Literal(tags) => Some((tags, object.required & (1 << index) != 0)),
            _ => None,
        }
    }

    fn unions(&self) -> impl Iterator<Item = &Union> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Union(union) => Some(union),
            Shape::Object(_) => None,
        })
    }

    /// Returns the noun of a kind, which reads after “expected”: `a list`, `a string or a list`,
    /// `one of auto, any`.
    fn noun(&self, kind: &Kind) -> String {
        let noun = match kind {
            Kind::Text { .. } => "a string",
            Kind::Base64 => "base64",
            Kind::Boolean => "true or false",
            Kind::Integer { .. } => "a whole number",
            Kind::Number => "a number",
            Kind::Literal(values) => return format!("one of {}", values.join(", ")),
            Kind::Open => "an object",
            Kind::Any => "a value",
            Kind::List(_) => "a list",
            Kind::Shape(shape) => match &self.shapes[*shape] {
                Shape::Object(_) => "an object",
                Shape::Union(union) => return format!("an object, a {}", union.noun),
            },
            Kind::Either(kinds) => {
                let nouns: Vec<_> = kinds.iter().map(|kind| self.noun(kind)).collect();
                return nouns.join(" or ");
            }
        };
        noun.to_owned()
    }
}

impl Object {
    /// Returns the index of a key. `expected` is tried first: most bodies have their keys in the
    /// order of the documentation.
    fn position(&self, name: &str, expected: usize) -> Option<usize> {
        let has_name = |key: &Key| key.name == name;
        if self.keys.get(expected).is_some_and(has_name) {
            return Some(expected);
        }
        self.keys.iter().position(has_name)
    }
}

impl Union {
    /// Iterates over the types, without those that are only beginnings.
    fn tags(&self) -> impl Iterator<Item = &'static str> {
        let tags = self.variants.iter().map(|variant| variant.tag);
        tags.filter(|tag| !tag.ends_with('*'))
    }

    fn variant(&self, tag: &str) -> Option<&Variant> {
        let mut variants = self.variants.iter();
        let exact = variants.find(|variant| variant.tag == tag);
        exact.or_else(|| self.variants.iter().find(|it| begins(it.tag, tag)))
    }
}

/// Returns true if a value of a set ends with `*` and the text begins like it.
fn begins(value: &str, text: &str) -> bool {
    let start = value.strip_suffix('*');
    start.is_some_and(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_parsed() {
        let origins = [Origin::Rules, Origin::Sdk];
        for (wire, origin) in Wire::ALL
            .into_iter()
            .flat_map(|it| origins.map(|of| (it, of)))
        {
            let Some((text, _)) = file(wire, origin) else {
                assert_eq!((wire, origin), (Wire::Messages, Origin::Sdk));
                continue;
            };
            let shapes = parse::parse(text).map_err(|error| format!("{wire:?}:{error}"));
            let exports = shapes.expect("shapes").exports;
            let has_body = exports.iter().any(|(name, _)| *name == "Request");
            assert!(has_body, "{wire:?}");
        }
    }
}
