//! Commands of a caller, as guarded as those of a snapshot.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use crate::blocking::in_own_thread;
use crate::gather::{Gathering, Place};
use crate::process::Ended;
use crate::{FailureReason, GitError, GitErrorKind, GitOptions};

/// A git command that reads a repository.
///
/// The repository chooses no program that runs: hooks, filters, `core.fsmonitor`, transports and
/// helpers are off, and git gets no variables of yours but those in `environment`.
///
/// ```no_run
/// use aside_git_context::{GitCommand, GitOptions};
///
/// let files = GitCommand::new(&["ls-files", "-z"]).output(".".as_ref(), &GitOptions::default())?;
/// # Ok::<(), aside_git_context::GitError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct GitCommand<'a> {
    /// The arguments, from the subcommand on.
    pub arguments: &'a [&'a str],
    /// Variables such as `GIT_INDEX_FILE`.
    pub environment: &'a [(&'a str, &'a OsStr)],
    /// What it reads from stdin; nothing by default.
    pub input: Option<File>,
    /// How many bytes it may write; 64 MiB by default.
    pub max_bytes: usize,
}

impl<'a> GitCommand<'a> {
    /// Creates a command with these arguments.
    #[must_use]
    pub fn new(arguments: &'a [&'a str]) -> Self {
        Self { arguments, environment: &[], input: None, max_bytes: 64 << 20 }
    }

    /// Runs the command in a directory and returns its output. This blocks; you need no async
    /// runtime.
    ///
    /// # Errors
    ///
    /// As [`snapshot_blocking`](crate::snapshot_blocking),
    /// [`GitErrorKind::Refused`] for a directory in the repository that git
    /// could take for another one, and
    /// [`GitErrorKind::Command`] if the command fails, takes longer
    /// than the time limit, or writes too much.
    pub fn output(self, cwd: &Path, options: &GitOptions) -> Result<Vec<u8>, GitError> {
        in_own_thread(cwd, || self.run(cwd, options))
    }

    async fn run(self, cwd: &Path, options: &GitOptions) -> Result<Vec<u8>, GitError> {
        let place = Place::of(cwd)?;
        // Its paths would be relative to another directory.
        if place.starts_above {
            let message = "git could take it for another repository";
            return Err(GitError::new(GitErrorKind::Refused, cwd, message));
        }
        let gathering = Gathering::new(&place, options)?;
        let failed = |reason: FailureReason| {
            GitError::new(GitErrorKind::Command, self.arguments.join(" "), reason)
        };
        let filters = gathering.all_filters_off().await.map_err(failed)?;
        let mut command = gathering.git.command(self.arguments, &filters);
        command.envs(self.environment.iter().copied());
        if let Some(input) = self.input {
            command.stdin(input);
        }
        let ended = gathering.run(command, self.max_bytes).await;
        ended.and_then(Ended::whole).map_err(failed)
    }
}
