use serde::Serialize;

aside_text::names! {
    /// The cause of a difference between two requests, each with the rule by which
    /// it is recognized. Rules are tried from the special to the general, and
    /// [`Unknown`](Self::Unknown) is left.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Cause {
        /// Both texts have a date or a time at the difference.
        DateOrClock = "date or clock",
        /// The line is one of a git status, or below a heading of one.
        GitStatus = "git status",
        /// Both texts have an absolute path at the difference.
        Directory = "directory",
        /// Both texts have an id at the difference: as long, and as random.
        RandomId = "random id",
        /// The same keys in another order.
        KeyOrder = "key order",
        /// The same tools in another order.
        ToolOrder = "tool order",
        /// Another set of tools.
        ToolAddedOrRemoved = "tool added or removed",
        /// The texts are equal without `<system-reminder>` parts.
        ReminderMovedOrRemoved = "reminder moved or removed",
        /// The later text is the start of the earlier one, with a notice or
        /// without; or only white space at the ends differs.
        TextTrimmed = "text trimmed",
        /// Two spellings of one number.
        NumberFormat = "number format",
        /// Two spellings of one string: JSON escapes.
        StringEscapes = "string escapes",
        /// The white space of JSON that is written in a string.
        JsonSpacing = "white space in JSON",
        /// The same place is a string in one and a list in the other.
        StringAgainstArray = "string against array",
        /// A thinking block was removed.
        ThinkingDropped = "thinking dropped",
        /// The bytes of an image, or an image at this place in one of them only.
        ImageChanged = "image changed",
        /// Another model.
        OtherModel = "other model",
        /// A parameter other than tools, system prompt and messages.
        Parameter = "parameter",
        /// A text that differs in another way.
        TextEdited = "text edited",
        /// A tool of the same name with another definition.
        ToolDefinitionEdited = "tool definition edited",
        /// The same text in another number of blocks.
        BlockSplitOrJoined = "block split or joined",
        /// Only the ends of lines.
        LineEndings = "line endings",
        /// The later conversation is shorter, and begins with other messages.
        Compaction = "compaction",
        /// Only cache markers; harmless.
        MarkerOnly = "marker only (harmless)",
        /// None of the rules fits.
        Unknown = "unknown",
    }
}
