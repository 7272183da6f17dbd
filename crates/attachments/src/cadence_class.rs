//! The cadence column in the table of kinds.

/// How `cadence` decides when an attachment is due, and what it remembers about
/// such an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CadenceClass {
    /// Only the caller decides; nothing is remembered.
    OnRequest,
    /// Due when its text differs from the last one in its kind.
    Latest,
    /// Due once for each text.
    Once,
    /// Due for names, or texts under a name, not yet announced.
    Announcement,
    /// Due for sections that differ from the conversation's first entries.
    SectionChange,
    /// Due when the model has neglected a task list.
    ListReminder(TaskList),
    /// Due while a mode is on.
    Mode(SessionMode),
    /// Due when a mode is entered again.
    ModeReentry(SessionMode),
    /// Due when a mode has ended.
    ModeExit(SessionMode),
    /// Due when the date changed.
    NewDate,
    /// Due when the context has grown.
    ContextGrowth,
    /// Due when a large context window begins to fill.
    LargeWindow,
}

/// A task list that the model keeps with tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskList {
    Todos,
    Tasks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionMode {
    Plan,
    Auto,
}

impl TaskList {
    /// Returns the tools that write the list.
    pub(crate) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Todos => &["TodoWrite"],
            Self::Tasks => &["TaskCreate", "TaskUpdate"],
        }
    }
}

#[cfg(test)]
impl CadenceClass {
    /// Returns the words for the README's table.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::OnRequest => "when the caller makes one",
            Self::Latest => "when its text differs from the last one of the kind",
            Self::Once => "once per text",
            Self::Announcement => "for names not announced yet, or announced with another text",
            Self::SectionChange => "for sections that differ from what was sent",
            Self::ListReminder(_) => {
                "10 responses after the list was last written and last reminded of"
            }
            Self::Mode(_) => "on entry, then every 5 user turns; the 1st, 6th, 11th … in full",
            Self::ModeReentry(_) => "when the mode is entered again and a plan exists",
            Self::ModeExit(_) => "once, when the mode has ended",
            Self::NewDate => "when the date differs from the one last sent",
            Self::ContextGrowth => {
                "after 10,000 tokens of growth since the last one, snip or boundary, if a message can be snipped"
            }
            Self::LargeWindow => "once, when a quarter of a window of 1,000,000 tokens is used",
        }
    }
}
