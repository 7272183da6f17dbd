//! Which parts of a Markdown text are code or comments.
//!
//! The parser is `pulldown-cmark`. Nesting is limited before it runs, since its
//! time grows with the depth of every line.
//!
//! ```text
//! See `@a`, @b.          opaque: the code `@a`
//! <!-- note -->          opaque, and a comment block
//! - <!-- in a list -->   opaque only, so it stays in the text
//! ```

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The deepest column where a quote or a list item may open. Their depth slows
/// down the parser for every line below them.
const MAX_OPEN_COLUMN: usize = 200;

/// The parts of a Markdown text that are not plain text.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// Code and comments, in order.
    pub(crate) opaque: Vec<Range<usize>>,
    /// Comments that are blocks of their own, with their line ends, in order.
    pub(crate) comment_blocks: Vec<Range<usize>>,
    /// Where a comment block starts that is never closed.
    pub(crate) unclosed_comment: Option<usize>,
}

/// Quotes and lists are nested too deep on this line (from 1).
#[derive(Debug)]
pub(crate) struct TooDeep {
    pub(crate) line: usize,
}

impl Markdown {
    /// Parses a text; fails if it is nested too deep.
    ///
    /// A text without `@` and without comments is not parsed at all.
    pub(crate) fn of(text: &str) -> Result<Self, TooDeep> {
        let mut markdown = Self::default();
        if !text.contains('@') && !text.contains("<!--") {
            return Ok(markdown);
        }
        if let Some(line) = text.lines().position(opens_too_deep) {
            return Err(TooDeep { line: line + 1 });
        }
        let mut containers = 0usize;
        let mut ends = CommentEnds { text, next: 0 };
        for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
            match event {
                Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => containers += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => containers -= 1,
                Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => markdown.opaque.push(range),
                Event::InlineHtml(html) if html.starts_with("<!--") => markdown.opaque.push(range),
                Event::Start(Tag::HtmlBlock) => {
                    markdown.html_block(range, containers, &mut ends);
                }
                _ => {}
            }
        }
        markdown.comment_blocks = whole_lines(text, &markdown.comment_blocks);
        Ok(markdown)
    }

    /// Finds the comments in an HTML block. It is a comment block if it begins
    /// with a comment and is outside quotes and lists.
    fn html_block(&mut self, block: Range<usize>, containers: usize, ends: &mut CommentEnds<'_>) {
        let text = ends.text;
        let is_comment = containers == 0 && text[block.clone()].trim_start().starts_with("<!--");
        let mut at = block.start;
        while at < block.end
            && let Some(found) = text[at..block.end].find("<!--")
        {
            let start = at + found;
            let end = ends.of(start);
            match end {
                Some(end) if is_comment => self.comment_blocks.push(start..end),
                None if is_comment => self.unclosed_comment = Some(start),
                _ => {}
            }
            // A blank line may end the block before the comment ends.
            at = end.unwrap_or(block.end);
            self.opaque.push(start..at);
        }
    }

    /// Returns the text without its comment blocks.
    pub(crate) fn without_comments(&self, text: &str) -> String {
        let mut rest = String::with_capacity(text.len());
        let mut at = 0;
        for comment in &self.comment_blocks {
            rest.push_str(&text[at..comment.start]);
            at = comment.end;
        }
        rest.push_str(&text[at..]);
        rest
    }
}

/// Extends the ranges of comments that have lines to themselves to these whole
/// lines, with the line ends.
///
/// A comment with other text on its line keeps its range, and so does the line.
fn whole_lines(text: &str, comments: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(comments.len());
    for comment in comments {
        match merged.last_mut() {
            Some(last) if is_blank(text.get(last.end..comment.start).unwrap_or("")) => {
                last.end = last.end.max(comment.end);
            }
            _ => merged.push(comment.clone()),
        }
    }
    for comment in &mut merged {
        let before = text[..comment.start].trim_end_matches([' ', '\t']);
        let after = text[comment.end..].trim_start_matches([' ', '\t']);
        let line_end = ["\n", "\r\n"].iter().find(|end| after.starts_with(**end));
        if (before.is_empty() || before.ends_with('\n')) && (after.is_empty() || line_end.is_some())
        {
            let end = text.len() - after.len() + line_end.map_or(0, |end| end.len());
            *comment = before.len()..end;
        }
    }
    merged
}

/// Finds where comments end in one pass over the text, however many comments
/// begin and however late they end.
struct CommentEnds<'a> {
    text: &'a str,
    /// Where the next `-->` starts, or the text's length.
    next: usize,
}

impl CommentEnds<'_> {
    /// Returns where the comment ends that begins at `start`. Call this with
    /// increasing starts.
    fn of(&mut self, start: usize) -> Option<usize> {
        // `<!-->` is a whole comment.
        let from = start + 2;
        if self.next < from || !self.text[self.next..].starts_with("-->") {
            let rest = self.text.get(from..).filter(|_| self.next < self.text.len());
            let found = rest.and_then(|rest| rest.find("-->"));
            self.next = found.map_or(self.text.len(), |found| from + found);
        }
        (self.next < self.text.len()).then_some(self.next + 3)
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

/// Returns true if quotes and list markers at the start of a line reach beyond
/// the limit.
///
/// Only markers at the start of the line are read: `> - 1. text` opens three
/// containers.
fn opens_too_deep(line: &str) -> bool {
    let mut deepest = 0;
    let mut at = 0;
    let bytes = line.as_bytes();
    let blank = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
    loop {
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        match bytes.get(at + digits) {
            Some(b'>') if digits == 0 => at += 1,
            Some(b'-' | b'+' | b'*') if digits == 0 && blank(at + 1) => at += 1,
            Some(b'.' | b')') if digits > 0 && blank(at + digits + 1) => at += digits + 1,
            _ => return deepest > MAX_OPEN_COLUMN,
        }
        deepest = at;
    }
}
