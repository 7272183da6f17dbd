//! Tracking a value's path in a JSON text, such as `hooks[2].command`.

use std::cell::{Cell, RefCell};
use std::fmt;

use crate::messages::shortened;

/// The current value's path; after a fault, the path of the fault.
#[derive(Debug, Default)]
pub(super) struct Place {
    steps: RefCell<Vec<Step>>,
    /// The allowed names for the current value, and its depth.
    choices: Cell<(usize, &'static [&'static str])>,
}

#[derive(Debug)]
pub(super) enum Step {
    /// An object's key, or a variant's name.
    Key(String),
    /// An item's index, 0-based.
    Index(usize),
}

impl Place {
    /// Reads a value one step further in. On failure, the path stays.
    pub(super) fn within<T, E>(
        &self,
        step: Step,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.steps.borrow_mut().push(step);
        let read = read()?;
        self.steps.borrow_mut().pop();
        Ok(read)
    }

    pub(super) fn choosing<T, E>(
        &self,
        choices: &'static [&'static str],
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let depth = self.steps.borrow().len();
        self.choices.set((depth, choices));
        let read = read()?;
        self.choices.set((0, &[]));
        Ok(read)
    }

    /// Returns the allowed names for the faulty value, if any.
    pub(super) fn choices(&self) -> &'static [&'static str] {
        match self.choices.get() {
            (depth, choices) if depth == self.steps.borrow().len() => choices,
            _ => &[],
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.steps.borrow().iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if depth == 0 => f.write_str(&shortened(key))?,
                Step::Key(key) => write!(f, ".{}", shortened(key))?,
            }
        }
        Ok(())
    }
}
