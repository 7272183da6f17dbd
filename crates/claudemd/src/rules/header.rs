//! A rule's front matter. `paths` may be a list, one string with commas or
//! line ends, or absent; YAML turns some patterns into numbers and mappings,
//! which are read as the text that was meant.
//!
//! ```yaml
//! paths: src/**, "docs/*.md"
//! paths: ["src/**", "docs/*.md"]
//! paths: {a,b}/**
//! ```

use std::fmt;
use std::path::PathBuf;

use aside_user_files::split_outside_braces;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Serialize};

use crate::MemoryKind;
use crate::discover::profile::Header;
use crate::links::path_value;

/// A rule with `paths`, which loads when one of them is touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathRule {
    /// The rule's file, as it was found.
    #[serde(with = "path_value")]
    pub(crate) path: PathBuf,
    /// Who the rule belongs to, as its directory does.
    pub(crate) kind: MemoryKind,
    /// The directory that the patterns are relative to.
    #[serde(with = "path_value")]
    pub(crate) base: PathBuf,
    /// The patterns as written, even those that exclude paths (`!`).
    pub(crate) globs: Vec<String>,
    /// Its front matter's form, to read it again at a touch.
    #[serde(default)]
    pub(crate) header: Header,
}

/// A rule's front matter. Other programs may have further keys.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct RuleHeader {
    #[serde(default)]
    pub(crate) paths: Paths,
}

/// A list of patterns, or one string with commas or line ends between them.
#[derive(Debug, Default)]
pub(crate) struct Paths(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PathsVisitor::All.deserialize(deserializer).map(Self)
    }
}

/// Reads patterns. A number is a pattern too: YAML reads the directory name
/// `2024` as one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathsVisitor {
    All,
    /// An item in the list: one pattern, or none if it is empty.
    Item,
}

impl<'de> DeserializeSeed<'de> for PathsVisitor {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PathsVisitor {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "a list of patterns, or one string with commas between them",
            Self::Item => "a pattern",
        })
    }

    fn visit_unit<E>(self) -> Result<Vec<String>, E> {
        Ok(Vec::new())
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<String>, E> {
        let patterns = match self {
            Self::All => text.lines().flat_map(split_outside_braces).map(unquoted).collect(),
            Self::Item => vec![text],
        };
        let patterns = patterns.into_iter().map(str::trim).filter(|it| !it.is_empty());
        Ok(patterns.map(str::to_owned).collect())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Vec<String>, E> {
        Ok(vec![number.to_string()])
    }

    fn visit_u64<E>(self, number: u64) -> Result<Vec<String>, E> {
        Ok(vec![number.to_string()])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        if self == Self::Item {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut patterns = Vec::new();
        while let Some(item) = list.next_element_seed(Self::Item)? {
            patterns.extend(item);
        }
        Ok(patterns)
    }

    // An item `{a,b}` is a YAML mapping by mistake; after this error the value
    // is read again as a string.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
        while self == Self::Item && map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Err(A::Error::invalid_type(Unexpected::Map, &self))
    }
}

/// Removes the quotes around a pattern. In `a, "b"` they are part of the text.
fn unquoted(pattern: &str) -> &str {
    let pattern = pattern.trim();
    let inside = |quote| pattern.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\''].into_iter().find_map(inside).unwrap_or(pattern)
}
