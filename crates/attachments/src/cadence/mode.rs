use crate::plan_mode::Detail;

/// The number of user turns between two reminders of a mode.
const TURNS_BETWEEN_REMINDERS: u64 = 5;

/// Every fifth reminder has the full instructions.
const FULL_EVERY: u64 = 5;

/// The messages about a mode of the session that the model has received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModeState {
    /// True from the first reminder of the mode to that of its end.
    is_on: bool,
    /// True if the end of the mode was ever sent.
    has_ended: bool,
    /// The number of reminders since the mode was entered, or since a
    /// compaction.
    reminders: u64,
    /// The number of user turns since the last reminder.
    turns: u64,
}

impl ModeState {
    pub(super) fn record_reminder(&mut self) {
        self.is_on = true;
        self.reminders += 1;
        self.turns = 0;
    }

    pub(super) fn record_exit(&mut self) {
        *self = Self {
            has_ended: true,
            ..Self::default()
        };
    }

    pub(super) fn record_user_turn(&mut self) {
        self.turns += 1;
    }

    /// The reminders are no longer in the context, but the mode continues.
    pub(super) fn compact(&mut self) {
        self.reminders = 0;
        self.turns = 0;
    }

    /// Returns the length of the reminder that is due while the mode is on.
    pub(super) fn due(&self) -> Option<Detail> {
        if self.reminders > 0 && self.turns < TURNS_BETWEEN_REMINDERS {
            return None;
        }
        let is_full = self.reminders.is_multiple_of(FULL_EVERY);
        Some(if is_full {
            Detail::Full
        } else {
            Detail::Sparse
        })
    }

    /// Returns true if the end of the mode is due while the mode is off.
    pub(super) fn exit_is_due(&self) -> bool {
        self.is_on
    }

    /// Returns true if the mode was on before and has ended.
    pub(super) fn is_reentered(&self) -> bool {
        self.has_ended && !self.is_on
    }
}
