use std::cell::Cell;

/// How many steps to take on one document. A step is a token, or 16 bytes of a
/// long one.
const MAX_STEPS: u64 = 32 * 1024 * 1024;
/// For all streams in one document together.
const MAX_INFLATED_BYTES: usize = 64 * 1024 * 1024;

/// What may still be spent on one document.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<u64>,
    inflated: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: Cell::new(MAX_STEPS), inflated: Cell::new(MAX_INFLATED_BYTES) }
    }
}

impl Budget {
    /// Takes the steps for this many bytes. Returns false if too few are left.
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

    /// Returns how many bytes may still be decompressed.
    pub(super) fn inflatable(&self) -> usize {
        self.inflated.get()
    }

    pub(super) fn inflate(&self, bytes: usize) {
        self.inflated.set(self.inflated.get().saturating_sub(bytes));
    }
}
