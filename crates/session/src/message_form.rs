use aside_messages::lower::LowerOptions;
use serde::{Deserialize, Serialize};

/// The lowering options that decide every message's bytes. Another form is
/// another prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageForm {
    /// [`LowerOptions::smoosh_reminders`].
    pub smoosh_reminders: bool,
    /// [`LowerOptions::neutralize`].
    pub neutralize: bool,
    /// [`LowerOptions::tag_ids`].
    pub tag_ids: bool,
}

impl MessageForm {
    pub(crate) fn of(options: &LowerOptions) -> Self {
        Self {
            smoosh_reminders: options.smoosh_reminders,
            neutralize: options.neutralize,
            tag_ids: options.tag_ids,
        }
    }
}
