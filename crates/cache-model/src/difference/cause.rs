use serde::Serialize;

aside_text::names! {
    /// Why two requests differ, each cause with the rule to recognize it. Rules
    /// are tried from special to general, and [`TextEdited`](Self::TextEdited)
    /// is left.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Cause {
        /// Both texts have a date or a time at the difference.
        DateOrClock = "date or clock",
        /// The line is from a git status, or below the heading of one.
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
        /// The later text is the start of the earlier one, with or without a
        /// notice; or only white space at the ends differs.
        TextTrimmed = "text trimmed",
        /// Two spellings of one number.
        NumberFormat = "number format",
        /// Two spellings of one string: JSON escapes.
        StringEscapes = "string escapes",
        /// White space in JSON that is written in a string.
        JsonSpacing = "white space in JSON",
        /// A string in one, and in the other a list with only this text.
        StringAgainstArray = "string against array",
        /// A thinking block was removed.
        ThinkingDropped = "thinking dropped",
        /// An image's bytes, or only one of them has an image here.
        ImageChanged = "image changed",
        /// Another model.
        OtherModel = "other model",
        /// Another workspace, with a cache of its own.
        OtherWorkspace = "another workspace",
        /// A parameter other than tools, system prompt and messages.
        Parameter = "parameter",
        /// No other rule fits.
        TextEdited = "text edited",
        /// A tool with the same name has another definition.
        ToolDefinitionEdited = "tool definition edited",
        /// The same text, but in more or fewer blocks.
        BlockSplitOrJoined = "block split or joined",
        /// Only line ends.
        LineEndings = "line endings",
        /// The later conversation is shorter, and begins with other messages.
        Compaction = "compaction",
        /// Only cache markers; harmless.
        MarkerOnly = "marker only (harmless)",
    }
}
