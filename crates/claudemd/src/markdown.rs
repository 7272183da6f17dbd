//! Which parts of a Markdown text are code or comments.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The deepest column at which a quote or a list item may open. Parsing costs
/// the depth of these for every line below them.
const DEEPEST_COLUMN: usize = 200;

/// What is not plain text in a Markdown text.
#[derive(Debug, Default)]
pub(crate) struct Markdown {
    /// Code and comments, in order.
    pub(crate) opaque: Vec<Range<usize>>,
    /// The comments that are blocks of their own, with the line ends that go
    /// with them, in order.
    pub(crate) comment_blocks: Vec<Range<usize>>,
    /// Where a comment block begins that is never closed.
    pub(crate) unclosed_comment: Option<usize>,
}

/// Quotes and lists are nested too deep, on this line (1-based).
#[derive(Debug)]
pub(crate) struct TooDeep {
    pub(crate) line: usize,
}

impl Markdown {
    pub(crate) fn of(text: &str) -> Result<Self, TooDeep> {
        let mut markdown = Self::default();
        if !text.contains('@') && !text.contains("<!--") {
            return Ok(markdown);
        }
        if let Some(line) = text.lines().position(opens_too_deep) {
            return Err(TooDeep { line: line + 1 });
        }
        let mut containers = 0usize;
        for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
            match event {
                Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => containers += 1,
                Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => containers -= 1,
                Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => markdown.opaque.push(range),
                Event::InlineHtml(html) if html.starts_with("<!--") => markdown.opaque.push(range),
                Event::Start(Tag::HtmlBlock) => markdown.html_block(text, range, containers),
                _ => {}
            }
        }
        markdown.comment_blocks = whole_lines(text, &markdown.comment_blocks);
        Ok(markdown)
    }

    /// Finds the comments in a block of HTML. It is a comment block if it
    /// begins with one and stands in no quote or list.
    fn html_block(&mut self, text: &str, block: Range<usize>, containers: usize) {
        let is_comment = containers == 0 && text[block.clone()].trim_start().starts_with("<!--");
        let mut at = block.start;
        while let Some(found) = text[at..block.end].find("<!--") {
            let start = at + found;
            // `<!-->` is a whole comment. A blank line may end the block
            // before the comment ends.
            let end = text[start + 2..].find("-->").map(|end| start + 2 + end + 3);
            match end {
                Some(end) if is_comment => self.comment_blocks.push(start..end),
                None if is_comment => self.unclosed_comment = Some(start),
                _ => {}
            }
            at = end.unwrap_or(block.end);
            self.opaque.push(start..at);
            if at >= block.end {
                break;
            }
        }
    }

    /// The text without its comment blocks.
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

/// Lets the comments that have lines to themselves take these lines with
/// them, line end included.
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
        let line_start = text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[comment.end..]
            .find('\n')
            .map_or(text.len(), |at| comment.end + at + 1);
        let before = &text[line_start..comment.start];
        let behind = text[comment.end..line_end].trim_end_matches(['\n', '\r']);
        if is_blank(before) && is_blank(behind) {
            *comment = line_start..line_end;
        }
    }
    merged
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}

fn opens_too_deep(line: &str) -> bool {
    let mut deepest = 0;
    let mut at = 0;
    let bytes = line.as_bytes();
    let blank = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
    loop {
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        match bytes.get(at + digits) {
            Some(b'>') if digits == 0 => at += 1,
            Some(b'-' | b'+' | b'*') if digits == 0 && blank(at + 1) => at += 1,
            Some(b'.' | b')') if digits > 0 && blank(at + digits + 1) => at += digits + 1,
            _ => return deepest > DEEPEST_COLUMN,
        }
        deepest = at;
    }
}
