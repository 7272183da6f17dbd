//! One section's cached value.
//!
//! ```text
//! Empty ──get──> Started ──polled to the end──> the value, kept if the section is cached
//!   ^               │
//!   └──── clear ────┘ (callers that wait get the old value)
//! ```

use std::any::Any;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, ready};

use crate::product::StaticInputs;
use crate::resolved::Value;
use crate::section::{Compute, Section, SectionCaching};

/// A computation that all callers wait for.
type Computation = Shared<BoxFuture<'static, Value>>;

/// One section's state: empty, a running computation, or its value.
///
/// The computation is shared: all callers wait for the same one, and it
/// continues if the first caller stops waiting.
#[derive(Default)]
pub(crate) struct Slot {
    /// Never held while a section's code runs.
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    /// Nothing was computed, or the value was discarded.
    #[default]
    Empty,
    /// A computation started here. It holds its value once it has ended.
    Started(Computation),
    /// A restored value.
    Known(Value),
}

/// What a state has to use.
enum Kept<'a> {
    Value(&'a Value),
    Running(&'a Computation),
}

impl Slot {
    /// Joins a running computation, returns the known value, or starts a
    /// computation.
    ///
    /// Nothing runs until the result is polled.
    pub(crate) fn get(
        &self,
        section: &Section,
        inputs: &StaticInputs,
    ) -> BoxFuture<'static, Value> {
        self.get_new(section, inputs, None).expect("nothing is known")
    }

    /// Does the same, but returns `None` if there is a value and it equals `known`.
    pub(crate) fn get_new(
        &self,
        section: &Section,
        inputs: &StaticInputs,
        known: Option<&Value>,
    ) -> Option<BoxFuture<'static, Value>> {
        let mut state = self.lock();
        match state.kept(&section.caching) {
            Some(Kept::Value(value)) if Some(value) == known => return None,
            Some(Kept::Value(value)) => return Some(ready(value.clone()).boxed()),
            Some(Kept::Running(computation)) => return Some(computation.clone().boxed()),
            None => {}
        }
        let computation = start(section.compute.clone(), *inputs);
        let before = mem::replace(&mut *state, State::Started(computation.clone()));
        drop(state);
        // To drop a computation may run a destructor that is not ours, so not
        // under the lock.
        drop(before);
        Some(computation.boxed())
    }

    /// Discards the value. Callers that wait for a running computation still
    /// get its value; later callers get a new one.
    pub(crate) fn clear(&self) {
        self.set(State::Empty);
    }

    /// Sets a value from an earlier session.
    pub(crate) fn restore(&self, value: Value) {
        self.set(State::Known(value));
    }

    /// Replaces the state, and drops the earlier one outside the lock.
    fn set(&self, state: State) {
        let before = mem::replace(&mut *self.lock(), state);
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No foreign code runs while the lock is held, and every state is
        // complete.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the value or the running computation to use, or `None` to start
    /// a new one.
    fn kept(&self, caching: &SectionCaching) -> Option<Kept<'_>> {
        let value = match self {
            Self::Empty => return None,
            Self::Known(value) => value,
            Self::Started(computation) => {
                // Counted before polling: if nothing else holds the
                // computation, it cannot end any more.
                let alone = computation.strong_count() == Some(1);
                match computation.peek() {
                    Some(value) => value,
                    // Everybody who waited for it is gone. Its runtime may be
                    // gone as well, and an uncached section would get an
                    // earlier turn's value.
                    None if alone => return None,
                    None => return Some(Kept::Running(computation)),
                }
            }
        };
        // An uncached section keeps a failure too: a section that comes back
        // would move everything after it.
        let keep = !matches!(caching, SectionCaching::Uncached { .. })
            || matches!(value, Value::Failed(_) | Value::Panicked(_));
        keep.then_some(Kept::Value(value))
    }
}

/// Starts a computation that never panics: an error and a panic are values,
/// too.
fn start(compute: Compute, inputs: StaticInputs) -> Computation {
    let run = async move {
        match compute(&inputs).await {
            Ok(text) => Value::of(text),
            Err(error) => Value::Failed(error.to_string()),
        }
    };
    AssertUnwindSafe(run)
        .catch_unwind()
        .map(|outcome| outcome.unwrap_or_else(|panic| Value::Panicked(panic_message(&*panic))))
        .boxed()
        .shared()
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
        .to_owned()
}
