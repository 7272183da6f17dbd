//! Files that are left out, and why.

use std::fmt;
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// Nothing remains without front matter and comments.
    Empty,
    /// An exclude matches it.
    Excluded {
        /// The exclude, as written.
        #[serde(default)]
        pattern: String,
        /// Where the exclude is written, such as a settings file.
        #[serde(default)]
        place: Option<String>,
    },
    /// It belongs to the checkout around this worktree.
    OuterCheckout,
    /// The same file was given under another path.
    AlreadyLoaded {
        /// The other path.
        #[serde(with = "path_value")]
        path: PathBuf,
    },
    /// The import, or the link, leads out of the project, and the user has not
    /// approved it.
    External {
        /// Where it leads, with symbolic links resolved, for the user to
        /// approve.
        #[serde(with = "path_value")]
        target: PathBuf,
    },
    /// It is in a `.git` directory.
    GitDirectory,
    /// The import is more than four files away from one that was discovered.
    TooManyHops,
    /// The import names no file.
    NotFound,
    /// It has more than 4 MiB.
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// It has a NUL byte in its first 8 KB.
    Binary,
    /// It is not UTF-8.
    NotUtf8 {
        /// The line with the first invalid byte, from 1.
        line: usize,
    },
    /// It is a directory, a device, a FIFO or a socket.
    NotAFile {
        /// The file's type.
        found: String,
    },
    /// The system refused to read it.
    Unreadable {
        /// The system's message.
        error: String,
    },
    /// It loads when the agent requests it by its description.
    OnRequest,
    /// It loads when the user names it: it has neither patterns nor a
    /// description.
    Manual,
    /// A limit against hostile trees was reached before it.
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
        let kind = self.reason.kind();
        kind.diagnostic(message).at(Location::new(path).line(self.line))
    }
}

impl SkipReason {
    /// Returns the name in JSON, for example `outer_checkout`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Excluded { .. } => "excluded",
            Self::OuterCheckout => "outer_checkout",
            Self::AlreadyLoaded { .. } => "already_loaded",
            Self::External { .. } => "external",
            Self::GitDirectory => "git_directory",
            Self::TooManyHops => "too_many_hops",
            Self::NotFound => "not_found",
            Self::TooLarge { .. } => "too_large",
            Self::Binary => "binary",
            Self::NotUtf8 { .. } => "not_utf8",
            Self::NotAFile { .. } => "not_a_file",
            Self::Unreadable { .. } => "unreadable",
            Self::OnRequest => "on_request",
            Self::Manual => "manual",
            Self::OverLimit { .. } => "over_limit",
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Empty => kinds::EMPTY,
            Self::Excluded { .. } => kinds::EXCLUDED,
            Self::OuterCheckout => kinds::OUTER_CHECKOUT,
            Self::OnRequest => kinds::ON_REQUEST,
            Self::Manual => kinds::MANUAL,
            Self::AlreadyLoaded { .. } => kinds::ALREADY_LOADED,
            Self::External { .. } => kinds::EXTERNAL,
            Self::GitDirectory => kinds::GIT_DIRECTORY,
            Self::TooManyHops => kinds::TOO_MANY_HOPS,
            Self::NotFound => kinds::NOT_FOUND,
            Self::TooLarge { .. } => kinds::TOO_LARGE,
            Self::Binary => kinds::BINARY,
            Self::NotUtf8 { .. } => kinds::NOT_UTF8,
            Self::NotAFile { .. } => kinds::NOT_A_FILE,
            Self::Unreadable { .. } => kinds::UNREADABLE,
            Self::OverLimit { .. } => kinds::OVER_LIMIT,
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("empty"),
            Self::Excluded { pattern, place } => {
                write!(f, "excluded by {pattern}")?;
                match place {
                    Some(place) => write!(f, " in {place}"),
                    None => Ok(()),
                }
            }
            Self::OuterCheckout => f.write_str("belongs to the checkout around this worktree"),
            Self::AlreadyLoaded { path } => write!(f, "already loaded as {}", path.display()),
            Self::External { target } => {
                write!(f, "outside the project and not approved: {}", target.display())
            }
            Self::GitDirectory => f.write_str("lies in a .git directory"),
            Self::TooManyHops => f.write_str("imported over more than 4 files"),
            Self::NotFound => f.write_str("import names no file"),
            Self::TooLarge { bytes } => write!(f, "{bytes} bytes, more than 4 MiB"),
            Self::Binary => f.write_str("binary"),
            Self::NotUtf8 { line } => write!(f, "not UTF-8 on line {line}"),
            Self::NotAFile { found } => write!(f, "{found}, not a file"),
            Self::Unreadable { error } => write!(f, "unreadable: {error}"),
            Self::OnRequest => f.write_str("loads when the agent asks for it by its description"),
            Self::Manual => f.write_str("loads when the user names it"),
            Self::OverLimit { limit } => write!(f, "over the limit of {limit}"),
        }
    }
}
