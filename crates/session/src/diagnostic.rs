use std::fmt;

/// Something that people should know; the request goes out all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What it is about.
    pub area: Area,
    /// What was found, with the path and value concerned. May hold characters
    /// of file names; not yet fit for a terminal.
    pub message: String,
}

/// What a [`Diagnostic`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Area {
    /// Settings files.
    Settings,
    /// Instruction files.
    Memory,
    /// The state of the repository.
    Git,
    /// The system prompt.
    Prompt,
    /// The prompt cache.
    Cache,
    /// The tools.
    Tools,
    /// Reminders, and the files that hold them.
    Reminders,
    /// Files that the model has seen.
    Files,
    /// The conversation.
    Messages,
}

impl Diagnostic {
    pub(crate) fn new(area: Area, message: impl fmt::Display) -> Self {
        Self {
            area,
            message: message.to_string(),
        }
    }

    /// What the loader of instruction files says, if it is worth a word.
    pub(crate) fn of_memory(fault: &aside_claudemd::Diagnostic) -> Option<Self> {
        let line = fault.line.map(|line| format!(":{line}"));
        let line = line.unwrap_or_default();
        let message = format!("{}{line}: {}", fault.path.display(), fault.message);
        let is_warning = fault.severity == aside_claudemd::Severity::Warning;
        is_warning.then(|| Self::new(Area::Memory, message))
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let area = match self.area {
            Area::Settings => "settings",
            Area::Memory => "memory",
            Area::Git => "git",
            Area::Prompt => "prompt",
            Area::Cache => "cache",
            Area::Tools => "tools",
            Area::Reminders => "reminders",
            Area::Files => "files",
            Area::Messages => "messages",
        };
        write!(f, "{area}: {}", self.message)
    }
}
