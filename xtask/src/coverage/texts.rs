//! The texts that the program writes for the model, as the sources embed them.
//!
//! A text is compared in fragments: its lines, split at placeholders.
//!
//! ```text
//! "Of the file's {total} lines, {shown} are shown.\n"
//!  "Of the file's"        "lines,"      "are shown."
//! ```
//!
//! One-word fragments, such as `lines,`, are left out: other texts have them
//! too.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::files;
use super::literals::{Located, literals};

/// Sources whose literals a session writes into requests: how their paths below
/// `crates` begin. Literals in other sources are for people or for other
/// programs.
const REQUESTS: &[&str] = &[
    "attachments/src/",
    "claudemd/src/discover/auto_memory.rs",
    "claudemd/src/render.rs",
    "git-context/src/render.rs",
    "messages/src/lower/",
    "prompt-sections/src/context.rs",
    "prompt-sections/src/dynamic_zone",
    "prompt-sections/src/product.rs",
    "prompt-sections/src/simple.rs",
    "prompt-sections/src/static_zone",
    "providers/src/gemini/content/user.rs",
    "providers/src/result_text.rs",
    "session/src/reminders.rs",
];

/// Documents that a session writes into requests, `.md` and `.json`.
const DOCUMENTS: &[&str] = &["prompt-sections/src/", "tools/src/"];

/// Sources whose literals no scenario writes, since they need a tool loop, a
/// program that calls the library, or a request of 256 KB. Tests have them.
const TESTS: &[&str] = &[
    "agent/src/agent_loop.rs",
    "agent/src/agent_loop/messages.rs",
    "agent/src/calls.rs",
    "attachments/src/file/too_long.rs",
    "cache-split/src/attribution.rs",
    "cli/src/run/worker.rs",
    "providers/src/openai/message/result.rs",
    "reminder/src/builtin.rs",
    "session/src/session/summary.rs",
    "session/src/snip.rs",
];

/// Literals in these sources that are for people.
const FOR_PEOPLE: &[&str] = &["MCP servers connect and disconnect between turns"];

/// How many words a fragment has at least, and how many letters a word.
const MIN_WORDS: usize = 2;
const MIN_LETTERS: usize = 2;

/// Which files must contain a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goldens {
    /// The scenarios' expected requests.
    Requests,
    /// The crates' tests.
    Tests,
}

/// A line in an embedded text, or the part of a line between two placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fragment {
    /// Below the workspace.
    pub(super) path: String,
    /// In the source, from 1.
    pub(super) line: usize,
    pub(super) goldens: Goldens,
    /// The characters with their offsets in the source.
    pub(super) located: Vec<Located>,
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {:?}", self.path, self.line, self.text())
    }
}

impl Fragment {
    pub(super) fn text(&self) -> String {
        self.located.iter().map(|(_, c)| c).collect()
    }
}

/// Returns the fragments of all embedded texts, sorted by path and line.
pub(super) fn fragments(root: &Path) -> Result<Vec<Fragment>> {
    let sources = files(root, |path| goldens(path).is_some() && !is_test(&root.join(path)))?;
    let fragments = sources.iter().flat_map(|(path, source)| {
        let goldens = goldens(path).unwrap_or(Goldens::Requests);
        file_fragments(path, source, goldens)
    });
    Ok(fragments.collect())
}

/// Returns which files must contain a source's texts, or `None` for a source
/// without texts for the model.
fn goldens(path: &str) -> Option<Goldens> {
    let below = path.strip_prefix("crates/")?;
    let (_, extension) = below.rsplit_once('.')?;
    let is_in = |places: &[&str]| places.iter().any(|place| below.starts_with(place));
    match extension {
        "rs" if is_in(TESTS) => Some(Goldens::Tests),
        "rs" if is_in(REQUESTS) => Some(Goldens::Requests),
        "md" | "json" if is_in(DOCUMENTS) => Some(Goldens::Requests),
        _ => None,
    }
}

/// Returns true for a module that its parent declares for tests only, and for
/// the files below it.
fn is_test(path: &Path) -> bool {
    let mut modules = path.ancestors().take_while(|it| !it.ends_with("src"));
    modules.any(|module| {
        let (Some(parent), Some(name)) = (module.parent(), module.file_stem()) else {
            return false;
        };
        let declared = format!("#[cfg(test)]\nmod {};", name.to_string_lossy());
        let is_declared =
            |file: &Path| fs::read_to_string(file).is_ok_and(|it| it.contains(&declared));
        is_declared(&parent.with_extension("rs")) || is_declared(&parent.join("lib.rs"))
    })
}

/// Returns one source's fragments. A Markdown file is one text; a JSON
/// document, also one in a literal, has a text for each of its strings.
fn file_fragments(path: &str, source: &str, goldens: Goldens) -> Vec<Fragment> {
    let texts = if path.ends_with(".md") {
        vec![source.char_indices().collect()]
    } else {
        let found = literals(source).into_iter();
        found.flat_map(strings).collect()
    };
    let mut fragments = Vec::new();
    for located in texts.iter().flat_map(|text| split(text)) {
        let before = &source[..located[0].0];
        fragments.push(Fragment {
            path: path.to_owned(),
            line: 1 + before.matches('\n').count(),
            goldens,
            located: located.to_vec(),
        });
    }
    fragments
}

/// Returns a JSON document's strings, or the text itself.
fn strings(text: Vec<Located>) -> Vec<Vec<Located>> {
    let json: String = text.iter().map(|(_, c)| c).collect();
    if !json.starts_with("{\"") {
        return vec![text];
    }
    // From offsets in the document to those in the source.
    let offsets: Vec<usize> = json.char_indices().map(|(at, _)| at).collect();
    let position = |at: &usize| offsets.binary_search(at).unwrap_or_else(|next| next);
    let located = |(at, c): &Located| (text[position(at)].0, *c);
    let strings = literals(&json);
    let strings = strings.iter().map(|it| it.iter().map(located).collect());
    strings.collect()
}

/// Splits a text into the fragments that count, trimmed.
fn split(text: &[Located]) -> impl Iterator<Item = &[Located]> {
    let pieces = text.split(|(_, c)| matches!(c, '{' | '}' | '\n'));
    pieces.map(trim).filter(|piece| {
        let text: String = piece.iter().map(|(_, c)| c).collect();
        let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
        let words = text.split_whitespace().map(letters);
        words.filter(|letters| *letters >= MIN_LETTERS).count() >= MIN_WORDS
            && !FOR_PEOPLE.contains(&text.as_str())
    })
}

fn trim(text: &[Located]) -> &[Located] {
    let is_text = |(_, c): &Located| !c.is_whitespace();
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |at| at + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, source: &str, expected: &[(usize, &str)]) {
        let found = file_fragments(path, source, Goldens::Requests);
        let found: Vec<_> = found.iter().map(|it| (it.line, it.text())).collect();
        let expected: Vec<_> = expected.iter().map(|it| (it.0, it.1.to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn texts_are_split_at_lines_and_placeholders() {
        check(
            "a.rs",
            "f(\n\"one word, {more} and {{two words}} {a:?}\\nlast \\\n   line\")",
            &[(2, "one word,"), (2, "two words"), (2, "last line")],
        );
        check(
            "a.md",
            "# One title\n\n- Use {product} \"now\", please\n",
            &[(1, "# One title"), (3, "\"now\", please")],
        );
        check("a.rs", r#"("snake_case", "text/plain", "a b", "in it")"#, &[(1, "in it")]);
    }

    #[test]
    fn strings_of_json_are_texts() {
        let json = "{\"type\":\"object\",\n\"description\":\"Say \\\"é\\\" to it\"}";
        check("a.json", json, &[(2, "Say \"é\" to it")]);
        check("a.rs", &format!("const A: &str = r#\"{json}\"#;"), &[(2, "Say \"é\" to it")]);
        let source = "r#\"{\"a\":\"to é it\"}\"#";
        let found = file_fragments("a.rs", source, Goldens::Requests);
        for (at, c) in &found[0].located {
            assert!(source[*at..].starts_with(*c));
        }
    }
}
