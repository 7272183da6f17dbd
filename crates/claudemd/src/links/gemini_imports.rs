//! Imports as gemini-cli finds them: `@path` after white space, up to the next white space.
//!
//! Only spans of backticks are code. Comments, indented lines and blocks of `~~~` are text, and
//! punctuation, a `#` and a backslash are part of the path.

use std::ops::Range;

use crate::links::imports::Import;

const WHITE_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Finds a text's imports outside its code.
pub(crate) fn scan(text: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut code = code_spans(text).into_iter().peekable();
    let (mut line, mut counted) = (1, 0);
    for (at, _) in text.match_indices('@') {
        while code.next_if(|span| span.end <= at).is_some() {}
        let is_code = code.peek().is_some_and(|span| span.contains(&at));
        if is_code || !(at == 0 || text[..at].ends_with(WHITE_SPACE)) {
            continue;
        }
        let path = text[at + 1..].split(WHITE_SPACE).next().unwrap_or_default();
        if path.starts_with(|c: char| c == '.' || c == '/' || c.is_ascii_alphabetic()) {
            line += text[counted..at].matches('\n').count();
            counted = at;
            imports.push(Import::exact(path, line));
        }
    }
    imports
}

/// Returns the spans from backticks to the next as many, of which a longer run has the first. If
/// none follow, a part of the run begins a span, as the regular expression ``(`+)([\s\S]*?)\1``
/// matches.
fn code_spans(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    // How long the longest run after each one is.
    let mut longest = vec![0; runs.len() + 1];
    for at in (0..runs.len()).rev() {
        longest[at] = longest[at + 1].max(runs[at].len());
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let Range { start, end } = runs[at].clone();
        let length = (end - start).min(longest[at + 1]).max((end - start) / 2);
        if length == 0 {
            at += 1;
            continue;
        }
        let close = if end - start >= 2 * length {
            start + length
        } else {
            let later = runs[at + 1..].iter().position(|run| run.len() >= length);
            at += 1 + later.unwrap_or_default();
            runs[at].start
        };
        spans.push(start..close + length);
        // The rest of the run can begin a span.
        runs[at].start = close + length;
        at += usize::from(runs[at].is_empty());
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_to_the_next_white_space() {
        let found = scan("See @docs/a.md, x\n<!-- @b.md -->\n~~~\n@./c.md\n~~~\n    @/d#e\n");
        let found: Vec<_> = found.iter().map(|it| (&*it.path, it.line)).collect();
        assert_eq!(found, [("docs/a.md,", 1), ("b.md", 2), ("./c.md", 4), ("/d#e", 6)]);
        assert!(scan("a@b.md (@c.md) @ @~/x @_x @\u{e9}.md \u{a0}@f.md").is_empty());
    }

    #[test]
    fn spans_of_backticks_are_code() {
        for (text, expected) in [
            ("`a` b `c", "`a`"),
            ("``a` `b`` c", "``a` `b``"),
            ("```\na\n``` b", "```\na\n```"),
            ("``` a `` b", "``` a ``"),
            ("```` a", "````"),
            ("``` a ` b", "``,` a `"),
            ("`a``b`", "`a`,`b`"),
            ("`", ""),
            ("a ``` b ```` c `", "``` b ```,` c `"),
        ] {
            let spans = code_spans(text).into_iter().map(|span| &text[span]);
            assert_eq!(spans.collect::<Vec<_>>().join(","), expected, "{text}");
        }
    }
}
