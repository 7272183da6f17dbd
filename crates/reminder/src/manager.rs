mod slot;
mod snapshot;

pub use slot::ReminderStatus;
pub use snapshot::{Counters, Snapshot};

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::condition::Predicate;
use crate::due::Due;
use crate::moment::Moment;
use crate::reminder::Reminder;
use crate::state::ConversationState;
use slot::Slot;

/// The registered reminders and how often each has fired. You can share it
/// between threads.
///
/// ```
/// use aside_reminder::{ConversationState, Manager, Reminder, Schedule};
///
/// let manager = Manager::new();
/// manager.register(Reminder::new("once", "Read the README.", Schedule::ONESHOT));
///
/// let due = manager.due(&ConversationState::default());
/// assert_eq!(due[0].id, "once");
/// // The request failed, so the reminder is due again.
/// manager.release(due);
///
/// let due = manager.due(&ConversationState::default());
/// manager.commit(due);
/// assert_eq!(manager.due(&ConversationState::default()), []);
/// ```
#[derive(Debug, Default)]
pub struct Manager {
    slots: Mutex<Slots>,
}

/// In registration order. A slot is never removed, so an index remains valid.
#[derive(Debug, Default)]
struct Slots {
    list: Vec<Slot>,
    /// The index for each id. Never iterated, since its order is random.
    by_id: HashMap<String, usize>,
    /// Counters restored before their reminder was registered.
    waiting: BTreeMap<String, Counters>,
    panics: Vec<ConditionPanic>,
}

/// A panic in a condition in code, which counted as false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionPanic {
    /// The id of the reminder.
    pub id: String,
    /// The panic's message.
    pub message: String,
}

/// How many panics to keep until they are taken.
const MAX_PANICS: usize = 64;

impl Manager {
    /// Creates a manager without reminders.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reminder, or replaces the one with the same id in its place.
    /// Counters are kept: to register again fires nothing twice.
    pub fn register(&self, reminder: Reminder) {
        self.lock().register(reminder);
    }

    /// Disables a reminder until it is registered again, and keeps its
    /// counters. Returns false if no reminder has this id.
    pub fn remove(&self, id: &str) -> bool {
        let mut slots = self.lock();
        let slot = slots.find(id);
        slot.map(|slot| slot.reminder.active = false).is_some()
    }

    /// Returns all reminders with their counters, in registration order.
    #[must_use]
    pub fn list(&self) -> Vec<ReminderStatus> {
        self.lock().list.iter().map(Slot::status).collect()
    }

    /// Resets a reminder's counters. Returns false if no reminder has this id.
    pub fn reset(&self, id: &str) -> bool {
        let mut slots = self.lock();
        let was_waiting = slots.waiting.remove(id).is_some();
        slots.find(id).map(Slot::reset).is_some() || was_waiting
    }

    /// Resets all counters.
    pub fn reset_all(&self) {
        let mut slots = self.lock();
        slots.waiting.clear();
        slots.list.iter_mut().for_each(Slot::reset);
    }

    /// Returns the counters, to store with the session. A reserved fire does
    /// not count.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let slots = self.lock();
        let known = slots.list.iter().filter_map(Slot::counters);
        Snapshot { reminders: known.chain(slots.waiting.values().cloned()).collect() }
    }

    /// Restores counters. A reminder missing from the snapshot has never fired;
    /// one registered later gets its counters then.
    pub fn restore(&self, snapshot: Snapshot) {
        let mut slots = self.lock();
        slots.waiting.clear();
        slots.list.iter_mut().for_each(Slot::reset);
        for counters in snapshot.reminders {
            match slots.find(&counters.id) {
                Some(slot) => slot.restore(&counters),
                None => {
                    slots.waiting.insert(counters.id.clone(), counters);
                }
            }
        }
    }

    /// Returns the reminders that fire, and counts them. They are sorted by
    /// ascending priority, then by registration.
    pub fn evaluate(&self, state: &ConversationState<'_>) -> Vec<Due> {
        let mut due = self.due(state);
        self.settle(&mut due, Slot::commit);
        due
    }

    /// Returns the reminders that fire, and reserves them until you pass them
    /// to [`Manager::commit`] or [`Manager::release`].
    pub fn due(&self, state: &ConversationState<'_>) -> Vec<Due> {
        let moment = Moment::of(state);
        let predicates: Vec<_> = {
            let slots = self.lock();
            let slots = slots.list.iter().enumerate();
            slots
                .filter_map(|(index, slot)| Some((index, slot.predicate(moment)?.clone())))
                .collect()
        };
        // Predicates run without the lock, since they may call the manager.
        let results: Vec<_> = predicates
            .into_iter()
            .map(|(index, predicate)| (index, evaluate(&predicate, state), predicate))
            .collect();

        let mut slots = self.lock();
        let mut results = results.into_iter().peekable();
        let mut panics = Vec::new();
        let mut due: Vec<(i32, Due)> = Vec::new();
        for (index, slot) in slots.list.iter_mut().enumerate() {
            let result = results.next_if(|(evaluated, ..)| *evaluated == index);
            let evaluated = result.and_then(|(_, result, predicate)| match result {
                Ok(holds) => Some((holds, predicate)),
                Err(message) => {
                    let id = slot.reminder.id.clone();
                    panics.push(ConditionPanic { id, message });
                    None
                }
            });
            if slot.fires(state, moment, evaluated.as_ref()) {
                due.push((slot.reminder.priority, slot.reserve(moment)));
            }
        }
        slots.panics.extend(panics);
        let surplus = slots.panics.len().saturating_sub(MAX_PANICS);
        slots.panics.drain(..surplus);
        drop(slots);
        due.sort_by_key(|(priority, _)| *priority);
        due.into_iter().map(|(_, due)| due).collect()
    }

    /// Counts reserved reminders: their request was sent.
    pub fn commit(&self, mut due: Vec<Due>) {
        self.settle(&mut due, Slot::commit);
    }

    /// Makes reserved reminders due again: their request was not sent.
    pub fn release(&self, mut due: Vec<Due>) {
        self.settle(&mut due, Slot::release);
    }

    /// Returns the panics in conditions since the last call, the last 64.
    pub fn take_panics(&self) -> Vec<ConditionPanic> {
        std::mem::take(&mut self.lock().panics)
    }

    fn settle(&self, due: &mut [Due], settle: fn(&mut Slot, Moment)) {
        let mut slots = self.lock();
        for due in due {
            let reserved = due.reserved.take();
            if let (Some(moment), Some(slot)) = (reserved, slots.find(&due.id)) {
                settle(slot, moment);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // No foreign code runs under the lock, so no slot is ever left
        // inconsistent.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slots {
    fn find(&mut self, id: &str) -> Option<&mut Slot> {
        self.by_id.get(id).map(|&index| &mut self.list[index])
    }

    fn register(&mut self, reminder: Reminder) {
        if let Some(slot) = self.find(&reminder.id) {
            slot.reminder = reminder;
            return;
        }
        self.by_id.insert(reminder.id.clone(), self.list.len());
        let mut slot = Slot::new(reminder);
        if let Some(counters) = self.waiting.remove(&slot.reminder.id) {
            slot.restore(&counters);
        }
        self.list.push(slot);
    }
}

/// Evaluates a condition in code. A panic is caught; its message is the error.
fn evaluate(predicate: &Predicate, state: &ConversationState<'_>) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| predicate.holds(state))).map_err(|payload| message(&*payload))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message").to_owned()
}
