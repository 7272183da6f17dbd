//! The form of JSON values, as data: closed key sets, types, allowed values.
//!
//! A wire's shapes are a text, `shapes/WIRE.shapes`; the top of `shapes/messages.shapes` describes
//! the notation. A second text, `shapes/sdk/WIRE.shapes`, is generated from the official SDK's
//! types. A text is parsed when its wire is first checked.

mod kinds;
mod nearest;
mod parse;
mod sdk;
mod tokens;
mod unknown;
mod walk;

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use aside_models::Wire;

use crate::rule::Rule;

pub(crate) use sdk::check as check_types;
pub(crate) use walk::check;

/// Where a shapes text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Written by hand, with the wire's rules: `shapes/WIRE.shapes`.
    Rules,
    /// Generated from the official SDK's types: `shapes/sdk/WIRE.shapes`. The Messages API has
    /// none, because its own text has all its types.
    Sdk,
}

/// Returns a wire's text, and where to keep it once it is read.
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

fn shapes(wire: Wire, origin: Origin) -> Option<&'static Shapes> {
    let (text, read) = file(wire, origin)?;
    let parse = || parse::parse(text).expect("a test parses every file of shapes");
    Some(read.get_or_init(parse))
}

/// Returns the types of content blocks on the Messages API, each with whether it may have a
/// `cache_control`.
///
/// ```
/// let kinds = aside_rules::block_kinds();
/// assert_eq!((kinds["text"], kinds["thinking"]), (true, false));
/// ```
#[must_use]
pub fn block_kinds() -> BTreeMap<&'static str, bool> {
    let shapes = shapes(Wire::Messages, Origin::Rules).into_iter();
    let variants = shapes.flat_map(|shapes| {
        let unions = shapes.unions().filter(|union| union.is_of_blocks);
        let variants = unions.flat_map(|union| &union.variants);
        variants.map(|it| (it.tag, shapes.has_key(it.shape, "cache_control")))
    });
    variants.collect()
}

/// Returns true if a wire's body has this key.
///
/// ```
/// use aside_rules::{Wire, is_parameter};
///
/// assert!(is_parameter(Wire::Messages, "max_tokens"));
/// assert!(!is_parameter(Wire::Messages, "max_output_tokens"));
/// ```
#[must_use]
pub fn is_parameter(wire: Wire, key: &str) -> bool {
    let body = |shapes: &Shapes| {
        let (_, shape) = shapes.exports.iter().find(|(name, _)| *name == "Request")?;
        Some(shapes.has_key(*shape, key))
    };
    shapes(wire, Origin::Rules).and_then(body) == Some(true)
}

/// Returns true if a key of some wire takes one of a few values, and this is one of them.
///
/// ```
/// assert!(aside_rules::is_closed_value("truncation", "auto"));
/// assert!(!aside_rules::is_closed_value("truncation", "a name"));
/// ```
#[must_use]
pub fn is_closed_value(key: &str, value: &str) -> bool {
    static VALUES: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    let values = VALUES.get_or_init(|| {
        let origins = |wire| [Origin::Rules, Origin::Sdk].map(|origin| shapes(wire, origin));
        let shapes = Wire::ALL.into_iter().flat_map(origins).flatten();
        let objects = shapes.flat_map(|it| &it.shapes).filter_map(|shape| match shape {
            Shape::Object(object) => Some(object),
            Shape::Union(_) => None,
        });
        let mut values: HashMap<_, Vec<_>> = HashMap::new();
        for key in objects.flat_map(|it| &it.keys) {
            key.kind.literals(&mut |value| values.entry(key.name).or_default().push(value));
        }
        values
    });
    // By key first: a value may be a long text.
    values.get(key).is_some_and(|it| it.contains(&value))
}

/// One wire's shapes.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    /// Names of bodies, with their indexes in `shapes`.
    exports: Vec<(&'static str, usize)>,
}

/// A shape for JSON objects.
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
    /// A bit for each required key's index.
    required: u64,
    /// What kind of values other keys have; without this they are refused.
    others: Option<Kind>,
}

#[derive(Clone, Debug)]
struct Key {
    name: &'static str,
    kind: Kind,
    null: Null,
    /// The rule that the key itself breaks, unless a beta lifts it.
    gate: Option<&'static Rule>,
    /// The rule that an absent key and every wrong value break.
    instead: Option<&'static Rule>,
}

/// What null means in place of a value.
#[derive(Clone, Copy, Debug)]
enum Null {
    WrongType,
    Accepted,
    Breaks(&'static Rule),
}

/// A value's form.
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
    /// A shape, by its index.
    Shape(usize),
    /// Only the first that has the value's JSON type is compared, so that a list with a faulty
    /// block is reported at the block and not as “neither text nor a list”.
    Either(Vec<Kind>),
}

/// Objects that differ by `type`, or by `role` if an alternative has no `type`.
#[derive(Debug, Default)]
struct Union {
    /// `type` or `role`.
    tag: &'static str,
    /// The noun for messages.
    noun: &'static str,
    /// A type from another union of blocks is reported as misplaced, not as unknown.
    is_of_blocks: bool,
    /// The Claude API refuses any other type.
    is_closed: bool,
    variants: Vec<Variant>,
    /// Shapes for objects without a `type`.
    untagged: Vec<usize>,
}

/// One `type` in a union.
#[derive(Debug)]
struct Variant {
    tag: &'static str,
    shape: usize,
    /// The rule that the type itself breaks, unless a beta lifts it.
    gate: Option<&'static Rule>,
}

impl Shapes {
    /// Returns an object tag's values, and true if the tag is required.
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

    fn has_key(&self, shape: usize, key: &str) -> bool {
        matches!(&self.shapes[shape], Shape::Object(object) if object.position(key, 0).is_some())
    }

    fn unions(&self) -> impl Iterator<Item = &Union> {
        self.shapes.iter().filter_map(|shape| match shape {
            Shape::Union(union) => Some(union),
            Shape::Object(_) => None,
        })
    }

    /// Returns a kind's noun, which reads after “expected”: `a list`, `a string or a list`, `one of
    /// auto, any`.
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

impl Kind {
    /// Calls a function with each value that is accepted, if only a few are.
    fn literals(&self, found: &mut impl FnMut(&'static str)) {
        match self {
            Self::Literal(values) => values.iter().for_each(|value| found(value)),
            Self::List(kind) => kind.literals(found),
            Self::Either(kinds) => kinds.iter().for_each(|kind| kind.literals(found)),
            _ => {}
        }
    }
}

impl Object {
    /// Returns a key's index. `expected` is tried first: most bodies have their keys in the
    /// documentation's order.
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

/// Returns true if one of the values ends with `*` and the text begins like it.
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
        for (wire, origin) in Wire::ALL.into_iter().flat_map(|it| origins.map(|of| (it, of))) {
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
