//! Collecting the failures of one snapshot's commands.

use crate::{Commit, FailureReason, Query, QueryFailure};

/// In the order of the blocks.
#[derive(Default)]
pub(crate) struct Failures(Vec<QueryFailure>);

impl Failures {
    /// Returns the part of the snapshot, or records why its query failed.
    pub(crate) fn part<T>(&mut self, query: Query, result: Result<T, FailureReason>) -> Option<T> {
        result.map_err(|reason| self.0.push(QueryFailure { query, reason })).ok()
    }

    /// Returns the commits; some may be missing.
    pub(crate) fn commits(
        &mut self,
        result: Result<(Vec<Commit>, Option<FailureReason>), FailureReason>,
    ) -> Option<Vec<Commit>> {
        let (commits, missing) = self.part(Query::Commits, result)?;
        if let Some(reason) = missing {
            self.part::<()>(Query::Commits, Err(reason));
        }
        Some(commits)
    }

    /// Returns git's message if all commands that need a repository failed with
    /// it.
    ///
    /// When git refuses a repository that belongs to another user, for example,
    /// every command ends with code 128 and the same message.
    pub(crate) fn refusal(&self) -> Option<String> {
        let mut messages =
            [Query::Branch, Query::MainBranch, Query::Commits].into_iter().map(|query| {
                self.0.iter().find_map(|diagnostic| match &diagnostic.reason {
                    FailureReason::Failed { code: Some(128), message }
                        if diagnostic.query == query =>
                    {
                        Some(message)
                    }
                    _ => None,
                })
            });
        let first = messages.next()??;
        messages.all(|message| message == Some(first)).then(|| first.clone())
    }

    pub(crate) fn into_diagnostics(self) -> Vec<QueryFailure> {
        self.0
    }
}
