//! The form of JSON values, as data: closed key sets, types, allowed values.
//!
//! A shape is built in constants and costs nothing at run time. In `shapes`,
//! the tool choice reads as the documentation does:
//!
//! ```text
//! {"type":"tool","name":"Read","disable_parallel_tool_use":true}
//!
//! variant("tool", &shape![required("name", Kind::Text), PARALLEL])
//! ```

use crate::rule::Rule;

/// A closed object.
///
/// Keys in the order of the SDK's type. `type` is not listed for the variants
/// of a union.
pub(super) struct Shape {
    pub(super) keys: &'static [Key],
}

/// A key of a closed object.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// An absent key is the violation `missing-key`.
    pub(super) is_required: bool,
    /// True if null is equal to an absent key for the API, as in
    /// `"cache_control":null`.
    pub(super) takes_null: bool,
    /// The rule that is broken by the key itself, unless a beta lifts it.
    pub(super) gate: Option<&'static Rule>,
}

/// The form of a value.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Text,
    Bool,
    /// A whole number of at least this.
    ///
    /// `8.0` and `8e0` count as whole numbers. Use `i64::MIN` for no limit.
    Integer(i64),
    /// A whole number or a fraction, of any size.
    Number,
    /// One of these texts.
    ///
    /// Compared exactly: letter case counts.
    Literal(&'static [&'static str]),
    /// An object with any keys: tool input, schemas.
    ///
    /// Its members are not walked.
    Open,
    /// Any value.
    Any,
    /// A closed object: a key that the shape lacks is refused.
    Object(&'static Shape),
    /// A list of any length, also an empty one.
    List(&'static Kind),
    /// An object with arbitrary names as keys, and the kind of its values.
    Map(&'static Kind),
    /// An object that its `type` describes.
    Tagged(&'static Union),
    /// The first that has the JSON type of the value.
    ///
    /// The alternatives differ in their JSON type: text or a list, a boolean or
    /// a list.
    Either(&'static [Kind]),
}

/// Objects that differ by `type`.
///
/// ```json
/// {"type": "thinking_turns", "value": 2}
/// ```
pub(super) struct Union {
    /// The noun for messages.
    pub(super) what: &'static str,
    pub(super) variants: &'static [Variant],
    /// The shape of an object without `type`.
    ///
    /// Only tools have one: `{"name":"Read","input_schema":{…}}` is a custom
    /// tool.
    pub(super) untagged: Option<&'static Shape>,
    /// The types are some of those of content blocks.
    ///
    /// A block of another place is then reported as `block-place` and not as an
    /// unknown type.
    pub(super) is_of_blocks: bool,
}

/// One type of a union.
pub(super) struct Variant {
    pub(super) tag: &'static str,
    pub(super) shape: &'static Shape,
    /// The rule that is broken by the type itself, unless a beta lifts it.
    pub(super) gate: Option<&'static Rule>,
}

/// A key that has to be there. A null is a wrong type; [`Key::or_null`] permits
/// it.
pub(super) const fn required(name: &'static str, kind: Kind) -> Key {
    Key {
        is_required: true,
        ..optional(name, kind)
    }
}

/// A key that may be absent. A null is a wrong type.
pub(super) const fn optional(name: &'static str, kind: Kind) -> Key {
    Key {
        name,
        kind,
        is_required: false,
        takes_null: false,
        gate: None,
    }
}

/// An optional key that may be null.
pub(super) const fn nullable(name: &'static str, kind: Kind) -> Key {
    Key {
        takes_null: true,
        ..optional(name, kind)
    }
}

impl Key {
    /// The key breaks a rule unless a beta lifts it.
    pub(super) const fn gated(self, rule: &'static Rule) -> Self {
        Self {
            gate: Some(rule),
            ..self
        }
    }

    /// The value may be null: the key itself is still required, as
    /// `document_title` of a citation is.
    pub(super) const fn or_null(self) -> Self {
        Self {
            takes_null: true,
            ..self
        }
    }
}

/// A type that needs no beta.
pub(super) const fn variant(tag: &'static str, shape: &'static Shape) -> Variant {
    Variant {
        tag,
        shape,
        gate: None,
    }
}

/// A type that breaks a rule unless a beta lifts it.
pub(super) const fn gated(
    tag: &'static str,
    shape: &'static Shape,
    rule: &'static Rule,
) -> Variant {
    Variant {
        tag,
        shape,
        gate: Some(rule),
    }
}

impl Union {
    /// Returns `None` for a type that the union lacks. Linear in the number of
    /// variants.
    pub(super) fn variant(&self, tag: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|it| it.tag == tag)
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &'static str> {
        self.variants.iter().map(|it| it.tag)
    }
}

impl Kind {
    /// Returns the noun for messages.
    ///
    /// It reads after “expected”: `a list`, `a string or a list`, `one of auto,
    /// any`.
    pub(super) fn noun(self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Integer(_) => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Literal(values) => format!("one of {}", values.join(", ")),
            Self::Open | Self::Object(_) | Self::Map(_) => "an object".to_owned(),
            Self::Any => "a value".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Tagged(union) => format!("an object, a {}", union.what),
            Self::Either(kinds) => {
                let nouns: Vec<_> = kinds.iter().map(|kind| kind.noun()).collect();
                nouns.join(" or ")
            }
        }
    }
}
