use crate::plan_mode::Detail;

/// How many user turns to wait between two reminders of a mode.
const TURNS_BETWEEN_REMINDERS: u64 = 5;

/// Every fifth reminder has the full instructions.
const FULL_EVERY: u64 = 5;

/// What the model has been sent about a mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModeState {
    /// True from the mode's first reminder to the note that it ended.
    is_on: bool,
    /// True if the mode's end was ever sent.
    has_ended: bool,
    /// How many reminders were sent since the mode was entered, or since a
    /// compaction.
    reminders: u64,
    /// How many user turns passed since the last reminder.
    turns: u64,
}

impl ModeState {
    pub(super) fn record_reminder(&mut self) {
        self.is_on = true;
        self.reminders += 1;
        self.turns = 0;
    }

    pub(super) fn record_exit(&mut self) {
        *self = Self { has_ended: true, ..Self::default() };
    }

    pub(super) fn record_user_turn(&mut self) {
        self.turns += 1;
    }

    /// The reminders are no longer in the context, but the mode continues.
    pub(super) fn compact(&mut self) {
        self.reminders = 0;
        self.turns = 0;
    }

    /// Returns how long a reminder is due while the mode is on.
    pub(super) fn due(&self) -> Option<Detail> {
        if self.reminders > 0 && self.turns < TURNS_BETWEEN_REMINDERS {
            return None;
        }
        let is_full = self.reminders.is_multiple_of(FULL_EVERY);
        Some(if is_full { Detail::Full } else { Detail::Sparse })
    }

    /// Returns true if the mode's end is due while the mode is off.
    pub(super) fn exit_is_due(&self) -> bool {
        self.is_on
    }

    /// Returns true if the mode was on before and has ended.
    pub(super) fn is_reentered(&self) -> bool {
        self.has_ended && !self.is_on
    }
}
