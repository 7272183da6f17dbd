use std::fmt;

use serde::Serialize;

/// Declares the causes, their list and their displayed names from the same rows.
macro_rules! causes {
    ($($(#[$doc:meta])* $cause:ident = $name:literal;)*) => {
        /// The cause of a difference between two requests, each with the rule by which
        /// it is recognized. Rules are tried from the special to the general, and
        /// [`Unknown`](Self::Unknown) is left.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Cause {
            $($(#[$doc])* $cause,)*
        }

        impl Cause {
            /// Every cause.
            pub const ALL: [Self; [$(Self::$cause),*].len()] = [$(Self::$cause),*];

            /// Returns its displayed name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$cause => $name,)*
                }
            }
        }
    };
}

causes! {
    /// Both texts have a date or a time at the difference.
    DateOrClock = "date or clock";
    /// The line is one of a git status, or below a heading of one.
    GitStatus = "git status";
    /// Both texts have an absolute path at the difference.
    Directory = "directory";
    /// Both texts have an id at the difference: as long, and as random.
    RandomId = "random id";
    /// The same keys in another order.
    KeyOrder = "key order";
    /// The same tools in another order.
    ToolOrder = "tool order";
    /// Another set of tools.
    ToolAddedOrRemoved = "tool added or removed";
    /// The texts are equal without `<system-reminder>` parts.
    ReminderMovedOrRemoved = "reminder moved or removed";
    /// The later text is the start of the earlier one, with a notice or
    /// without; or only white space at the ends differs.
    TextTrimmed = "text trimmed";
    /// Two spellings of one number.
    NumberFormat = "number format";
    /// Two spellings of one string: JSON escapes.
    StringEscapes = "string escapes";
    /// The white space of JSON that is written in a string.
    JsonSpacing = "white space in JSON";
    /// The same place is a string in one and a list in the other.
    StringAgainstArray = "string against array";
    /// A thinking block was removed.
    ThinkingDropped = "thinking dropped";
    /// The bytes of an image, or an image at this place in one of them only.
    ImageChanged = "image changed";
    /// Another model.
    OtherModel = "other model";
    /// A parameter other than tools, system prompt and messages.
    Parameter = "parameter";
    /// A text that differs in another way.
    TextEdited = "text edited";
    /// A tool of the same name with another definition.
    ToolDefinitionEdited = "tool definition edited";
    /// The same text in another number of blocks.
    BlockSplitOrJoined = "block split or joined";
    /// Only the ends of lines.
    LineEndings = "line endings";
    /// The later conversation is shorter, and begins with other messages.
    Compaction = "compaction";
    /// Only cache markers; harmless.
    MarkerOnly = "marker only (harmless)";
    /// None of the rules fits.
    Unknown = "unknown";
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
