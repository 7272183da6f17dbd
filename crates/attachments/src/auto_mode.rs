//! Auto mode: the model works without asking at every step.

use aside_messages::conversation::EntryDraft;
use serde::{Deserialize, Serialize};

use crate::draft::reminder;
use crate::plan_mode::Detail;

/// Auto mode is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoMode {
    /// The length of the text.
    pub detail: Detail,
}

/// Auto mode has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoModeExit {}

const FULL: &str = "\
## Auto Mode Is On
The user wants you to work on your own.

- Begin at once. Where something is unclear but harmless to decide, decide it sensibly, say so, \
and go on.
- Ask less. Keep questions for what only the user can know and what would be costly to get wrong.
- Finish what was asked for, and check it: build it, run the tests, look at the result.
- What the user says while you work counts at once.
- Being on your own is no leave to destroy. Deleting data, changing what others share, publishing, \
sending or spending anything that the user did not ask for still needs their word. So does a way \
around a refusal.
- Keep secrets where they are: send them nowhere that the user did not name.";

const SPARSE: &str = "\
Auto mode is still on, as explained before: work on your own, ask only what you cannot sensibly \
decide, and destroy or publish nothing without the user's word.";

const EXIT: &str = "\
## Exited Auto Mode
Auto mode has ended: the user is at hand again. Ask when something is unclear, and let them choose \
where there is a choice.";

impl AutoMode {
    pub(crate) fn into_draft(self, kind: &str) -> EntryDraft {
        let body = match self.detail {
            Detail::Full => FULL,
            Detail::Sparse => SPARSE,
        };
        reminder(kind, body)
    }
}

impl AutoModeExit {
    pub(crate) fn into_draft(self, kind: &str) -> EntryDraft {
        reminder(kind, EXIT)
    }
}
