use std::fmt;

use crate::conversation::EntryId;

/// Something that was mended on the way to the wire, so that the request could
/// still go out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Diagnostic {
    /// A string held half of a surrogate pair, which became U+FFFD.
    LoneSurrogate {
        /// The JSON path of the string.
        path: String,
    },
    /// A part of the conversation had a cache marker, which was taken off:
    /// where markers go is decided anew for each request.
    Marker {
        /// The entry.
        entry: EntryId,
        /// The index of the part.
        part: usize,
    },
    /// The input of a tool call is no JSON object (a stream that broke off);
    /// it was sent as `{}`.
    ToolInput {
        /// The call.
        tool_use_id: String,
        /// What the syntax error was, or what stood there.
        found: String,
    },
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoneSurrogate { path } => {
                write!(f, "{path}: a lone surrogate became U+FFFD")
            }
            Self::Marker { entry, part } => {
                write!(
                    f,
                    "part {part} of entry {entry}: a cache marker was taken off"
                )
            }
            Self::ToolInput { tool_use_id, found } => {
                write!(
                    f,
                    "tool call {}: the input is not a JSON object ({}), sent as {{}}",
                    tool_use_id.escape_debug(),
                    found.escape_debug()
                )
            }
        }
    }
}
