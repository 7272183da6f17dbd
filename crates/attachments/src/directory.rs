use std::borrow::Cow;

use aside_messages::conversation::EntryDraft;
use aside_messages::one_line;
use serde::{Deserialize, Serialize};

use crate::draft::simulated;
use crate::left_out::left_out;

/// The most entries of a directory that are listed.
pub const DIRECTORY_ENTRIES: usize = 1_000;

/// A directory that the user referred to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// The directory.
    pub path: String,
    /// The names in it, in the order in which they are to be listed.
    pub entries: Vec<String>,
}

/// The input of the Bash tool.
#[derive(Serialize)]
struct BashInput {
    command: String,
}

impl Directory {
    pub(crate) fn entry(self, kind: &str) -> EntryDraft {
        let mut lines: Vec<Cow<'_, str>> = self
            .entries
            .iter()
            .take(DIRECTORY_ENTRIES)
            .map(|name| one_line(name))
            .collect();
        let more = self.entries.len() - lines.len();
        if self.entries.is_empty() {
            lines.push("(The directory is empty.)".into());
        }
        if more > 0 {
            lines.push(format!("[… {}]", left_out(more, "entry", "entries")).into());
        }
        let input = BashInput {
            command: format!("ls {}", shell_word(&self.path)),
        };
        simulated(kind, "Bash", &input, &lines.join("\n"), Vec::new())
    }
}

/// The path as one word of a shell command, quoted only where it has to be.
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
    fn only_strange_paths_are_quoted() {
        assert_eq!(shell_word("src/a-b.rs"), "src/a-b.rs");
        assert_eq!(shell_word("a b; rm"), "'a b; rm'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
