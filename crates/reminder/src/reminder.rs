use std::path::PathBuf;

use crate::schedule::Schedule;

/// Something that the model is told again and again, or once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reminder {
    /// Unique in a [`Manager`](crate::Manager).
    pub id: String,
    /// What the model reads, between the tags.
    pub content: String,
    /// When.
    pub schedule: Schedule,
    /// Who wants it.
    pub source: Source,
    /// Higher comes later: closer to the end, where the model attends most.
    pub priority: i32,
    /// Whether it takes part at all.
    pub active: bool,
}

/// Who wants a [`Reminder`].
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

impl Reminder {
    /// An active reminder of the program's own, of priority 0.
    pub fn new(id: impl Into<String>, content: impl Into<String>, schedule: Schedule) -> Self {
        Self {
            id: id.into(),
            content: content.into(),
            schedule,
            source: Source::Code,
            priority: 0,
            active: true,
        }
    }
}
