/// When a reminder fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The rule.
    pub kind: ScheduleKind,
    /// At most so many times; 0 is no limit.
    pub max_fires: u32,
}

/// The rule of a [`Schedule`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduleKind {
    /// Every turn.
    Always,
    /// Once, whatever `max_fires` says.
    Oneshot,
}

/// What a reminder may look at to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversationState {
    /// Requests that were sent in this session, from 0.
    pub turn: u64,
}

impl Schedule {
    /// Every turn, without limit.
    pub const ALWAYS: Self = Self {
        kind: ScheduleKind::Always,
        max_fires: 0,
    };

    /// Once.
    pub const ONESHOT: Self = Self {
        kind: ScheduleKind::Oneshot,
        max_fires: 0,
    };

    /// How often it may fire in all.
    pub(crate) fn limit(&self) -> Option<u32> {
        match (&self.kind, self.max_fires) {
            (ScheduleKind::Oneshot, _) => Some(1),
            (_, 0) => None,
            (_, limit) => Some(limit),
        }
    }

    /// Whether it wants to fire now, limits aside.
    pub(crate) fn wants(&self, _state: &ConversationState) -> bool {
        match self.kind {
            ScheduleKind::Always | ScheduleKind::Oneshot => true,
        }
    }
}
