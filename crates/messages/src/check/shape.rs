//! The form of JSON values, as data: closed key sets, types, allowed values.

use super::rule::Rule;

/// A closed object.
pub(super) struct Shape {
    pub(super) keys: &'static [Key],
}

/// A key of a closed object.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
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
    Integer(i64),
    Number,
    /// One of these texts.
    Literal(&'static [&'static str]),
    /// An object with any keys: tool input, schemas.
    Open,
    /// Any value.
    Any,
    Object(&'static Shape),
    List(&'static Kind),
    /// An object with arbitrary names as keys, and the kind of its values.
    Map(&'static Kind),
    /// An object that its `type` describes.
    Tagged(&'static Union),
    /// The first that has the JSON type of the value.
    Either(&'static [Kind]),
}

/// Objects that differ by `type`.
pub(super) struct Union {
    /// The noun for messages.
    pub(super) what: &'static str,
    pub(super) variants: &'static [Variant],
    /// The shape of an object without `type`.
    pub(super) untagged: Option<&'static Shape>,
    /// The types are some of those of content blocks.
    pub(super) is_of_blocks: bool,
}

/// One type of a union.
pub(super) struct Variant {
    pub(super) tag: &'static str,
    pub(super) shape: &'static Shape,
    pub(super) gate: Option<&'static Rule>,
}

pub(super) const fn required(name: &'static str, kind: Kind) -> Key {
    Key {
        is_required: true,
        ..optional(name, kind)
    }
}

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

    pub(super) const fn or_null(self) -> Self {
        Self {
            takes_null: true,
            ..self
        }
    }
}

pub(super) const fn variant(tag: &'static str, shape: &'static Shape) -> Variant {
    Variant {
        tag,
        shape,
        gate: None,
    }
}

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
    pub(super) fn variant(&self, tag: &str) -> Option<&'static Variant> {
        self.variants.iter().find(|it| it.tag == tag)
    }

    pub(super) fn tags(&self) -> impl Iterator<Item = &'static str> {
        self.variants.iter().map(|it| it.tag)
    }
}

impl Kind {
    /// Returns the noun for messages.
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
