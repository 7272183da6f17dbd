use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::snapshot::Counters;
use crate::condition::{Condition, Predicate};
use crate::due::Due;
use crate::reminder::Reminder;
use crate::schedule::ScheduleKind;
use crate::state::ConversationState;

/// A moment of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// The turn, from 0.
    pub turn: u64,
    /// The session's clock, in milliseconds.
    pub elapsed_ms: u64,
}

/// A reminder as [`Manager::list`](super::Manager::list) shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The reminder, as it was registered.
    pub reminder: Reminder,
    /// How often it fired.
    pub fires: u32,
    /// When it last did.
    pub last_fire: Option<Moment>,
    /// Whether it may fire again: it is switched on, and its limit is not
    /// reached.
    pub active: bool,
}

/// A reminder and its counters.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) reminder: Reminder,
    fires: u32,
    last_fire: Option<Moment>,
    /// Given out, and not yet committed or released.
    reserved: u32,
    /// When the last of these was.
    last_reserved: Option<Moment>,
}

impl Moment {
    pub(super) fn of(state: &ConversationState<'_>) -> Self {
        Self {
            turn: state.turn,
            elapsed_ms: u64::try_from(state.elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Slot {
    pub(super) fn new(reminder: Reminder) -> Self {
        Self {
            reminder,
            fires: 0,
            last_fire: None,
            reserved: 0,
            last_reserved: None,
        }
    }

    /// The condition in code, where it depends on that alone whether it fires.
    pub(super) fn predicate(&self, now: Moment) -> Option<&Predicate> {
        match &self.reminder.schedule.kind {
            ScheduleKind::Condition(Condition::Code(predicate)) if self.may_fire(now) => {
                Some(predicate)
            }
            _ => None,
        }
    }

    /// Whether it fires now. `code` is what its condition in code said: that
    /// condition, for it may have been replaced while it was asked.
    pub(super) fn fires(
        &self,
        state: &ConversationState<'_>,
        now: Moment,
        code: Option<&(bool, Predicate)>,
    ) -> bool {
        self.may_fire(now)
            && match &self.reminder.schedule.kind {
                ScheduleKind::Always | ScheduleKind::Oneshot => true,
                ScheduleKind::Turn { interval } => state.turn.is_multiple_of((*interval).max(1)),
                ScheduleKind::Timer { interval } => self.is_elapsed(*interval, now),
                ScheduleKind::Condition(Condition::Expression(expression)) => {
                    expression.holds(state)
                }
                ScheduleKind::Condition(Condition::Code(predicate)) => {
                    code.is_some_and(|(holds, asked)| *holds && asked == predicate)
                }
            }
    }

    /// What does not depend on the conversation.
    fn may_fire(&self, now: Moment) -> bool {
        let used = self.fires.saturating_add(self.reserved);
        let limit = self.reminder.schedule.limit();
        let cooldown = self.reminder.schedule.cooldown_turns;
        // Tags around nothing would tell the model nothing.
        !self.reminder.is_blank()
            && self.reminder.active
            && limit.is_none_or(|limit| used < limit)
            && self
                .last()
                .is_none_or(|last| now.turn.saturating_sub(last.turn) >= cooldown)
    }

    fn is_elapsed(&self, interval: Duration, now: Moment) -> bool {
        self.last().is_none_or(|last| {
            let passed = now.elapsed_ms.saturating_sub(last.elapsed_ms);
            Duration::from_millis(passed) >= interval
        })
    }

    /// When it last fired, or is about to.
    fn last(&self) -> Option<Moment> {
        self.last_reserved.or(self.last_fire)
    }

    pub(super) fn reserve(&mut self, now: Moment) -> Due {
        self.reserved = self.reserved.saturating_add(1);
        self.last_reserved = Some(now);
        Due {
            reserved: Some(now),
            ..Due::from(&self.reminder)
        }
    }

    pub(super) fn commit(&mut self, at: Moment) {
        self.release(at);
        self.fires = self.fires.saturating_add(1);
        // Two requests may come back in another order than they went.
        if self.last_fire.is_none_or(|last| last.turn <= at.turn) {
            self.last_fire = Some(at);
        }
    }

    pub(super) fn release(&mut self, _: Moment) {
        self.reserved = self.reserved.saturating_sub(1);
        if self.reserved == 0 {
            self.last_reserved = None;
        }
    }

    /// What is reserved stays so: it will be settled.
    pub(super) fn reset(&mut self) {
        self.fires = 0;
        self.last_fire = None;
    }

    pub(super) fn listed(&self) -> Listed {
        let limit = self.reminder.schedule.limit();
        Listed {
            reminder: self.reminder.clone(),
            fires: self.fires,
            last_fire: self.last_fire,
            active: self.reminder.active && limit.is_none_or(|limit| self.fires < limit),
        }
    }

    /// `None` where it never fired.
    pub(super) fn counters(&self) -> Option<Counters> {
        (self.fires > 0).then(|| Counters {
            id: self.reminder.id.clone(),
            fires: self.fires,
            last_fire: self.last_fire,
        })
    }

    pub(super) fn restore(&mut self, counters: &Counters) {
        self.fires = counters.fires;
        self.last_fire = counters.last_fire;
    }
}
