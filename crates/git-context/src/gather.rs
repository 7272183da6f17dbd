use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use crate::command::{Git, Setting};
use crate::process::{Ended, Limits, run};
use crate::{
    Commit, Diagnostic, Error, GitOptions, GitSnapshot, Query, Reason, branch, commits, drivers,
    repository_root, status, user_name,
};

/// How many bytes are read of what is never long.
const SHORT_BYTES: usize = 16 * 1024;

/// Longer than anybody waits; the end of a longer time may not be expressible.
const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Takes the snapshot of the repository that `cwd` is in; `None` if it is in
/// none.
///
/// Five commands run at the same time. One that fails, hangs or writes too
/// much leaves its own part out and a [`Diagnostic`] behind. When this returns,
/// or is dropped, no process is left.
///
/// It must be called inside a tokio runtime with IO and time enabled.
///
/// # Errors
///
/// [`Error`] if there can be no snapshot at all: the directory cannot be
/// entered, there is no git, or git refuses the repository.
pub async fn snapshot(cwd: &Path, options: &GitOptions) -> Result<Option<GitSnapshot>, Error> {
    let cwd = cwd
        .canonicalize()
        .map_err(|error| Error::directory(cwd, &error))?;
    let Some(root) = repository_root(&cwd) else {
        return Ok(None);
    };
    let gathering = Gathering {
        git: Git::find(cwd.clone(), &root, options)?,
        deadline: Instant::now() + options.time_limit.min(A_YEAR),
        options,
    };
    let (status, commits, branch, main_branch, user_name) = tokio::join!(
        // First what takes longest: two commands one after the other.
        gathering.ask_status(),
        gathering.ask(Query::Commits, commits::BYTES, &[]),
        gathering.ask(Query::Branch, SHORT_BYTES, &[]),
        gathering.ask(Query::MainBranch, SHORT_BYTES, &[]),
        gathering.ask(Query::UserName, SHORT_BYTES, &[]),
    );
    let (status, filters) = status;
    let mut failures = Failures::default();
    let snapshot = GitSnapshot {
        branch: failures.part(Query::Branch, branch::branch(branch)),
        main_branch: failures.part(Query::MainBranch, branch::main_branch(main_branch)),
        user_name: failures
            .part(Query::UserName, user_name::user_name(user_name))
            .flatten(),
        status: failures.part(Query::Status, status::status(status, options)),
        commits: failures.commits(commits::commits(commits)),
        diagnostics: Vec::new(),
    };
    failures.0.extend(filters);
    match failures.refusal() {
        Some(message) => Err(Error::refused(&cwd, message)),
        None => Ok(Some(GitSnapshot {
            diagnostics: failures.0,
            ..snapshot
        })),
    }
}

struct Gathering<'a> {
    git: Git,
    deadline: Instant,
    options: &'a GitOptions,
}

impl Gathering<'_> {
    async fn ask(&self, query: Query, bytes: usize, settings: &[Setting]) -> Result<Ended, Reason> {
        let limits = Limits {
            deadline: self.deadline,
            time: self.options.time_limit,
            bytes,
        };
        run(self.git.command(query, settings), limits).await
    }

    /// The status, as soon as its filters can be kept off. It is not read
    /// otherwise, and then there is a second thing to report.
    async fn ask_status(&self) -> (Result<Ended, Reason>, Option<Diagnostic>) {
        let list = self.ask(Query::FilterDrivers, drivers::BYTES, &[]).await;
        match drivers::switched_off(list) {
            Ok(settings) => {
                let bytes = status::bytes(self.options);
                (self.ask(Query::Status, bytes, &settings).await, None)
            }
            Err(reason) => (
                Err(Reason::FiltersUnknown),
                Some(Diagnostic {
                    query: Query::FilterDrivers,
                    reason,
                }),
            ),
        }
    }
}

/// What has gone wrong so far.
#[derive(Default)]
struct Failures(Vec<Diagnostic>);

impl Failures {
    fn part<T>(&mut self, query: Query, result: Result<T, Reason>) -> Option<T> {
        result
            .map_err(|reason| self.0.push(Diagnostic { query, reason }))
            .ok()
    }

    /// The commits, of which some may be missing.
    fn commits(
        &mut self,
        result: Result<(Vec<Commit>, Option<Reason>), Reason>,
    ) -> Option<Vec<Commit>> {
        let (commits, missing) = self.part(Query::Commits, result)?;
        if let Some(reason) = missing {
            self.part::<()>(Query::Commits, Err(reason));
        }
        Some(commits)
    }

    /// What git says if it says the same of everything that needs a repository.
    fn refusal(&self) -> Option<String> {
        let mut messages = [Query::Branch, Query::MainBranch, Query::Commits]
            .into_iter()
            .map(|query| {
                self.0
                    .iter()
                    .find_map(|diagnostic| match &diagnostic.reason {
                        Reason::Failed {
                            code: Some(128),
                            message,
                        } if diagnostic.query == query => Some(message),
                        _ => None,
                    })
            });
        let first = messages.next()??;
        messages
            .all(|message| message == Some(first))
            .then(|| first.clone())
    }
}
