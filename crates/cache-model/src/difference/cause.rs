use std::fmt;

use serde::Serialize;

/// The cause of a difference between two requests, each with the rule by which
/// it is recognized. Rules are tried from the special to the general, and
/// [`Unknown`](Self::Unknown) is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// Both texts have a date or a time at the difference.
    DateOrClock,
    /// The line is one of a git status, or below a heading of one.
    GitStatus,
    /// Both texts have an absolute path at the difference.
    Directory,
    /// Both texts have an id at the difference: as long, and as random.
    RandomId,
    /// The same keys in another order.
    KeyOrder,
    /// The same tools in another order.
    ToolOrder,
    /// Another set of tools.
    ToolAddedOrRemoved,
    /// The texts are equal without `<system-reminder>` parts.
    ReminderMovedOrRemoved,
    /// The later text is the start of the earlier one, with a notice or
    /// without; or only white space at the ends differs.
    TextTrimmed,
    /// Two spellings of one number.
    NumberFormat,
    /// Two spellings of one string: JSON escapes.
    StringEscapes,
    /// The same place is a string in one and a list in the other.
    StringAgainstArray,
    /// A thinking block was removed.
    ThinkingDropped,
    /// The bytes of an image, or an image at this place in one of them only.
    ImageChanged,
    /// Another model.
    OtherModel,
    /// A parameter other than tools, system prompt and messages.
    Parameter,
    /// A text that differs in another way.
    TextEdited,
    /// A tool of the same name with another definition.
    ToolDefinitionEdited,
    /// The same text in another number of blocks.
    BlockSplitOrJoined,
    /// Only the ends of lines.
    LineEndings,
    /// The later conversation is shorter, and begins with other messages.
    Compaction,
    /// Only cache markers; harmless.
    MarkerOnly,
    /// None of the rules fits.
    Unknown,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 23] = [
        Self::DateOrClock,
        Self::GitStatus,
        Self::Directory,
        Self::RandomId,
        Self::KeyOrder,
        Self::ToolOrder,
        Self::ToolAddedOrRemoved,
        Self::ReminderMovedOrRemoved,
        Self::TextTrimmed,
        Self::NumberFormat,
        Self::StringEscapes,
        Self::StringAgainstArray,
        Self::ThinkingDropped,
        Self::ImageChanged,
        Self::OtherModel,
        Self::Parameter,
        Self::TextEdited,
        Self::ToolDefinitionEdited,
        Self::BlockSplitOrJoined,
        Self::LineEndings,
        Self::Compaction,
        Self::MarkerOnly,
        Self::Unknown,
    ];

    /// Returns its displayed name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DateOrClock => "date or clock",
            Self::GitStatus => "git status",
            Self::Directory => "directory",
            Self::RandomId => "random id",
            Self::KeyOrder => "key order",
            Self::ToolOrder => "tool order",
            Self::ToolAddedOrRemoved => "tool added or removed",
            Self::ReminderMovedOrRemoved => "reminder moved or removed",
            Self::TextTrimmed => "text trimmed",
            Self::NumberFormat => "number format",
            Self::StringEscapes => "string escapes",
            Self::StringAgainstArray => "string against array",
            Self::ThinkingDropped => "thinking dropped",
            Self::ImageChanged => "image changed",
            Self::OtherModel => "other model",
            Self::Parameter => "parameter",
            Self::TextEdited => "text edited",
            Self::ToolDefinitionEdited => "tool definition edited",
            Self::BlockSplitOrJoined => "block split or joined",
            Self::LineEndings => "line endings",
            Self::Compaction => "compaction",
            Self::MarkerOnly => "marker only (harmless)",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
