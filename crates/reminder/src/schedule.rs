mod form;

pub(crate) use form::KEYS;
#[cfg(feature = "files")]
pub(crate) use form::MISFIT;
pub use form::ScheduleName;

use std::fmt;
use std::time::Duration;

use crate::condition::Condition;
use crate::duration::format_duration;
use crate::moment::Moment;

/// When a reminder fires.
///
/// ```
/// use aside_reminder::{Expression, Schedule};
///
/// let after_edits = Schedule::when(Expression::parse("after_tool:Edit").into()).at_most(5);
/// assert_eq!(after_edits.max_fires, 5);
///
/// let json = serde_json::to_string(&Schedule::every_turns(10))?;
/// assert_eq!(json, r#"{"kind":"turn","turn_interval":10,"max_fires":0,"cooldown_turns":0}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The rule by which it fires.
    pub kind: ScheduleKind,
    /// How often it may fire; 0 is no limit.
    pub max_fires: u32,
    /// How many turns to wait between two fires; 0 is no limit.
    pub cooldown_turns: u64,
}

/// The rule in a [`Schedule`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScheduleKind {
    /// Every turn.
    Always,
    /// On turn 0 and every `interval` turns after it.
    Turn {
        /// In turns; 0 is treated as 1.
        interval: u64,
    },
    /// On the first evaluation, and then whenever `interval` has passed since
    /// the last fire. Any number of missed periods is one fire.
    Timer {
        /// On the session's own clock.
        interval: Duration,
    },
    /// Once, regardless of `max_fires`.
    Oneshot,
    /// When the condition holds.
    Condition(Condition),
}

impl Schedule {
    /// Fires every turn.
    pub const ALWAYS: Self = Self::from_kind(ScheduleKind::Always);

    /// Fires once.
    pub const ONESHOT: Self = Self::from_kind(ScheduleKind::Oneshot);

    /// Creates a schedule that fires on turn 0 and every `interval` turns after
    /// it.
    #[must_use]
    pub const fn every_turns(interval: u64) -> Self {
        Self::from_kind(ScheduleKind::Turn { interval })
    }

    /// Creates a schedule that fires at once and then every `interval` on the
    /// session's clock.
    #[must_use]
    pub const fn every(interval: Duration) -> Self {
        Self::from_kind(ScheduleKind::Timer { interval })
    }

    /// Creates a schedule that fires when a condition holds.
    #[must_use]
    pub const fn when(condition: Condition) -> Self {
        Self::from_kind(ScheduleKind::Condition(condition))
    }

    const fn from_kind(kind: ScheduleKind) -> Self {
        Self { kind, max_fires: 0, cooldown_turns: 0 }
    }

    /// Limits how often it fires; 0 is no limit.
    #[must_use]
    pub fn at_most(self, max_fires: u32) -> Self {
        Self { max_fires, ..self }
    }

    /// Returns the maximum number of fires; `None` is no limit.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        match (&self.kind, self.max_fires) {
            (ScheduleKind::Oneshot, _) => Some(1),
            (_, 0) => None,
            (_, limit) => Some(limit),
        }
    }
}

impl ScheduleKind {
    /// Returns true if the rule fires at `now`; `last` is the last fire.
    /// `holds` evaluates the condition.
    pub(crate) fn fires(
        &self,
        now: Moment,
        last: Option<Moment>,
        holds: impl FnOnce(&Condition) -> bool,
    ) -> bool {
        match self {
            Self::Always | Self::Oneshot => true,
            Self::Turn { interval } => now.turn.is_multiple_of((*interval).max(1)),
            Self::Timer { interval } => last.is_none_or(|last| {
                let passed = now.elapsed_ms.saturating_sub(last.elapsed_ms);
                Duration::from_millis(passed) >= *interval
            }),
            Self::Condition(condition) => holds(condition),
        }
    }
}

/// Formats it as a phrase: `every 5 turns, at most 2 times`.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ScheduleKind::Always | ScheduleKind::Turn { interval: 0 | 1 } => {
                f.write_str("every turn")?;
            }
            ScheduleKind::Turn { interval } => write!(f, "every {interval} turns")?,
            ScheduleKind::Timer { interval } => write!(f, "every {}", format_duration(*interval))?,
            ScheduleKind::Oneshot => return f.write_str("once"),
            ScheduleKind::Condition(Condition::Expression(condition)) => {
                write!(f, "when {condition}")?;
            }
            ScheduleKind::Condition(_) => f.write_str("on a condition")?,
        }
        match self.max_fires {
            0 => {}
            1 => f.write_str(", at most 1 time")?,
            times => write!(f, ", at most {times} times")?,
        }
        match self.cooldown_turns {
            0 => Ok(()),
            1 => f.write_str(", at least 1 turn apart"),
            turns => write!(f, ", at least {turns} turns apart"),
        }
    }
}
