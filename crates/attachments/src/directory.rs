use std::borrow::Cow;

use aside_messages::conversation::Part;
use aside_messages::one_line;
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

/// Returns the path as one word for a shell, quoted only if necessary.
fn shell_word(path: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=~".contains(c);
    if !path.is_empty() && !path.starts_with('-') && path.chars().all(is_plain) {
        return path.into();
    }
    format!("'{}'", path.replace('\'', r"'\''")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_only_if_the_shell_needs_it() {
        assert_eq!(shell_word("src/a-b.rs"), "src/a-b.rs");
        assert_eq!(shell_word("a b; rm"), "'a b; rm'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
