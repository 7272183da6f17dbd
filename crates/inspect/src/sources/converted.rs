//! A request's sources on another wire.
//!
//! A conversion changes the JSON around texts, but neither the texts nor, as a
//! rule, their order. So strings in both bodies are matched, and a string's
//! spans hold for its counterpart.
//!
//! ```text
//! own         "system":[{"text":"Be very brief."},{"text":"Use the tools."}]
//! converted   "instructions":"Be very brief.\n\nUse the tools."
//! pairs       system[0].text → the start of instructions, system[1].text → its end
//! ```
//!
//! Long strings that both bodies contain once are matched first, wherever they
//! are. Strings between them are matched in order. A string without a
//! counterpart has no source in the converted body.

use std::collections::HashMap;
use std::ops::Range;

use aside_cache_model::Body;
use aside_json::{Kind, Tape, Value};
use aside_messages::Source;
use aside_messages::encode::SourceSpan;

use super::BodySources;
use crate::block::inner_range;

/// Strings at least this long identify their counterpart by themselves.
///
/// Shorter ones, such as `Hi` or a tool's name, may occur by chance.
const MIN_ANCHOR_BYTES: usize = 24;

/// Strings at least this long are searched inside longer ones.
///
/// A shorter one could be found anywhere.
const MIN_PART_BYTES: usize = 8;

/// How many strings to search inside one.
///
/// Bounds the cost of a text that contains none of the strings before it.
const MAX_PARTS: usize = 64;

/// How deep to collect strings.
const MAX_DEPTH: usize = 16;

/// Keys whose values are form, not content.
const FORM_KEYS: [&str; 10] = [
    "type",
    "role",
    "status",
    "mode",
    "ttl",
    "detail",
    "media_type",
    "mimeType",
    "thoughtSignature",
    "clear_at",
];

impl BodySources {
    /// Returns the same request's sources on another wire: for texts and tools.
    /// `own` is the body that these sources belong to.
    ///
    /// Bytes outside texts and tools, such as brackets and keys, have no source
    /// in the result. The origins of sections, tools and files stay.
    #[must_use]
    pub fn converted(&self, own: &Body, converted: &Body) -> Self {
        let tapes = (Tape::parse(own.as_bytes()), Tape::parse(converted.as_bytes()));
        let (Ok(own), Ok(converted)) = tapes else {
            return Self { spans: Vec::new(), ..self.clone() };
        };
        let mut spans = self.tools(converted.root());
        let (from, to) = (texts(own.root()), texts(converted.root()));
        for (text, counterpart) in matches(&from, &to) {
            spans.extend(self.spans(&text).map(|mut span| {
                let moved = |at: usize| at - text.start + counterpart.start;
                span.range = moved(span.range.start)..moved(span.range.end);
                span
            }));
        }
        spans.sort_by_key(|it| (it.range.start, it.range.end));
        Self { spans, ..self.clone() }
    }

    /// Returns a span for each tool in the converted body, as a whole.
    ///
    /// A tool is found by its name: at the top of a definition, in its
    /// `function` (Chat Completions), or among `functionDeclarations` (Gemini).
    fn tools(&self, converted: Value<'_>) -> Vec<SourceSpan> {
        let named = |name: &str| {
            let is_it = |it: &&SourceSpan| match &it.source {
                Source::Tool { name: own } => **own == *name,
                _ => false,
            };
            self.spans.iter().find(is_it).cloned()
        };
        let tools = converted.get("tools").into_iter().flat_map(Value::items);
        let definitions = tools.flat_map(|tool| {
            let list = tool.get("functionDeclarations");
            list.map_or_else(|| vec![tool], |it| it.items().collect())
        });
        let spans = definitions.filter_map(|tool| {
            let function = tool.get("function").unwrap_or(tool);
            let mut span = named(&function.text_of("name")?)?;
            span.range = tool.range();
            Some(span)
        });
        spans.collect()
    }
}

/// A string in a body: its position without quotes, and its bytes.
struct Text<'a> {
    /// Where it is in the body.
    range: Range<usize>,
    /// The string as written, with escapes.
    raw: &'a str,
}

/// Returns the strings in the system prompt and the messages, in order.
fn texts(request: Value<'_>) -> Vec<Text<'_>> {
    let mut found = Vec::new();
    for (key, value) in request.members() {
        let is_section = matches!(
            &*key,
            "system" | "instructions" | "systemInstruction" | "messages" | "input" | "contents"
        );
        if is_section {
            collect(value, MAX_DEPTH, &mut found);
        }
    }
    found
}

/// Adds a value's strings, in body order. Keys that are only form are skipped,
/// since their values repeat and would be matched by chance.
fn collect<'a>(value: Value<'a>, depth: usize, to: &mut Vec<Text<'a>>) {
    match value.kind() {
        Kind::String => {
            if let (Some(range), Some(raw)) = (inner_range(value), value.raw_text())
                && !raw.is_empty()
            {
                to.push(Text { range, raw });
            }
        }
        Kind::Object if depth > 0 => {
            for (key, value) in value.members() {
                if !FORM_KEYS.contains(&&*key) {
                    collect(value, depth - 1, to);
                }
            }
        }
        Kind::Array if depth > 0 => {
            for element in value.items() {
                collect(element, depth - 1, to);
            }
        }
        _ => {}
    }
}

/// Where both bodies have the same bytes: the own one, and the converted one.
type Pair = (Range<usize>, Range<usize>);

/// Matches both bodies' strings: first those that are long and unique, then the
/// others between them.
fn matches(from: &[Text<'_>], to: &[Text<'_>]) -> Vec<Pair> {
    let anchors = anchors(from, to);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut matched = vec![false; to.len()];
    for &(own, other) in &anchors {
        matched[other] = true;
        pairs.push((from[own].range.clone(), to[other].range.clone()));
    }
    let (mut own, mut other) = (0, 0);
    let end = (from.len(), to.len());
    for (own_end, other_end) in ascending(&anchors).into_iter().chain([end]) {
        let open = (other..other_end).filter(|it| !matched[*it]);
        between(&from[own..own_end], open.map(|it| &to[it]), &mut pairs);
        (own, other) = (own_end + 1, other_end + 1);
    }
    pairs
}

/// Returns the indices of long strings that each body has once, in the
/// converted body's order.
fn anchors(from: &[Text<'_>], to: &[Text<'_>]) -> Vec<(usize, usize)> {
    let from = unique(from);
    let mut pairs: Vec<(usize, usize)> = unique(to)
        .into_iter()
        .filter_map(|(raw, other)| Some((from.get(raw).copied()??, other?)))
        .collect();
    pairs.sort_unstable_by_key(|it| it.1);
    pairs
}

/// Returns each long string's index; `None` for one that occurs twice.
fn unique<'a>(texts: &[Text<'a>]) -> HashMap<&'a str, Option<usize>> {
    let mut found = HashMap::new();
    let long = texts.iter().enumerate();
    for (index, text) in long.filter(|it| it.1.raw.len() >= MIN_ANCHOR_BYTES) {
        found.entry(text.raw).and_modify(|it| *it = None).or_insert(Some(index));
    }
    found
}

/// Returns the longest list of pairs where both indices ascend: a conversion
/// may move a text.
///
/// ```text
/// (3,0) (0,1) (1,2) (2,3)    →    (0,1) (1,2) (2,3)
/// ```
///
/// The cost is n log n.
fn ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends the best list of that length.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].0 < pair.0);
        previous.push(length.checked_sub(1).map(|before| ends[before]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let last = ends.last().copied();
    let mut kept: Vec<(usize, usize)> =
        std::iter::successors(last, |index| previous[*index]).map(|index| pairs[index]).collect();
    kept.reverse();
    kept
}

/// Matches strings between two anchors, in order: equal ones, and those that
/// are part of a longer one.
///
/// The converted body's strings are matched one by one, and a match is never
/// before an earlier one. A string without an equal may be several strings
/// joined: it is searched for their parts, in order.
fn between<'a>(from: &[Text<'_>], to: impl Iterator<Item = &'a Text<'a>>, pairs: &mut Vec<Pair>) {
    let mut next = 0;
    for text in to {
        let first = next;
        let rest = from.get(first..).unwrap_or_default();
        if let Some(index) = rest.iter().position(|it| it.raw == text.raw) {
            pairs.push((rest[index].range.clone(), text.range.clone()));
            next = first + index + 1;
            continue;
        }
        let mut at = 0;
        for (index, part) in rest.iter().enumerate().take(MAX_PARTS) {
            if part.raw.len() < MIN_PART_BYTES {
                continue;
            }
            let Some(found) = text.raw[at..].find(part.raw) else {
                continue;
            };
            let start = text.range.start + at + found;
            at += found + part.raw.len();
            pairs.push((part.range.clone(), start..start + part.raw.len()));
            next = first + index + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&'static str]) -> Vec<Text<'static>> {
        let mut end = 0;
        let text = |&raw: &&'static str| {
            let start = end;
            end += raw.len() + 3;
            let range = start..start + raw.len();
            Text { range, raw }
        };
        all.iter().map(text).collect()
    }

    /// Checks the counterpart of each string, or of a part of it.
    fn check(from: &[&'static str], to: &[&'static str], expected: &[(usize, usize, &str)]) {
        let (own, other) = (texts(from), texts(to));
        let of = |all: &[Text<'_>], range: &Range<usize>| {
            let is_it = |it: &Text<'_>| it.range.start <= range.start && range.end <= it.range.end;
            all.iter().position(is_it).unwrap()
        };
        let mut found: Vec<(usize, usize, &str)> = Vec::new();
        for (a, b) in matches(&own, &other) {
            let (index, counterpart) = (of(&own, &a), of(&other, &b));
            let start = other[counterpart].range.start;
            let bytes = &other[counterpart].raw[b.start - start..b.end - start];
            assert_eq!(own[index].raw, bytes);
            found.push((index, counterpart, bytes));
        }
        found.sort_unstable_by_key(|it| (it.1, it.0));
        assert_eq!(found, expected);
    }

    const LONG: &str = "a text that is long enough to be unique";
    const OTHER: &str = "another text of about the same length";

    #[test]
    fn equal_strings_are_matched_in_order() {
        check(&["Hi", "Read", "Hi"], &["Hi", "Hi"], &[(0, 0, "Hi"), (2, 1, "Hi")]);
        // A name that only the converted body repeats has no counterpart, and
        // the texts after it keep theirs.
        check(
            &["Read", LONG, "Read", OTHER],
            &["Read", "Read", LONG, "Read", OTHER],
            &[(0, 0, "Read"), (1, 2, LONG), (2, 3, "Read"), (3, 4, OTHER)],
        );
    }

    #[test]
    fn a_long_string_is_found_out_of_order() {
        check(
            &["Hi", LONG, "Go", OTHER],
            &[OTHER, "Hi", LONG, "Go"],
            &[(3, 0, OTHER), (0, 1, "Hi"), (1, 2, LONG), (2, 3, "Go")],
        );
    }

    #[test]
    fn joined_strings_are_matched_by_their_parts() {
        check(
            &["the first section", "the second one", "Hi"],
            &["the first section; the second one", "Hi"],
            &[(0, 0, "the first section"), (1, 0, "the second one"), (2, 1, "Hi")],
        );
        check(&["Hi"], &["another"], &[]);
    }
}
