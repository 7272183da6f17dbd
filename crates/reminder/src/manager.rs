//! Who is due, and who has been.

mod slot;
mod snapshot;

pub use slot::{Listed, Moment};
pub use snapshot::{Counters, Snapshot};

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::condition::Predicate;
use crate::due::Due;
use crate::reminder::Reminder;
use crate::state::ConversationState;
use slot::Slot;

/// Knows every reminder and how often it fired. Shared between threads.
#[derive(Debug, Default)]
pub struct Manager {
    slots: Mutex<Slots>,
}

/// In the order of registration. A slot is never removed, so an index stays.
#[derive(Debug, Default)]
struct Slots {
    list: Vec<Slot>,
    /// The index of every id. Never iterated: its order is nobody's.
    by_id: HashMap<String, usize>,
    /// Counters that were restored before their reminder was registered.
    waiting: BTreeMap<String, Counters>,
    faults: Vec<ConditionFault>,
}

/// A condition in code that panicked: it counted as false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionFault {
    /// The reminder.
    pub id: String,
    /// What the panic said.
    pub message: String,
}

/// At most so many faults wait for somebody who asks.
const MAX_FAULTS: usize = 64;

impl Manager {
    /// A manager that knows nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reminder. One of the same id is replaced in its place and keeps
    /// its count and the time of its last fire, so that registering again
    /// fires nothing twice.
    pub fn register(&self, reminder: Reminder) {
        self.lock().register(reminder);
    }

    /// Switches a reminder off, until it is registered again; its counters
    /// stay. Whether there is one of this id.
    pub fn remove(&self, id: &str) -> bool {
        let mut slots = self.lock();
        let slot = slots.find(id);
        slot.map(|slot| slot.reminder.active = false).is_some()
    }

    /// Every reminder with its counters, in the order of registration.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        self.lock().list.iter().map(Slot::listed).collect()
    }

    /// Forgets that a reminder ever fired. Whether there is one of this id.
    pub fn reset(&self, id: &str) -> bool {
        let mut slots = self.lock();
        let waited = slots.waiting.remove(id).is_some();
        slots.find(id).map(Slot::reset).is_some() || waited
    }

    /// Forgets that anything ever fired.
    pub fn reset_all(&self) {
        let mut slots = self.lock();
        slots.waiting.clear();
        slots.list.iter_mut().for_each(Slot::reset);
    }

    /// The counters, to be kept with the session. What is reserved has not
    /// fired.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let slots = self.lock();
        let known = slots.list.iter().filter_map(Slot::counters);
        Snapshot {
            reminders: known.chain(slots.waiting.values().cloned()).collect(),
        }
    }

    /// Puts counters back; whatever is not in the snapshot never fired. What
    /// is registered only later finds its counters then.
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

    /// The reminders that fire now, by priority ascending and in the order of
    /// registration; they are counted.
    pub fn evaluate(&self, state: &ConversationState<'_>) -> Vec<Due> {
        let mut due = self.due(state);
        self.settle(&mut due, Slot::commit);
        due
    }

    /// The first of two steps: what fires now is reserved, and counts once it
    /// is given to [`Manager::commit`].
    pub fn due(&self, state: &ConversationState<'_>) -> Vec<Due> {
        let moment = Moment::of(state);
        let asked: Vec<_> = {
            let slots = self.lock();
            let slots = slots.list.iter().enumerate();
            slots
                .filter_map(|(index, slot)| Some((index, slot.predicate(moment)?.clone())))
                .collect()
        };
        // Code of a caller runs while nothing is locked: it may come back.
        let answers: Vec<_> = asked
            .into_iter()
            .map(|(index, predicate)| (index, ask(&predicate, state), predicate))
            .collect();

        let mut slots = self.lock();
        let mut answers = answers.into_iter().peekable();
        let mut faults = Vec::new();
        let mut due: Vec<(i32, Due)> = Vec::new();
        for (index, slot) in slots.list.iter_mut().enumerate() {
            let answer = answers.next_if(|(asked, ..)| *asked == index);
            let code = answer.and_then(|(_, answer, predicate)| match answer {
                Ok(holds) => Some((holds, predicate)),
                Err(message) => {
                    let id = slot.reminder.id.clone();
                    faults.push(ConditionFault { id, message });
                    None
                }
            });
            if slot.fires(state, moment, code.as_ref()) {
                due.push((slot.reminder.priority, slot.reserve(moment)));
            }
        }
        slots.faults.extend(faults);
        let surplus = slots.faults.len().saturating_sub(MAX_FAULTS);
        slots.faults.drain(..surplus);
        drop(slots);
        due.sort_by_key(|(priority, _)| *priority);
        due.into_iter().map(|(_, due)| due).collect()
    }

    /// The request that holds these went out.
    pub fn commit(&self, mut due: Vec<Due>) {
        self.settle(&mut due, Slot::commit);
    }

    /// It did not: they are due again.
    pub fn release(&self, mut due: Vec<Due>) {
        self.settle(&mut due, Slot::release);
    }

    /// The conditions that panicked since this was last asked: the latest 64.
    pub fn take_faults(&self) -> Vec<ConditionFault> {
        std::mem::take(&mut self.lock().faults)
    }

    fn settle(&self, due: &mut [Due], how: fn(&mut Slot, Moment)) {
        let mut slots = self.lock();
        for due in due {
            let reserved = due.reserved.take();
            if let (Some(moment), Some(slot)) = (reserved, slots.find(&due.id)) {
                how(slot, moment);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        // No code of a caller runs under the lock, so a slot is never half changed.
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

/// Asks a condition in code. A panic is caught; what it said is the error.
fn ask(predicate: &Predicate, state: &ConversationState<'_>) -> Result<bool, String> {
    catch_unwind(AssertUnwindSafe(|| predicate.holds(state))).map_err(|payload| said(&*payload))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it did not say why").to_owned()
}
