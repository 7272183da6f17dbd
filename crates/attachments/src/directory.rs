use std::borrow::Cow;

use aside_messages::conversation::Part;
use aside_messages::one_line;
use aside_text::shell_word;
use serde::{Deserialize, Serialize};

use crate::draft::simulated_call;
use crate::truncate::left_out;

const MAX_ENTRIES: usize = 1_000;

/// A directory that the user mentioned, with up to 1,000 of its entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// The directory's path.
    pub path: String,
    /// The names of its entries, in the order to list them.
    pub entries: Vec<String>,
}

#[derive(Serialize)]
struct BashInput {
    command: String,
}

impl Directory {
    pub(crate) fn into_draft(self) -> Vec<Part> {
        let mut lines: Vec<Cow<'_, str>> =
            self.entries.iter().take(MAX_ENTRIES).map(|name| one_line(name)).collect();
        let more = self.entries.len() - lines.len();
        if self.entries.is_empty() {
            lines.push("(The directory is empty.)".into());
        }
        if more > 0 {
            lines.push(format!("[… {}]", left_out(more, "entry", "entries")).into());
        }
        let input = BashInput { command: format!("ls {}", shell_word(&self.path)) };
        simulated_call("Bash", &input, &lines.join("\n"), Vec::new())
    }
}
