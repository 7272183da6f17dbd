//! The first difference between an expected and an actual request, with the
//! text around it and the section or entry that it comes from.

use std::fmt;

use aside_messages::Source;

use crate::json_path::json_path_at;
use crate::readable::source_at;

/// The number of bytes that are shown before and after the first difference.
const WINDOW_BYTES: usize = 40;

/// The mark before the first byte that differs.
const HERE: &str = "⟨here⟩";

/// The first byte in which two requests differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its offset in both.
    pub offset: usize,
    /// The JSON path of that byte in the actual request; empty for the
    /// outermost brackets and after the end.
    pub path: String,
    /// The source of that byte.
    pub source: Source,
    /// The instruction file that contains the text, if known.
    pub file: Option<String>,
    /// The expected bytes around the difference, with a mark before it.
    expected: String,
    /// The actual bytes around the difference.
    found: String,
    end: Option<End>,
}

/// The rest of the expected bytes, if the actual request is a prefix of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// White space, such as editors add.
    White,
    /// Anything else.
    More,
}

impl Mismatch {
    /// Compares two requests. Returns `None` if they are equal.
    pub fn find(
        expected: &[u8],
        found: &[u8],
        source_at: impl FnOnce(usize) -> Source,
    ) -> Option<Self> {
        if expected == found {
            return None;
        }
        let differs = |(expected, found): (&u8, &u8)| expected != found;
        let common = expected.len().min(found.len());
        let offset = expected
            .iter()
            .zip(found)
            .position(differs)
            .unwrap_or(common);
        Some(Self {
            offset,
            path: json_path_at(found, offset),
            source: source_at(offset),
            file: None,
            expected: window(expected, offset),
            found: window(found, offset),
            end: (offset == found.len()).then(|| End::of(&expected[offset..])),
        })
    }
}

impl Mismatch {
    /// Returns the old and the new text without the position. A change of one
    /// text is the same in every request that has the text.
    pub(crate) fn cause(&self) -> String {
        let after = |window: &str| {
            let after = window.split_once(HERE).map_or(window, |(_, after)| after);
            after.to_owned()
        };
        let source = match &self.source {
            Source::Entry { .. } => "entry".to_owned(),
            source => source.to_string(),
        };
        let (expected, found) = (after(&self.expected), after(&self.found));
        format!("{source}\n{expected}\n{found}")
    }
}

/// The first line in which two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMismatch {
    /// Its number, counted from 1.
    pub line: usize,
    /// The source in the margin of the actual line, or of the expected one.
    pub source: Option<String>,
    /// The expected line, if there is one.
    pub expected: Option<String>,
    /// The actual line, if there is one.
    pub found: Option<String>,
}

impl LineMismatch {
    /// Compares two texts. Returns `None` if they are equal.
    pub(crate) fn find(expected: &str, found: &str) -> Option<Self> {
        if expected == found {
            return None;
        }
        let (expected_text, found_text) = (expected, found);
        let mut expected = expected.lines();
        let mut found = found.lines();
        for line in 1.. {
            let (expected, found) = (expected.next(), found.next());
            if expected != found || expected.is_none() {
                let text = found.map_or(expected_text, |_| found_text);
                return Some(Self {
                    line,
                    source: source_at(text, line),
                    expected: expected.map(str::to_owned),
                    found: found.map(str::to_owned),
                });
            }
        }
        None
    }
}

impl fmt::Display for LineMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = "the end of the text";
        write!(f, "line {}", self.line)?;
        if let Some(source) = &self.source {
            write!(f, ", from {source}")?;
        }
        writeln!(f)?;
        writeln!(f, "  expected: {}", self.expected.as_deref().unwrap_or(end))?;
        write!(f, "  found:    {}", self.found.as_deref().unwrap_or(end))
    }
}

impl End {
    fn of(more: &[u8]) -> Self {
        if more.iter().all(u8::is_ascii_whitespace) {
            Self::White
        } else {
            Self::More
        }
    }
}

fn window(bytes: &[u8], offset: usize) -> String {
    let start = offset.saturating_sub(WINDOW_BYTES);
    let end = bytes.len().min(offset + WINDOW_BYTES);
    let around = |range: std::ops::Range<usize>| {
        let text = String::from_utf8_lossy(bytes.get(range).unwrap_or_default()).into_owned();
        text.escape_debug().to_string().replace("\\\"", "\"")
    };
    format!(
        "{}{HERE}{}",
        around(start..offset.min(bytes.len())),
        around(offset..end)
    )
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            offset,
            path,
            source,
            file,
            expected,
            found,
            end,
        } = self;
        write!(f, "byte {offset}, ")?;
        match end {
            Some(End::White) => f.write_str(
                "where the request ends: what is expected has a line break or other white space \
                 behind it",
            )?,
            Some(End::More) => f.write_str("where the request ends: more is expected")?,
            None if path.is_empty() => write!(f, "at the top level, from {source}")?,
            None => write!(f, "at {path}, from {source}")?,
        }
        if let Some(file) = file {
            write!(f, ", which has it from {file}")?;
        }
        writeln!(f)?;
        writeln!(f, "  expected: …{expected}…")?;
        write!(f, "  found:    …{found}…")
    }
}
