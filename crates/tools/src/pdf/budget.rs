use std::cell::Cell;

/// The maximum number of steps of work on one document. A step is a token, or 16
/// bytes of a long one.
const MAX_STEPS: u64 = 32 * 1024 * 1024;
/// The maximum size of all decompressed streams of one document, in bytes.
const MAX_INFLATED_BYTES: usize = 64 * 1024 * 1024;

/// The remaining work on one document.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<u64>,
    inflated: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(MAX_STEPS),
            inflated: Cell::new(MAX_INFLATED_BYTES),
        }
    }
}

impl Budget {
    /// Takes the steps for so many bytes. Returns false if too few are left.
    pub(super) fn read(&self, bytes: usize) -> bool {
        let steps = 1 + bytes as u64 / 16;
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Returns true if no steps are left.
    pub(super) fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// Returns the number of bytes that may still be decompressed.
    pub(super) fn inflatable(&self) -> usize {
        self.inflated.get()
    }

    /// Takes decompressed bytes.
    pub(super) fn inflate(&self, bytes: usize) {
        self.inflated.set(self.inflated.get().saturating_sub(bytes));
    }
}
