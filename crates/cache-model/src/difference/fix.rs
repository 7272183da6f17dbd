//! How to keep a miss from coming back.

use super::cause::Cause;

impl Cause {
    /// Says in one sentence how to fix the cause; `None` if there is nothing to
    /// fix.
    ///
    /// ```
    /// use aside_cache_model::Cause;
    ///
    /// assert_eq!(Cause::ToolOrder.fix(), Some("sort the tools by name"));
    /// assert_eq!(Cause::MarkerOnly.fix(), None);
    /// ```
    #[must_use]
    pub const fn fix(self) -> Option<&'static str> {
        Some(match self {
            Self::DateOrClock => "leave the time out, or send it in a new message",
            Self::GitStatus => "read the git status once, when the session begins",
            Self::Directory => "keep the path out of the prefix that sessions share",
            Self::RandomId => "derive the id from its content, or leave it out",
            Self::KeyOrder | Self::NumberFormat | Self::StringEscapes | Self::JsonSpacing => {
                "send the bytes of the last request instead of encoding them again"
            }
            Self::ToolOrder => "sort the tools by name",
            Self::ToolAddedOrRemoved => "list every tool from the start, or defer the new ones",
            Self::ToolDefinitionEdited => "keep the definition until the session ends",
            Self::ReminderMovedOrRemoved => {
                "leave a reminder where it was sent, and append new ones"
            }
            Self::TextTrimmed => "trim a text before you send it for the first time",
            Self::StringAgainstArray | Self::BlockSplitOrJoined => {
                "send a text in the blocks in which you sent it before"
            }
            Self::ThinkingDropped => "send thinking back as it came",
            Self::ImageChanged => "send an image with the bytes that you sent before",
            Self::OtherModel => "keep the model until the session ends",
            Self::OtherWorkspace => "send a session's requests in one workspace",
            Self::Parameter => "keep the parameter until the session ends",
            Self::TextEdited => "append a correction instead of editing what you sent",
            Self::LineEndings => "use the same line ends in every request",
            Self::Compaction => "compact less often: a summary begins a new prefix",
            Self::MarkerOnly => return None,
        })
    }
}
