use std::cell::{Cell, RefCell};
use std::fmt;

use super::words::shortened;

/// Where reading is, and after a fault where it was.
#[derive(Debug, Default)]
pub(super) struct Place {
    steps: RefCell<Vec<Step>>,
    /// The values of which the one that is read has to be one, and how many
    /// steps in it is.
    choices: Cell<(usize, &'static [&'static str])>,
}

#[derive(Debug)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl Place {
    /// Reads something one step further in. Where that fails, the place stays.
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

    /// Reads a value of which these are the choices.
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

    /// The choices for the value that is at fault, where it has such.
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
