//! Finds the part at a byte or a path.
//!
//! For `aside context`: `--at 1234` names the part at a byte, `--at
//! messages[3]` the one for a value.

use aside_cache_model::Body;
use aside_json::Tape;

use crate::block::inner_range;
use crate::part::{PartKind, RequestPart};
use crate::pieces;
use crate::report::Report;

/// Where a byte is in a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ByteLocation<'a> {
    /// The parts around the byte, from the body to the smallest.
    pub parts: Vec<&'a RequestPart>,
    /// The offset in the body.
    pub offset: usize,
    /// The line in the smallest part's text, from 1; in an instruction file,
    /// the line below its header. `None` if the part is not a text.
    pub line: Option<usize>,
}

impl RequestPart {
    /// Returns the parts around a byte in the body; `None` after its end.
    ///
    /// This part must be the body as a whole, and `request` its request. A byte
    /// in the JSON around content belongs to that JSON's part. The cost is
    /// linear in how many children there are on the way.
    #[must_use]
    pub fn at_byte(&self, offset: usize, request: &Body) -> Option<ByteLocation<'_>> {
        if offset >= self.bytes {
            return None;
        }
        let mut parts = vec![self];
        loop {
            let last = *parts.last()?;
            let holds = |it: &&RequestPart| it.kind != PartKind::Json && it.range.contains(&offset);
            let json = |it: &&RequestPart| it.kind == PartKind::Json;
            let mut children = last.children.iter();
            let found = children.clone().find(holds).or_else(|| children.find(json));
            match found {
                Some(part) => parts.push(part),
                None => break,
            }
        }
        let last = *parts.last()?;
        let line = last.kind.is_text().then(|| {
            let before = &request.as_bytes()[last.range.start..offset];
            let text = aside_json::unescape(before);
            1 + text.matches('\n').count()
        });
        let line = match (last.kind, line) {
            (PartKind::File, Some(line)) => {
                let text = &request.as_bytes()[last.range.clone()];
                line.checked_sub(pieces::header_lines(text))
            }
            (_, line) => line,
        };
        let line = line.filter(|it| *it > 0);
        Some(ByteLocation { parts, offset, line })
    }
}

impl Report {
    /// Returns the parts around a byte, as [`RequestPart::at_byte`] does.
    #[must_use]
    pub fn at_byte(&self, offset: usize, request: &Body) -> Option<ByteLocation<'_>> {
        self.root.at_byte(offset, request)
    }

    /// Returns the parts around the value at a path, such as
    /// `messages[3].content[0].text`; `None` if the body has no such value.
    ///
    /// The offset is the value's first byte, after the quote for a string. The
    /// last part may be larger than the value: a value without its own part,
    /// such as an id, is in the part around it.
    #[must_use]
    pub fn at_path(&self, path: &str, request: &Body) -> Option<ByteLocation<'_>> {
        let tape = Tape::parse(request.as_bytes()).ok()?;
        let mut value = tape.root();
        for step in steps(path)? {
            value = match step {
                Step::Key(key) => value.get(&key)?,
                Step::Index(index) => value.items().nth(index)?,
            };
        }
        let range = inner_range(value).filter(|it| !it.is_empty()).unwrap_or_else(|| value.range());
        let mut found = self.at_byte(range.start, request)?;
        // Nothing below the value itself is wanted.
        while let [.., last] = found.parts[..]
            && found.parts.len() > 1
            && (last.kind == PartKind::Json || last.range.len() < range.len())
        {
            found.parts.pop();
        }
        Some(found)
    }
}

enum Step {
    Key(String),
    /// From 0.
    Index(usize),
}

/// Reads `a.b[3].c`; a key may hold anything but a dot and a bracket.
///
/// ```text
/// messages[3].content[0]      messages, 3, content, 0
/// $.tools[1]                  tools, 1
/// messages[x]                 none
/// ```
///
/// An empty path is the body itself.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for segment in path.trim_start_matches('$').split('.') {
        let (key, indices) = match segment.find('[') {
            Some(at) => segment.split_at(at),
            None => (segment, ""),
        };
        if !key.is_empty() {
            steps.push(Step::Key(key.to_owned()));
        }
        for index in indices.split_terminator(']') {
            steps.push(Step::Index(index.strip_prefix('[')?.parse().ok()?));
        }
    }
    Some(steps)
}
