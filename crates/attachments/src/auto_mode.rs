//! Auto mode: the model works without asking at every step.

use serde::{Deserialize, Serialize};

use crate::plan_mode::Detail;

/// Auto mode is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoMode {
    /// How long the text is.
    pub detail: Detail,
}

/// Auto mode has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoModeExit {}

/// Sent when the mode begins, and from time to time after that.
const FULL: &str = "\
## Auto Mode Is On
The user wants you to work on your own.

- Start at once. If something is unclear but harmless to decide, decide it sensibly, say so, and \
continue.
- Ask less. Ask only for what the user alone can know and what would be costly to get wrong.
- Complete the task and check it: build it, run the tests, look at the result.
- Follow messages that the user sends while you work at once.
- Working on your own is no permission to destroy. Deleting data, changing what others share, \
publishing, sending or spending anything that the user did not ask for still needs the user's \
approval. So does any way around a refusal.
- Keep secrets where they are: send them only where the user said.";

/// Sent in between.
const SPARSE: &str = "\
Auto mode is still on, as explained before: work on your own, ask only what you cannot sensibly \
decide, and destroy or publish nothing without the user's approval.";

/// Sent when the mode has ended.
const EXIT: &str = "\
## Exited Auto Mode
Auto mode has ended: the user is available again. Ask when something is unclear, and let the \
user choose between alternatives.";

impl AutoMode {
    pub(crate) fn into_draft(self) -> &'static str {
        match self.detail {
            Detail::Full => FULL,
            Detail::Sparse => SPARSE,
        }
    }
}

impl AutoModeExit {
    pub(crate) fn into_draft(self) -> &'static str {
        EXIT
    }
}
