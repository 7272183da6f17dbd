use aside_messages::one_line;
use serde::{Deserialize, Serialize};

/// The active output style. Its guidelines are in the system prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OutputStyle {
    /// The style's name.
    pub name: String,
}

impl OutputStyle {
    pub(crate) fn into_draft(self) -> String {
        let name = one_line(&self.name);
        format!(
            "{name} output style is active. Remember to follow its guidelines, which are in the \
             system prompt."
        )
    }
}
