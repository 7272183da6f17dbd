use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::reminder::Reminder;
use crate::schedule::ConversationState;

/// Knows every reminder and how often it fired. Shared between threads.
#[derive(Debug, Default)]
pub struct Manager {
    slots: Mutex<Vec<Slot>>,
}

#[derive(Debug)]
struct Slot {
    reminder: Reminder,
    fires: u32,
    /// Given out by [`Manager::due`] and not yet committed or released.
    reserved: u32,
}

/// A reminder that fires now.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "what is due is reserved until it is committed or released"]
pub struct Due {
    /// The reminder.
    pub id: String,
    /// What the model reads, between the tags.
    pub content: String,
}

impl Manager {
    /// A manager that knows nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reminder. One of the same id is replaced in its place and keeps
    /// its count, so that registering again fires nothing twice.
    pub fn register(&self, reminder: Reminder) {
        let mut slots = self.lock();
        match slots
            .iter_mut()
            .find(|slot| slot.reminder.id == reminder.id)
        {
            Some(slot) => slot.reminder = reminder,
            None => slots.push(Slot {
                reminder,
                fires: 0,
                reserved: 0,
            }),
        }
    }

    /// The reminders that fire now, by priority ascending and in the order of
    /// registration; they are counted.
    pub fn evaluate(&self, state: &ConversationState) -> Vec<Due> {
        let due = self.due(state);
        self.settle(&due, |slot| slot.fires += 1);
        due
    }

    /// The first of two steps: what fires now is reserved, and counts once it
    /// is given to [`Manager::commit`].
    pub fn due(&self, state: &ConversationState) -> Vec<Due> {
        let mut slots = self.lock();
        let mut due: Vec<&mut Slot> = slots
            .iter_mut()
            .filter(|slot| slot.may_fire() && slot.wants(state))
            .collect();
        due.sort_by_key(|slot| slot.reminder.priority);
        due.into_iter().map(Slot::reserve).collect()
    }

    /// The request that holds these went out.
    pub fn commit(&self, due: Vec<Due>) {
        self.settle(&due, |slot| slot.fires += 1);
    }

    /// It did not: they are due again.
    pub fn release(&self, due: Vec<Due>) {
        self.settle(&due, |_| {});
    }

    fn settle(&self, due: &[Due], count: impl Fn(&mut Slot)) {
        let mut slots = self.lock();
        for due in due {
            if let Some(slot) = slots.iter_mut().find(|slot| slot.reminder.id == due.id) {
                slot.reserved = slot.reserved.saturating_sub(1);
                count(slot);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        // No code of a caller runs under the lock, so a slot is never half changed.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn may_fire(&self) -> bool {
        let used = self.fires.saturating_add(self.reserved);
        // Tags around nothing would tell the model nothing.
        !self.reminder.content.trim().is_empty()
            && self.reminder.active
            && self
                .reminder
                .schedule
                .limit()
                .is_none_or(|limit| used < limit)
    }

    fn wants(&self, state: &ConversationState) -> bool {
        self.reminder.schedule.wants(state)
    }

    fn reserve(&mut self) -> Due {
        self.reserved += 1;
        Due {
            id: self.reminder.id.clone(),
            content: self.reminder.content.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Schedule, ScheduleKind};

    fn reminder(id: &str, schedule: Schedule, priority: i32) -> Reminder {
        Reminder {
            priority,
            ..Reminder::new(id, id, schedule)
        }
    }

    /// Evaluates once for each list of ids that is expected.
    fn check(reminders: &[Reminder], expected: &[&[&str]]) {
        let manager = Manager::new();
        reminders
            .iter()
            .cloned()
            .for_each(|reminder| manager.register(reminder));
        for (turn, expected) in (0..).zip(expected) {
            let fired = manager.evaluate(&ConversationState { turn });
            let ids: Vec<_> = fired.iter().map(|due| due.id.as_str()).collect();
            assert_eq!(&ids, expected, "turn {turn}");
        }
    }

    #[test]
    fn always_fires_every_turn_and_oneshot_once() {
        let often = Schedule {
            max_fires: 5,
            ..Schedule::ONESHOT
        };
        check(
            &[reminder("a", Schedule::ALWAYS, 0), reminder("o", often, 0)],
            &[&["a", "o"], &["a"], &["a"]],
        );
    }

    #[test]
    fn max_fires_holds_for_every_kind() {
        let twice = Schedule {
            kind: ScheduleKind::Always,
            max_fires: 2,
        };
        check(&[reminder("a", twice, 0)], &[&["a"], &["a"], &[]]);
    }

    #[test]
    fn higher_priority_comes_later_and_ties_keep_their_order() {
        check(
            &[
                reminder("high", Schedule::ALWAYS, 5),
                reminder("first", Schedule::ALWAYS, 0),
                reminder("low", Schedule::ALWAYS, -1),
                reminder("second", Schedule::ALWAYS, 0),
            ],
            &[&["low", "first", "second", "high"]],
        );
    }

    #[test]
    fn what_is_reserved_is_not_due_again_until_released() {
        let manager = Manager::new();
        manager.register(reminder("o", Schedule::ONESHOT, 0));
        let state = ConversationState::default();
        let due = manager.due(&state);
        assert_eq!(manager.due(&state), []);
        manager.release(due);
        let due = manager.due(&state);
        assert_eq!(due.len(), 1);
        manager.commit(due);
        assert_eq!(manager.due(&state), []);
    }

    #[test]
    fn a_reminder_without_content_is_never_due() {
        let manager = Manager::new();
        manager.register(Reminder::new("blank", " \n", Schedule::ALWAYS));
        assert_eq!(manager.evaluate(&ConversationState::default()), []);
    }

    #[test]
    fn a_replaced_reminder_keeps_its_count() {
        let manager = Manager::new();
        manager.register(reminder("o", Schedule::ONESHOT, 0));
        assert_eq!(manager.evaluate(&ConversationState::default()).len(), 1);
        manager.register(reminder("o", Schedule::ONESHOT, 3));
        assert_eq!(manager.evaluate(&ConversationState::default()), []);
    }

    #[test]
    fn threads_share_a_limit() {
        let manager = Manager::new();
        manager.register(reminder(
            "a",
            Schedule {
                max_fires: 10,
                ..Schedule::ALWAYS
            },
            0,
        ));
        let fired: usize = std::thread::scope(|scope| {
            let evaluate = || manager.evaluate(&ConversationState::default()).len();
            let threads: Vec<_> = (0..64).map(|_| scope.spawn(evaluate)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .sum()
        });
        assert_eq!(fired, 10);
    }
}
