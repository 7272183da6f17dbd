//! Files that are left out, and why.

use std::path::PathBuf;

use aside_diagnostic::{Diagnostic, Kind, Location};
use serde::{Deserialize, Serialize};

use crate::kinds;
use crate::links::path_value;

/// A file that the model does not get, and why.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Skipped {
    /// The path at which it was found.
    #[serde(with = "path_value")]
    pub path: PathBuf,
    /// Why the model does not get it; displays as a short phrase for the user.
    pub reason: SkipReason,
    /// The file that imports it.
    #[serde(with = "path_value::optional")]
    pub parent: Option<PathBuf>,
    /// The import's line, from 1.
    pub line: Option<usize>,
}

/// Why a file is left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// Nothing remains without front matter and comments.
    #[error("empty")]
    Empty,
    /// An exclude matches it.
    #[error("excluded by {pattern}{}", place.iter().map(|it| format!(" in {it}")).collect::<String>())]
    Excluded {
        /// The exclude, as written.
        #[serde(default)]
        pattern: String,
        /// Where the exclude is written, such as a settings file.
        #[serde(default)]
        place: Option<String>,
    },
    /// It belongs to the checkout around this worktree.
    #[error("belongs to the checkout around this worktree")]
    OuterCheckout,
    /// The same file was given under another path.
    #[error("already loaded as {}", path.display())]
    AlreadyLoaded {
        /// The other path.
        #[serde(with = "path_value")]
        path: PathBuf,
    },
    /// The import, or the link, leads out of the project, and the user has not
    /// approved it.
    #[error("outside the project and not approved: {}", target.display())]
    External {
        /// Where it leads, with symbolic links resolved, for the user to
        /// approve.
        #[serde(with = "path_value")]
        target: PathBuf,
    },
    /// It is in a `.git` directory.
    #[error("lies in a .git directory")]
    GitDirectory,
    /// The import is more than four files away from one that was discovered.
    #[error("imported over more than 4 files")]
    TooManyHops,
    /// The import names no file.
    #[error("import names no file")]
    NotFound,
    /// The import names it with punctuation, which Claude Code takes for a part of the path.
    #[error("Claude Code takes the punctuation after the path for a part of it")]
    Punctuation,
    /// The import's file has an ending that Claude Code does not take for text.
    #[error("Claude Code imports no file with this ending")]
    NotTextEnding,
    /// It has more than 4 MiB.
    #[error("{bytes} bytes, more than 4 MiB")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// It has a NUL byte in its first 8 KB.
    #[error("binary")]
    Binary,
    /// It is not UTF-8.
    #[error("not UTF-8 on line {line}")]
    NotUtf8 {
        /// The line with the first invalid byte, from 1.
        line: usize,
    },
    /// It is a directory, a device, a FIFO or a socket.
    #[error("{found}, not a file")]
    NotAFile {
        /// The file's type.
        found: String,
    },
    /// The system refused to read it.
    #[error("unreadable: {error}")]
    Unreadable {
        /// The system's message.
        error: String,
    },
    /// It loads when the agent requests it by its description.
    #[error("loads when the agent asks for it by its description")]
    OnRequest,
    /// It loads when the user names it: it has neither patterns nor a
    /// description.
    #[error("loads when the user names it")]
    Manual,
    /// A limit against hostile trees was reached before it.
    #[error("over the limit of {limit}")]
    OverLimit {
        /// The limit.
        limit: String,
    },
}

impl Skipped {
    /// Returns its diagnostic, located at the import if there is one, else at
    /// the file itself.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let (path, message) = match &self.parent {
            Some(parent) => {
                let shown = self.path.display();
                (parent, format!("import of {shown}: {}", self.reason))
            }
            None => (&self.path, self.reason.to_string()),
        };
        let (_, kind) = self.reason.name_and_kind();
        kind.diagnostic(message).at(Location::new(path).line(self.line))
    }
}

impl SkipReason {
    /// Returns the name in JSON, for example `outer_checkout`.
    pub fn as_str(&self) -> &'static str {
        self.name_and_kind().0
    }

    fn name_and_kind(&self) -> (&'static str, Kind) {
        match self {
            Self::Empty => ("empty", kinds::EMPTY),
            Self::Excluded { .. } => ("excluded", kinds::EXCLUDED),
            Self::OuterCheckout => ("outer_checkout", kinds::OUTER_CHECKOUT),
            Self::AlreadyLoaded { .. } => ("already_loaded", kinds::ALREADY_LOADED),
            Self::External { .. } => ("external", kinds::EXTERNAL),
            Self::GitDirectory => ("git_directory", kinds::GIT_DIRECTORY),
            Self::TooManyHops => ("too_many_hops", kinds::TOO_MANY_HOPS),
            Self::NotFound => ("not_found", kinds::NOT_FOUND),
            Self::Punctuation => ("punctuation", kinds::NOT_FOUND),
            Self::NotTextEnding => ("not_text_ending", kinds::NOT_TEXT_ENDING),
            Self::TooLarge { .. } => ("too_large", kinds::TOO_LARGE),
            Self::Binary => ("binary", kinds::BINARY),
            Self::NotUtf8 { .. } => ("not_utf8", kinds::NOT_UTF8),
            Self::NotAFile { .. } => ("not_a_file", kinds::NOT_A_FILE),
            Self::Unreadable { .. } => ("unreadable", kinds::UNREADABLE),
            Self::OnRequest => ("on_request", kinds::ON_REQUEST),
            Self::Manual => ("manual", kinds::MANUAL),
            Self::OverLimit { .. } => ("over_limit", kinds::OVER_LIMIT),
        }
    }
}
