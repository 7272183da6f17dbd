//! Imports as Claude Code finds them: `@path` in each text token of a Markdown parser.
//!
//! A token begins after emphasis, in a link's text and after a tag, and ends before them. A
//! block of HTML has none; of one that begins with a comment, the rest is searched. The punctuation
//! after a path is part of it.

use std::ops::Range;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::links::imports::Import;

/// The endings of the files that Claude Code imports, in lower case. A file without one is imported,
/// too.
const TEXT_ENDINGS: &str = " adoc asciidoc astro bash bat c cc cfg cjs clj cljc cljs cmake cmd conf \
    config cpp cs css csv cts cxx dart diff edn ejs elm env erb erl ex exs f f90 f95 fish for go gql \
    gradle graphql h hbs hpp hrl hs htm html hxx ini jade java js json jsx kt kts latex less lhs lock \
    log lua make makefile md mjs ml mli mts org patch php pl pm properties proto ps1 pug py pyi pyw r \
    rake rb rs rst sass sbt scala scss sh sql svelte swift tex text toml ts tsx txt vue xml yaml yml \
    zsh ";

/// Returns true if Claude Code imports a file with this name.
pub(crate) fn has_text_ending(path: &Path) -> bool {
    let is_known = |ending: &str| TEXT_ENDINGS.split_whitespace().any(|it| it == ending);
    let ending = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    ending.is_none_or(|ending| is_known(&ending))
}

/// Finds a text's imports.
pub(crate) fn scan(text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    if !text.contains('@') {
        return imports;
    }
    let (mut line, mut counted) = (1, 0);
    for token in text_tokens(text) {
        let mut at = token.start;
        while let Some(found) = text[at..token.end].find('@') {
            let start = at + found;
            let before = text[token.start..start].chars().next_back();
            at = start + 1;
            if !before.is_none_or(char::is_whitespace) {
                continue;
            }
            at += length(&text[at..token.end]);
            if let Some(path) = path(&text[start + 1..at]) {
                line += text[counted..start].matches('\n').count();
                counted = start;
                imports.push(Import::exact(&path, line));
            }
        }
    }
    imports
}

/// Returns the ranges of the text tokens, in order.
fn text_tokens(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut is_code = false;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::HtmlBlock) => outside_comments(text, range, &mut tokens),
            Event::Text(it) if !is_code => match tokens.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                // An escaped character is a token of its own, and no text.
                _ if text[..range.start].ends_with('\\') => {
                    let escaped = it.chars().next().map_or(0, char::len_utf8);
                    tokens.push(range.start + escaped..range.end);
                }
                _ => tokens.push(range),
            },
            _ => {}
        }
    }
    tokens
}

/// Adds the text outside the comments of a block that begins with one.
fn outside_comments(text: &str, block: Range<usize>, tokens: &mut Vec<Range<usize>>) {
    let mut at = block.start;
    while let Some(comment) = text[at..block.end].find("<!--") {
        let begins = text[at..at + comment].trim().is_empty();
        let end = text[at + comment..block.end].find("-->");
        let (true, Some(end)) = (begins || at > block.start, end) else {
            break;
        };
        tokens.push(at..at + comment);
        at += comment + end + "-->".len();
    }
    if at > block.start {
        tokens.push(at..block.end);
    }
}

/// Returns how long the path at the start of `text` is: to white space, or a backslash, without a
/// space after a backslash.
fn length(text: &str) -> usize {
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| c.is_whitespace() || c == '\\').unwrap_or(rest.len());
        match rest[end..].strip_prefix("\\ ") {
            Some(after) => rest = after,
            None => return text.len() - rest.len() + end,
        }
    }
}

/// Returns the path without a fragment, if it is written like one.
fn path(written: &str) -> Option<String> {
    let (written, _) = written.split_once('#').unwrap_or((written, ""));
    let path = written.replace("\\ ", " ");
    let is_name = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&c);
    let is_absolute = path.starts_with('/') && path != "/" && !path.starts_with("//");
    (path.starts_with("~/") || is_absolute || path.starts_with(is_name)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_token_is_searched() {
        for (text, expected) in [
            ("@a.md and\n@./b.md, (@c.md) @~/d @/e @// @/ @(f)", "a.md ./b.md, ~/d /e"),
            ("**@a.md** _@b.md_ [@c.md](x) <b>@d.md</b> ~~@e.md~~", "a.md b.md c.md d.md"),
            ("**x @a.md**, x **@b.md**", "a.md b.md"),
            ("`@a.md` ``` @b.md ```\n\n    @c.md\n\n~~~\n@d.md\n~~~", ""),
            ("<div>\n@a.md\n</div>\n\n@b.md", "b.md"),
            ("<!-- @a.md --> @b.md <!-- @c.md -->\n\nx <!-- @d.md --> @e.md", "b.md e.md"),
            ("| a |\n| - |\n| @a.md |", "a.md"),
            ("- @a.md\n  - @b.md\n\n> @c.md\n\n# @d.md", "a.md b.md c.md d.md"),
            (r"@a\ b.md#c @d\e @[f] @g#", "a b.md d g"),
            (r"to \@a.md, \*@b.md \\@c.md", "b.md c.md"),
            ("x@a.md @@b.md \u{a0}@c.md", "c.md"),
        ] {
            let found = scan(text);
            let found: Vec<_> = found.iter().map(|it| &*it.path).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        let lines = scan("@a\n\n- x\n  @b\n");
        assert_eq!(lines.iter().map(|it| it.line).collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn endings_of_text_files() {
        for (name, is_text) in [
            ("a.md", true),
            ("a.TXT", true),
            ("a.foo", false),
            ("a.mdx", false),
            ("Makefile", true),
            (".foo", true),
            ("a.", false),
        ] {
            assert_eq!(has_text_ending(Path::new(name)), is_text, "{name}");
        }
    }
}
