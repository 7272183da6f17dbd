//! The first byte in which two requests differ, with the text around it and
//! where it comes from.

use std::fmt;

use aside_inspect::{BodyLine, body_lines};

/// How many bytes to show before and after the first difference.
const WINDOW_BYTES: usize = 40;

/// Marks the first byte that differs.
const HERE: &str = "⟨here⟩";

/// The first byte in which two requests differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its offset in both.
    pub offset: usize,
    /// That byte's JSON path in the actual request; empty for the outermost
    /// brackets and after the end.
    pub path: String,
    /// Where that byte comes from.
    pub source: String,
    /// The expected bytes around the difference, with a mark before it.
    pub(crate) expected: String,
    /// The actual bytes around the difference.
    pub(crate) found: String,
    end: Option<End>,
}

/// How the expected bytes continue, if the actual request is a prefix of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// White space, such as editors add.
    White,
    More,
}

impl Mismatch {
    /// Compares two requests. Returns `None` if they are equal.
    pub fn find(
        expected: &[u8],
        found: &[u8],
        source_at: impl FnOnce(usize) -> String,
    ) -> Option<Self> {
        if expected == found {
            return None;
        }
        let differs = |(expected, found): (&u8, &u8)| expected != found;
        let common = expected.len().min(found.len());
        let offset = expected.iter().zip(found).position(differs).unwrap_or(common);
        Some(Self {
            offset,
            path: path_at(found, offset),
            source: source_at(offset),
            expected: window(expected, offset),
            found: window(found, offset),
            end: (offset == found.len()).then(|| End::of(&expected[offset..])),
        })
    }
}

/// Returns a byte's JSON path; empty if the text is no request.
fn path_at(json: &[u8], offset: usize) -> String {
    let lines = body_lines(json);
    let line = lines.iter().rev().find(|line| line.start <= offset);
    line.map_or_else(String::new, BodyLine::full_path)
}

impl End {
    fn of(more: &[u8]) -> Self {
        if more.iter().all(u8::is_ascii_whitespace) { Self::White } else { Self::More }
    }
}

fn window(bytes: &[u8], offset: usize) -> String {
    let start = offset.saturating_sub(WINDOW_BYTES);
    let end = bytes.len().min(offset + WINDOW_BYTES);
    let around = |range: std::ops::Range<usize>| {
        let text = String::from_utf8_lossy(bytes.get(range).unwrap_or_default()).into_owned();
        text.escape_debug().to_string().replace("\\\"", "\"")
    };
    format!("{}{HERE}{}", around(start..offset.min(bytes.len())), around(offset..end))
}

impl Mismatch {
    /// Describes where the byte is.
    pub(crate) fn place(&self) -> String {
        let place = match (self.end, self.path.as_str()) {
            (Some(End::White), _) => {
                "where the request ends: what is expected has a line break or other white space \
                 behind it"
            }
            (Some(End::More), _) => "where the request ends: more is expected",
            (None, "") => "at the top level",
            (None, path) => &format!("at {path}"),
        };
        format!("byte {}, {place}", self.offset)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, source) = (self.place(), &self.source);
        writeln!(f, "{place}, from {source}")?;
        writeln!(f, "  expected: …{}…", self.expected)?;
        write!(f, "  found:    …{}…", self.found)
    }
}
