//! Hints at what a request could leave out, or what deserves attention.
//!
//! A hint is a fact with its cost, never an instruction: a tool that was not
//! called yet may be called next. Copies and results below 100 tokens give no
//! hint.

mod duplicates;

use std::collections::{HashMap, HashSet};

use aside_cache_model::Body;
use aside_models::Wire;
use aside_rules::{Rule, table};
use serde::Serialize;

use crate::named::{label, listed, named};
use crate::part::{PartKind, RequestPart};

/// One hint, with its tokens.
///
/// ```
/// use aside_cache_model::Body;
///
/// let result = "A line of a file that is long enough to be recognized.\\n".repeat(40);
/// let read = |id: &str| format!(
///     r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Read","input":{{"file_path":"a.md"}}}}]}},
///     {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{result}"}}]}}"#
/// );
/// let body = format!(
///     r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"Hi"}},{},{}]}}"#,
///     read("a"), read("b")
/// );
/// let report = aside_inspect::report(&Body::parse(body.as_bytes())?, None, None);
/// assert!(report.hints.iter().any(|hint| hint.rule == "read-again"));
/// # Ok::<(), aside_cache_model::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Hint {
    /// The rule's id, from the level `cost`.
    #[serde(rename = "kind")]
    pub rule: &'static str,
    /// The message, on one line.
    pub message: String,
    /// How many tokens this concerns in every request (an estimate).
    pub tokens: u64,
    /// The paths that this concerns, at most [`Hint::MAX_PATHS`].
    pub paths: Vec<String>,
}

impl Hint {
    /// How many paths a hint may list.
    pub const MAX_PATHS: usize = 50;

    fn new(rule: &Rule, message: String, parts: &[&RequestPart]) -> Self {
        let paths = parts.iter().take(Self::MAX_PATHS);
        Self {
            rule: rule.id,
            message,
            tokens: parts.iter().map(|it| it.tokens()).sum(),
            paths: paths.map(|it| it.path.clone()).collect(),
        }
    }
}

/// The shortest prefix, in tokens, that models outside the catalogue cache.
const DEFAULT_MINIMUM: u64 = 1_024;

/// How many of the newest messages do not count as old.
const RECENT_MESSAGES: usize = 20;

/// How many tokens it takes for a hint on results or copies.
const MIN_TOKENS: u64 = 100;

/// What hints look at in a body.
#[derive(Default)]
struct Found<'a> {
    /// Tool definitions, without lists of definitions.
    tools: Vec<&'a RequestPart>,
    /// Tool uses, in order.
    uses: Vec<&'a RequestPart>,
    /// Results, each with how many messages there are up to its own.
    results: Vec<(usize, &'a RequestPart)>,
    reminders: Vec<&'a RequestPart>,
    /// Texts and results, which may occur twice.
    texts: Vec<&'a RequestPart>,
    /// How many messages there are so far.
    messages: usize,
}

impl<'a> Found<'a> {
    /// Collects a part and those below it.
    fn add(&mut self, part: &'a RequestPart) {
        match part.kind {
            PartKind::Message => self.messages += 1,
            PartKind::Tool if part.children.iter().all(|it| it.kind != PartKind::Tool) => {
                self.tools.push(part);
                return;
            }
            PartKind::ToolUse => {
                self.count_item(part);
                self.uses.push(part);
                return;
            }
            PartKind::ToolResult => {
                self.count_item(part);
                self.results.push((self.messages, part));
                self.texts.push(part);
                return;
            }
            PartKind::Reminder | PartKind::File if !part.children.is_empty() => {
                // Other agents have instruction files without a reminder.
                let mut has_reminder = false;
                part.walk(&mut |it| has_reminder |= it.kind == PartKind::Reminder);
                if has_reminder {
                    self.reminders.push(part);
                }
                self.add_texts(part);
                return;
            }
            PartKind::Reminder | PartKind::File | PartKind::Section | PartKind::Text
                if part.children.is_empty() =>
            {
                if part.kind == PartKind::Reminder {
                    self.reminders.push(part);
                }
                self.texts.push(part);
            }
            _ => {}
        }
        for child in &part.children {
            self.add(child);
        }
    }

    /// Adds the texts of a part that is split, such as a reminder with files.
    fn add_texts(&mut self, part: &'a RequestPart) {
        let texts = part.children.iter().filter(|it| !it.kind.is_unread());
        self.texts.extend(texts);
    }

    /// Counts a Responses API item, which is one message.
    fn count_item(&mut self, part: &RequestPart) {
        if part.path.starts_with("input[") && part.path.ends_with(']') {
            self.messages += 1;
        }
    }
}

/// The request to give hints on.
pub(crate) struct Subject<'a> {
    pub(crate) root: &'a RequestPart,
    pub(crate) request: &'a Body,
    /// The context window in tokens; without it, no part is large.
    pub(crate) window: Option<u64>,
    /// The shortest prefix to cache, in tokens.
    pub(crate) cache_minimum: Option<u64>,
    pub(crate) has_markers: bool,
}

/// Returns a request's hints, most tokens first.
pub(crate) fn hints(subject: &Subject<'_>) -> Vec<Hint> {
    let mut found = Found::default();
    found.add(subject.root);
    let mut hints = Vec::new();
    hints.extend(unused_tools(&found));
    hints.extend(duplicates::find(&found.texts, subject.request));
    hints.extend(read_again(&found));
    hints.extend(large_parts(subject));
    hints.extend(old_results(&found));
    hints.extend(reminders(&found));
    hints.extend(uncached(subject));
    hints.sort_by_key(|it| std::cmp::Reverse(it.tokens));
    hints
}

/// Returns a hint on tools that were never called, or none if no tool was.
fn unused_tools(found: &Found<'_>) -> Option<Hint> {
    if found.uses.is_empty() {
        return None;
    }
    let called: HashSet<&str> = found.uses.iter().map(|it| it.name.as_str()).collect();
    let is_unused = |it: &&&RequestPart| !called.contains(it.name.as_str()) && it.tokens() > 0;
    let mut unused: Vec<&RequestPart> = found.tools.iter().filter(is_unused).copied().collect();
    unused.sort_by_key(|it| std::cmp::Reverse(it.tokens()));
    if unused.is_empty() {
        return None;
    }
    let message = format!(
        "tools that this conversation never called, {} of {}: {}",
        unused.len(),
        found.tools.len(),
        listed(unused.iter().map(|it| it.name.as_str().into()))
    );
    Some(Hint::new(&table::UNUSED_TOOLS, message, &unused))
}

/// Returns a hint for each file that was read more than once, on all results
/// but the last.
///
/// A file is recognized by the tool and the path in its input; two tools that
/// read one file are not compared. Hints are sorted by their messages.
fn read_again(found: &Found<'_>) -> Vec<Hint> {
    let mut by_file: HashMap<(&str, &str), Vec<&RequestPart>> = HashMap::new();
    for (_, result) in &found.results {
        let is_path = |it: &&str| it.contains(['/', '.']) && !it.contains(char::is_whitespace);
        if let Some(file) = result.detail.as_deref().filter(is_path)
            && is_reader(&result.name)
        {
            by_file.entry((&result.name, file)).or_default().push(result);
        }
    }
    let again = by_file.into_iter().filter(|(_, results)| results.len() > 1);
    let mut hints: Vec<Hint> = again
        .map(|((name, file), results)| {
            let count = results.len();
            let earlier = &results[..count - 1];
            let message = format!("{name} {file} is in the context {count} times");
            Hint::new(&table::READ_AGAIN, message, earlier)
        })
        .filter(|hint| hint.tokens >= MIN_TOKENS)
        .collect();
    hints.sort_by(|a, b| a.message.cmp(&b.message));
    hints
}

/// Returns true for names that agents give to a tool that reads a file.
fn is_reader(name: &str) -> bool {
    let name = name.to_lowercase();
    ["read", "view", "cat", "open", "fetch"].iter().any(|it| name.contains(it))
}

/// Returns a hint for each part above a tenth of the context window.
fn large_parts(subject: &Subject<'_>) -> Vec<Hint> {
    let Some(window) = subject.window.filter(|it| *it > 0) else {
        return Vec::new();
    };
    let parts = named(subject.root).into_iter();
    let large = parts.take_while(|it| it.tokens() * 10 > window);
    let hint = |part: &RequestPart| {
        let share = part.tokens() * 100 / window;
        let message = format!("{} takes {share} % of the context window", label(part));
        Hint::new(&table::LARGE_PART, message, &[part])
    };
    large.map(hint).collect()
}

/// Returns a hint on results before the newest [`RECENT_MESSAGES`] messages.
///
/// A short conversation has none. The message names the three largest.
fn old_results(found: &Found<'_>) -> Option<Hint> {
    let newest = found.messages.saturating_sub(RECENT_MESSAGES);
    let mut old: Vec<&RequestPart> = found
        .results
        .iter()
        .filter(|(message, _)| *message <= newest)
        .map(|(_, part)| *part)
        .collect();
    if newest == 0 || old.is_empty() {
        return None;
    }
    old.sort_by_key(|it| std::cmp::Reverse(it.tokens()));
    let message = format!(
        "tool results more than {RECENT_MESSAGES} messages back: {}; the largest: {}",
        old.len(),
        old.iter().take(3).map(|it| label(it)).collect::<Vec<_>>().join(", ")
    );
    let hint = Hint::new(&table::OLD_RESULTS, message, &old);
    (hint.tokens >= MIN_TOKENS).then_some(hint)
}

/// Returns a hint on the request's reminders.
fn reminders(found: &Found<'_>) -> Option<Hint> {
    let fired = &found.reminders;
    if fired.is_empty() {
        return None;
    }
    let message = match fired.len() {
        1 => "1 reminder is in the context".to_owned(),
        count => format!("{count} reminders are in the context"),
    };
    Some(Hint::new(&table::REMINDERS, message, fired))
}

/// Returns a hint if most of a long prompt has no marker, on a wire that caches
/// at markers.
fn uncached(subject: &Subject<'_>) -> Option<Hint> {
    let usage = subject.root.usage;
    let is_marked = subject.request.wire() == Wire::Messages;
    let minimum = subject.cache_minimum.unwrap_or(DEFAULT_MINIMUM);
    if !is_marked || usage.input() < 2 * minimum || usage.uncached * 2 < usage.input() {
        return None;
    }
    let message = if subject.has_markers {
        "most of the request is after the last cache marker".to_owned()
    } else {
        "no cache marker: every request pays for all of it".to_owned()
    };
    Some(Hint { rule: table::UNCACHED.id, message, tokens: usage.uncached, paths: Vec::new() })
}
