use std::time::Duration;

use crate::condition::Condition;

/// When a reminder fires.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The rule.
    pub kind: ScheduleKind,
    /// At most so many times; 0 is no limit.
    pub max_fires: u32,
    /// A fire is at least so many turns behind the one before it; 0 is no
    /// such rule.
    pub cooldown_turns: u64,
}

/// The rule of a [`Schedule`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScheduleKind {
    /// Every turn.
    Always,
    /// On turn 0 and every `interval` turns from there; 0 counts as 1.
    Turn {
        /// In turns.
        interval: u64,
    },
    /// The first time it is asked, then when so much time has passed since it
    /// last fired. However many periods were missed, that is one fire.
    Timer {
        /// By the session's own clock.
        interval: Duration,
    },
    /// Once, whatever `max_fires` says.
    Oneshot,
    /// When this holds.
    Condition(Condition),
}

impl Schedule {
    /// Every turn, without limit.
    pub const ALWAYS: Self = Self::of(ScheduleKind::Always);

    /// Once.
    pub const ONESHOT: Self = Self::of(ScheduleKind::Oneshot);

    /// Every so many turns, the first included.
    #[must_use]
    pub const fn every_turns(interval: u64) -> Self {
        Self::of(ScheduleKind::Turn { interval })
    }

    /// At once, and then by the session's clock.
    #[must_use]
    pub const fn every(interval: Duration) -> Self {
        Self::of(ScheduleKind::Timer { interval })
    }

    /// When a condition holds.
    #[must_use]
    pub const fn when(condition: Condition) -> Self {
        Self::of(ScheduleKind::Condition(condition))
    }

    const fn of(kind: ScheduleKind) -> Self {
        Self {
            kind,
            max_fires: 0,
            cooldown_turns: 0,
        }
    }

    /// The same, at most so many times; 0 is no limit.
    #[must_use]
    pub fn at_most(self, max_fires: u32) -> Self {
        Self { max_fires, ..self }
    }

    /// How often it may fire in all.
    pub(crate) fn limit(&self) -> Option<u32> {
        match (&self.kind, self.max_fires) {
            (ScheduleKind::Oneshot, _) => Some(1),
            (_, 0) => None,
            (_, limit) => Some(limit),
        }
    }
}
