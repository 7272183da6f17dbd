use crate::plan_mode::Detail;

/// So many turns of the human pass between two reminders of a mode.
const TURNS_BETWEEN: u64 = 5;

/// One reminder in so many says everything.
const FULL_EVERY: u64 = 5;

/// What the model was told of a mode that it can be in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModeState {
    /// Whether it was told that the mode is on, and not that it ended.
    is_on: bool,
    /// Whether it was told that the mode had ended, at some time.
    has_ended: bool,
    /// How often it was told since the mode was entered, or since a
    /// compaction took that away.
    told: u64,
    /// Turns of the human since it was told last.
    turns: u64,
}

impl ModeState {
    pub(super) fn tell(&mut self) {
        self.is_on = true;
        self.told += 1;
        self.turns = 0;
    }

    pub(super) fn tell_end(&mut self) {
        *self = Self {
            has_ended: true,
            ..Self::default()
        };
    }

    pub(super) fn human_turn(&mut self) {
        self.turns += 1;
    }

    /// What was told is gone, but the mode goes on.
    pub(super) fn compact(&mut self) {
        self.told = 0;
        self.turns = 0;
    }

    /// How much is to be said of a mode that is on, if anything is.
    pub(super) fn due(&self) -> Option<Detail> {
        if self.told > 0 && self.turns < TURNS_BETWEEN {
            return None;
        }
        let is_full = self.told.is_multiple_of(FULL_EVERY);
        Some(if is_full {
            Detail::Full
        } else {
            Detail::Sparse
        })
    }

    /// Whether a mode that is off has to be told to have ended.
    pub(super) fn end_is_due(&self) -> bool {
        self.is_on
    }

    /// Whether a mode that is on now was on before, and ended.
    pub(super) fn is_reentered(&self) -> bool {
        self.has_ended && !self.is_on
    }
}
