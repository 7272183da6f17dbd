use std::fmt;
use std::path::PathBuf;

use crate::schedule::Schedule;

/// Something that the model is told again and again, or once.
#[derive(Clone, Debug, PartialEq)]
pub struct Reminder {
    /// Unique in a [`Manager`](crate::Manager).
    pub id: String,
    /// What the model reads, between the tags; a template for
    /// [`Values`](crate::Values).
    pub content: String,
    /// When.
    pub schedule: Schedule,
    /// Who wants it.
    pub source: Source,
    /// Higher comes later: closer to the end, where the model attends most.
    pub priority: i32,
    /// Whether it takes part at all.
    pub active: bool,
    /// For how long the model has it before its eyes.
    pub delivery: Delivery,
}

/// Who wants a [`Reminder`]. Shown as `builtin`, `code`, or the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Aside.
    Builtin,
    /// The program that uses Aside.
    Code,
    /// A file.
    Plugin {
        /// Which one.
        path: PathBuf,
    },
}

/// For how long a [`Reminder`] is before the model's eyes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// In one request: it is gone from the next, and was never in the
    /// conversation.
    #[default]
    Ephemeral,
    /// From now on: it is rendered once, becomes an entry of the conversation,
    /// and is sent byte for byte the same in every later request.
    Persistent,
}

impl Reminder {
    /// An active, ephemeral reminder of the program's own, of priority 0.
    pub fn new(id: impl Into<String>, content: impl Into<String>, schedule: Schedule) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            schedule,
            source: Source::Code,
            priority: 0,
            active: true,
            delivery: Delivery::Ephemeral,
        }
    }

    /// Tags around nothing would tell the model nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.content.trim().is_empty()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin => f.write_str("builtin"),
            Self::Code => f.write_str("code"),
            Self::Plugin { path } => path.display().fmt(f),
        }
    }
}
