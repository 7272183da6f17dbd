//! One registered reminder, and how often it fired.
//!
//! A fire is reserved when a request is prepared, and committed or released
//! when the request was sent or dropped. Overlapping requests therefore never
//! fire a one-shot reminder twice.

use super::snapshot::Counters;
use crate::condition::{Condition, Predicate};
use crate::due::Due;
use crate::moment::Moment;
use crate::reminder::Reminder;
use crate::schedule::ScheduleKind;
use crate::state::ConversationState;

/// A registered reminder with its counters.
#[derive(Clone, Debug, PartialEq)]
pub struct ReminderStatus {
    /// The reminder as registered.
    pub reminder: Reminder,
    /// How often it has fired.
    pub fires: u32,
    /// When it last fired.
    pub last_fire: Option<Moment>,
    /// True if it may fire again: it is switched on and below its limit.
    pub active: bool,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) reminder: Reminder,
    /// Committed fires.
    fires: u32,
    last_fire: Option<Moment>,
    /// Fires that are neither committed nor released yet.
    reserved: u32,
    /// When the last of these was reserved.
    last_reserved: Option<Moment>,
}

impl Slot {
    pub(super) fn new(reminder: Reminder) -> Self {
        Self { reminder, fires: 0, last_fire: None, reserved: 0, last_reserved: None }
    }

    /// Returns the condition in code, if it alone decides whether the reminder
    /// fires.
    pub(super) fn predicate(&self, now: Moment) -> Option<&Predicate> {
        match &self.reminder.schedule.kind {
            ScheduleKind::Condition(Condition::Code(predicate)) if self.may_fire(now) => {
                Some(predicate)
            }
            _ => None,
        }
    }

    /// Returns true if the reminder fires. `evaluated` is what its condition in
    /// code returned, with that condition: another may have replaced it since.
    pub(super) fn fires(
        &self,
        state: &ConversationState<'_>,
        now: Moment,
        evaluated: Option<&(bool, Predicate)>,
    ) -> bool {
        let holds = |condition: &Condition| match condition {
            Condition::Expression(expression) => expression.holds(state),
            Condition::Code(predicate) => {
                evaluated.is_some_and(|(holds, evaluated)| *holds && evaluated == predicate)
            }
        };
        let kind = &self.reminder.schedule.kind;
        self.may_fire(now) && kind.fires(now, self.last(), holds)
    }

    /// Checks everything except the conversation.
    fn may_fire(&self, now: Moment) -> bool {
        let used = self.fires.saturating_add(self.reserved);
        let limit = self.reminder.schedule.limit();
        let cooldown = self.reminder.schedule.cooldown_turns;
        !self.reminder.is_blank()
            && self.reminder.active
            && limit.is_none_or(|limit| used < limit)
            && self.last().is_none_or(|last| now.turn.saturating_sub(last.turn) >= cooldown)
    }

    /// Includes reserved fires.
    fn last(&self) -> Option<Moment> {
        self.last_reserved.or(self.last_fire)
    }

    /// Reserves a fire, and returns the reminder for the request.
    pub(super) fn reserve(&mut self, now: Moment) -> Due {
        self.reserved = self.reserved.saturating_add(1);
        self.last_reserved = Some(now);
        Due { reserved: Some(now), ..Due::from(&self.reminder) }
    }

    pub(super) fn commit(&mut self, at: Moment) {
        self.release(at);
        self.fires = self.fires.saturating_add(1);
        // Requests may complete in another order than they were sent.
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

    /// Reservations remain until they are settled.
    pub(super) fn reset(&mut self) {
        self.fires = 0;
        self.last_fire = None;
    }

    /// Returns the reminder with its counters, without reserved fires.
    pub(super) fn status(&self) -> ReminderStatus {
        let limit = self.reminder.schedule.limit();
        ReminderStatus {
            reminder: self.reminder.clone(),
            fires: self.fires,
            last_fire: self.last_fire,
            active: self.reminder.active && limit.is_none_or(|limit| self.fires < limit),
        }
    }

    /// `None` if the reminder never fired.
    pub(super) fn counters(&self) -> Option<Counters> {
        (self.fires > 0).then(|| Counters {
            id: self.reminder.id.clone(),
            fires: self.fires,
            last_fire: self.last_fire,
        })
    }

    /// Continues an earlier session's counters.
    pub(super) fn restore(&mut self, counters: &Counters) {
        self.fires = counters.fires;
        self.last_fire = counters.last_fire;
    }
}
