//! A rule's front matter. `paths` may be a list, one string with commas, or
//! absent; YAML turns some patterns into numbers and mappings, which are read
//! as the text that was meant.
//!
//! ```yaml
//! paths: src/**, docs/*.md
//! paths: ["src/**", "docs/*.md"]
//! paths: {a,b}/**
//! ```

use std::fmt;
use std::path::PathBuf;

use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
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

/// A list of patterns, or one string with commas between them.
#[derive(Debug, Default)]
pub(crate) struct Paths(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PathsVisitor)
    }
}

/// A number is a pattern too: YAML reads the directory name `2024` as one.
struct PathsVisitor;

impl<'de> Visitor<'de> for PathsVisitor {
    type Value = Paths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of patterns, or one string with commas between them")
    }

    fn visit_unit<E>(self) -> Result<Paths, E> {
        Ok(Paths::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Paths, E> {
        Ok(Paths(split_at_commas(text)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Paths, E> {
        Ok(Paths(vec![number.to_string()]))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Paths, E> {
        Ok(Paths(vec![number.to_string()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Paths, A::Error> {
        let mut patterns = Vec::new();
        while let Some(Item(pattern)) = list.next_element()? {
            patterns.extend(pattern);
        }
        Ok(Paths(patterns))
    }
}

/// One item in the list: a pattern, or `None` if it is empty.
struct Item(Option<String>);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern")
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item(None))
    }

    fn visit_str<E>(self, text: &str) -> Result<Item, E> {
        let text = text.trim();
        Ok(Item((!text.is_empty()).then(|| text.to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Item, E> {
        Ok(Item(Some(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Item, E> {
        Ok(Item(Some(number.to_string())))
    }

    // An item `{a,b}` is a YAML mapping by mistake; after this error the value
    // is read again as a string.
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Err(serde::de::Error::invalid_type(serde::de::Unexpected::Map, &self))
    }
}

/// Splits a text at the commas outside braces.
///
/// `src/{a,b}.rs, docs` gives `src/{a,b}.rs` and `docs`. Empty patterns are
/// dropped.
fn split_at_commas(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    text.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|pattern| !pattern.is_empty())
    .map(str::to_owned)
    .collect()
}
