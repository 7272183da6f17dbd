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

use aside_user_files::{DocumentError, SplitDocument, split_outside_braces};
use serde::de::{DeserializeOwned, Deserializer, EnumAccess, IgnoredAny, MapAccess};
use serde::de::{SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::MemoryKind;
use crate::discover::profile::Header;
use crate::kinds;
use crate::links::path_value;
use crate::render::fault::Fault;

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
pub(crate) struct Paths {
    pub(crate) patterns: Vec<String>,
    /// The entries of a list that are no patterns: their indexes, and what they are.
    others: Vec<(usize, String)>,
}

impl Paths {
    /// Reads a front matter with patterns.
    ///
    /// An entry may be no pattern because YAML reads `{a,b}` as a mapping, so the front matter is
    /// then read again with its values quoted.
    ///
    /// # Errors
    ///
    /// The front matter is not valid YAML, or a key has a value of another type.
    pub(crate) fn read<T: DeserializeOwned>(
        document: &SplitDocument<'_>,
        paths: impl Fn(&T) -> &Self,
    ) -> Result<Option<T>, DocumentError> {
        let data: Option<T> = document.data()?;
        let is_whole = data.as_ref().is_none_or(|it| paths(it).others.is_empty());
        let quoted = (!is_whole).then(|| document.quoted_data());
        Ok(quoted.and_then(Result::ok).unwrap_or(data))
    }

    /// Returns a fault for each entry that is no pattern, at its line if it has one of its own, else
    /// at the key's.
    pub(crate) fn faults(&self, key: &str, header: &str, first_line: usize) -> Vec<Fault> {
        let mut lines = header.lines().enumerate().skip_while(|(_, line)| !line.starts_with(key));
        let of_key = lines.next().map_or(0, |(index, _)| index);
        let entries =
            lines.take_while(|(_, line)| line.is_empty() || line.starts_with([' ', '-', '#']));
        let entries = entries.filter(|(_, line)| line.trim_start().starts_with("- "));
        let of_entries: Vec<_> = entries.map(|(index, _)| index).collect();
        let fault = |(index, found): &(usize, String)| Fault {
            kind: kinds::BAD_PATTERN,
            line: first_line + of_entries.get(*index).unwrap_or(&of_key),
            message: format!("{key}[{index}]: expected a pattern, found {found}"),
        };
        self.others.iter().map(fault).collect()
    }
}

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PathsVisitor)
    }
}

/// Reads patterns. A number is a pattern too: YAML reads the directory name
/// `2024` as one.
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
        let patterns = text.lines().flat_map(split_outside_braces).map(unquoted);
        let patterns = patterns.filter(|it| !it.is_empty()).map(str::to_owned).collect();
        Ok(Paths { patterns, others: Vec::new() })
    }

    fn visit_i64<E>(self, number: i64) -> Result<Paths, E> {
        Ok(Paths { patterns: vec![number.to_string()], others: Vec::new() })
    }

    fn visit_u64<E>(self, number: u64) -> Result<Paths, E> {
        Ok(Paths { patterns: vec![number.to_string()], others: Vec::new() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Paths, A::Error> {
        let mut paths = Paths::default();
        let mut index = 0;
        while let Some(entry) = list.next_element()? {
            match entry {
                Entry::Pattern(pattern) if pattern.is_empty() => {}
                Entry::Pattern(pattern) => paths.patterns.push(pattern),
                Entry::Other(found) => paths.others.push((index, found)),
            }
            index += 1;
        }
        Ok(paths)
    }
}

/// An entry of a list.
enum Entry {
    /// One pattern; empty for none.
    Pattern(String),
    /// A value of another type, in words.
    Other(String),
}

impl Entry {
    fn other<E>(found: &str) -> Result<Self, E> {
        Ok(Self::Other(found.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pattern")
    }

    fn visit_unit<E>(self) -> Result<Entry, E> {
        Ok(Entry::Pattern(String::new()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Entry, E> {
        Ok(Entry::Pattern(text.trim().to_owned()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Entry, E> {
        Ok(Entry::Pattern(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Entry, E> {
        Ok(Entry::Pattern(number.to_string()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Entry, E> {
        Entry::other(if value { "true" } else { "false" })
    }

    fn visit_f64<E>(self, number: f64) -> Result<Entry, E> {
        Entry::other(&number.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Entry, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Entry::other("a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Entry::other("a mapping")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Entry, A::Error> {
        let (IgnoredAny, value) = tagged.variant()?;
        let IgnoredAny = value.newtype_variant()?;
        Entry::other("a value with a tag")
    }
}

/// Removes the quotes around a pattern. In `a, "b"` they are part of the text.
fn unquoted(pattern: &str) -> &str {
    let pattern = pattern.trim();
    let inside = |quote| pattern.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\''].into_iter().find_map(inside).unwrap_or(pattern)
}
