//! `same_meaning`: whether a recorded request still matches what would be sent now.
//!
//! A library that replays recorded responses finds them by method and address. Use this comparison
//! to notice when the body has changed since.

use std::borrow::Cow;

use aside_body::body::{content_key, is_marker, plain_text};
use aside_inspect::without_indices;
use aside_json::{Kind, Value};
use regex::bytes::Regex;
use serde::Deserialize;

use crate::assertions::{broken, verdict};
use crate::compare::compared;
use crate::error::BindingError;
use crate::input;
use crate::output::{Output, inputs, options};

/// Where a value is in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    /// A parameter, a tool, a message or a block: the provider reads its keys by name.
    Part,
    /// A string, or a list of blocks.
    Content,
    /// What is below a part, such as a schema or a tool's input. It reaches the model as written,
    /// so key order counts.
    Data,
}

/// Keys of a part whose objects the provider reads by name, too: the model does not see them as
/// they are written.
const ENVELOPES: [&str; 16] = [
    "citations",
    "file",
    "fileData",
    "format",
    "function",
    "functionCall",
    "functionDeclarations",
    "functionResponse",
    "image_url",
    "inlineData",
    "input_audio",
    "json_schema",
    "custom",
    "source",
    "thinkingConfig",
    "tool_calls",
];

impl Place {
    /// `kind` is the type of the object that has the key.
    fn below(self, kind: &str, key: &str) -> Self {
        match (self, key) {
            (Self::Body, "system") | (Self::Part | Self::Content, "content" | "parts") => {
                Self::Content
            }
            (Self::Part, key) if content_key(kind) == Some(key) => Self::Content,
            (Self::Body, _) => Self::Part,
            (Self::Part, key) if is_marker(key) || ENVELOPES.contains(&key) => Self::Part,
            _ => Self::Data,
        }
    }

    fn item(self) -> Self {
        match self {
            Self::Part | Self::Content => Self::Part,
            Self::Body | Self::Data => Self::Data,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// Paths whose values may differ: `metadata.user_id`, `messages[].content[].id`.
    ignore: Vec<String>,
    /// Regular expressions for text that may differ, such as ids and times.
    ignore_text: Vec<String>,
}

struct Rule {
    ignore: Vec<String>,
    texts: Vec<Regex>,
}

/// A member of an object, with the key to compare.
type Member<'t> = (Cow<'t, [u8]>, Value<'t>);

/// The first values that differ.
struct Found {
    path: String,
    byte: usize,
    before: String,
    after: String,
}

/// Fails if a body means something else than the recorded one.
///
/// These count as equal: a string and a list with one text block, another key order in the body and
/// in its parts but not below them, and whatever the options name. Nothing else does.
pub(crate) fn same_meaning(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [recorded, sent] = inputs(given)?;
    let options: Options = options(json)?;
    let texts = options.ignore_text.iter().map(|pattern| {
        let regex = Regex::new(pattern);
        regex.map_err(|error| BindingError::option(format!("ignore_text: {error}")))
    });
    let rule = Rule { ignore: options.ignore, texts: texts.collect::<Result<_, _>>()? };
    let (before, after) = (input::tape(recorded)?, input::tape(sent)?);
    let found = rule.difference(Some(before.root()), Some(after.root()), "", Place::Body);
    let Some(found) = found else {
        return verdict(&[]);
    };
    let mut lines = vec![
        "the request differs from the recorded one:".to_owned(),
        format!("  {} at byte {}", found.path, found.byte),
        format!("  recorded: {}", found.before),
        format!("  sent    : {}", found.after),
    ];
    // What this costs; a body that is no model request has no cache.
    if let Ok(comparison) = compared(recorded, sent) {
        // A fix may be for a text that the options ignore.
        let has_fix = rule.texts.is_empty();
        lines.extend(
            broken("", &comparison)
                .into_iter()
                .filter(|line| line.starts_with("  lost") || has_fix && line.starts_with("  fix")),
        );
    }
    lines.push("  record it again, or ignore the path or the text".to_owned());
    verdict(&lines)
}

impl Rule {
    /// Finds the first difference.
    fn difference(
        &self,
        before: Option<Value<'_>>,
        after: Option<Value<'_>>,
        path: &str,
        place: Place,
    ) -> Option<Found> {
        let pattern = without_indices(path);
        if self.ignore.iter().any(|it| *it == path || *it == pattern) {
            return None;
        }
        let (Some(a), Some(b)) = (before, after) else {
            return Some(found(before, after, path));
        };
        if place == Place::Content
            && a.kind() != b.kind()
            && let (Some(one), Some(other)) = (single_text(a), single_text(b))
        {
            return (!self.is_equal(&one, &other)).then(|| found(before, after, path));
        }
        match (a.kind(), b.kind()) {
            (Kind::Array, Kind::Array) => {
                let (left, right): (Vec<_>, Vec<_>) = (a.items().collect(), b.items().collect());
                (0..left.len().max(right.len())).find_map(|index| {
                    let path = format!("{path}[{index}]");
                    let (left, right) = (left.get(index).copied(), right.get(index).copied());
                    self.difference(left, right, &path, place.item()).map(|it| Found {
                        byte: if right.is_none() { b.range().end - 1 } else { it.byte },
                        ..it
                    })
                })
            }
            (Kind::Object, Kind::Object) => self.objects(a, b, path, place),
            (Kind::String, Kind::String) => {
                let (one, other) = (a.exact_text()?, b.exact_text()?);
                (!self.is_equal(&one, &other)).then(|| found(before, after, path))
            }
            _ => (!a.is_equal(b)).then(|| found(before, after, path)),
        }
    }

    fn objects(&self, a: Value<'_>, b: Value<'_>, path: &str, place: Place) -> Option<Found> {
        let (one, other): (Vec<_>, Vec<_>) =
            (a.exact_members().collect(), b.exact_members().collect());
        let keys = one.iter().map(|(key, _)| key);
        if place == Place::Data && !keys.eq(other.iter().map(|(key, _)| key)) {
            return Some(found(Some(a), Some(b), path));
        }
        let added = other.iter().filter(|(key, _)| get(&one, key).is_none());
        let kind = b.tag();
        one.iter().chain(added).find_map(|(key, member)| {
            let name = member.key().unwrap_or_default();
            let path = match path {
                "" => name.clone().into_owned(),
                path => format!("{path}.{name}"),
            };
            let (before, after) = (get(&one, key), get(&other, key));
            self.difference(before, after, &path, place.below(&kind, &name)).map(|it| Found {
                byte: if after.is_none() { b.range().end - 1 } else { it.byte },
                ..it
            })
        })
    }

    /// Ignores the parts that may differ.
    fn is_equal(&self, one: &[u8], other: &[u8]) -> bool {
        one == other || self.clean(one) == self.clean(other)
    }

    fn clean<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut clean = Cow::Borrowed(text);
        for regex in &self.texts {
            clean = Cow::Owned(regex.replace_all(&clean, &b""[..]).into_owned());
        }
        clean
    }
}

/// When keys are doubled, the last one counts.
fn get<'t>(members: &[Member<'t>], key: &[u8]) -> Option<Value<'t>> {
    members.iter().rfind(|(it, _)| *it == key).map(|(_, value)| *value)
}

/// Returns a string's text, or the text of a list with one text block that has no marker.
fn single_text(value: Value<'_>) -> Option<Cow<'_, [u8]>> {
    if value.kind() == Kind::String {
        return value.exact_text();
    }
    let mut items = value.items();
    let (block, None) = (items.next()?, items.next()) else {
        return None;
    };
    plain_text(block).filter(|_| block.children().count() == 2)?.exact_text()
}

fn found(before: Option<Value<'_>>, after: Option<Value<'_>>, path: &str) -> Found {
    let around = |value: Option<Value<'_>>, at: usize| {
        value.map_or("nothing".to_owned(), |value| shown(value.raw(), at))
    };
    let raw = |value: Option<Value<'_>>| value.map_or("", |value| value.raw()).to_owned();
    let (one, other) = (raw(before), raw(after));
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
    let same = match (before, after) {
        (Some(_), Some(_)) => same.count(),
        _ => 0,
    };
    Found {
        path: path.to_owned(),
        byte: after.map_or(0, |value| value.range().start + same),
        before: around(before, same),
        after: around(after, same),
    }
}

/// Returns up to 120 bytes around a position.
fn shown(raw: &str, at: usize) -> String {
    let start = raw.floor_char_boundary(at.saturating_sub(60));
    let end = raw.floor_char_boundary(start + 120);
    raw[start..end].to_owned()
}
