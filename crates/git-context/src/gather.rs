//! Taking the snapshot: check the repository's files, read the branches, run
//! three commands in parallel.
//!
//! ```text
//! check for special files and links
//! ├─ log                                       commits
//! ├─ config  ── status                         user's name, changes
//! └─ refs (files, or two commands of git)      branches
//! ```
//!
//! The status runs at the same time as `config` when the filter drivers are
//! known without git, and again if git lists others.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::Instant;

use crate::command::Git;
use crate::configuration::{self, Configuration, configuration};
use crate::failures::Failures;
use crate::filters_off::FiltersOff;
use crate::layout::Layout;
use crate::process::{Ended, Limits, run};
use crate::refs::{self, Head};
use crate::repository::start_directory;
use crate::{
    Branch, FailureReason, GitError, GitErrorKind, GitOptions, GitSnapshot, Query, Status, branch,
    commits, configured_filters, repository_root, special_file, status,
};

const MAX_SHORT_OUTPUT_BYTES: usize = 16 * 1024;

/// The end of a longer one may not be representable.
const MAX_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Takes a snapshot of the repository that contains `cwd`. Returns `None` if
/// there is no repository.
///
/// Three commands run in parallel. When a command fails, hangs or writes too
/// much, its part is missing and a [`QueryFailure`](crate::QueryFailure) is
/// added. All processes have ended when the future completes or is dropped.
///
/// Call it inside a tokio runtime with IO and time enabled.
///
/// # Errors
///
/// [`GitError`] when there can be no snapshot at all: the directory cannot be
/// entered, there is no git, git refuses the repository, or git would wait for
/// a special file in it or quote a file that is a link out of it.
pub async fn snapshot(cwd: &Path, options: &GitOptions) -> Result<Option<GitSnapshot>, GitError> {
    let place = Place::of(cwd)?;
    if place.layout.is_none() {
        return Ok(None);
    }
    let gathering = Gathering::new(&place, options)?;
    let refs = Refs::read(place.layout.as_ref(), place.head.as_ref());
    let none = FiltersOff::default();
    let filters = gathering.filters_off(&place);
    let ((configuration, status), commits, (mut branch, mut main_branch)) = tokio::join!(
        // The slowest command starts first.
        gathering.configuration_and_status(filters, &place),
        gathering.ask(Query::Commits, commits::MAX_OUTPUT_BYTES, &none),
        gathering.refs(refs),
    );
    let is_refused = match &commits {
        Ok(Ended::Failure { stderr, .. }) => !commits::is_without_commits(stderr),
        Err(FailureReason::NotRun { .. }) => true,
        _ => false,
    };
    if is_refused {
        // If git refuses a repository, its files do not count.
        (branch, main_branch) = gathering.refs(Refs::default()).await;
    }
    let mut failures = Failures::default();
    let snapshot = GitSnapshot {
        branch: failures.part(Query::Branch, branch),
        main_branch: failures.part(Query::MainBranch, main_branch),
        user_name: failures.part(Query::Configuration, configuration).flatten(),
        status: failures.part(Query::Status, status),
        commits: failures.commits(commits::commits(commits)),
        diagnostics: Vec::new(),
    };
    match failures.refusal() {
        Some(message) => Err(GitError::new(GitErrorKind::Refused, place.cwd, message)),
        None => Ok(Some(GitSnapshot { diagnostics: failures.into_diagnostics(), ..snapshot })),
    }
}

/// A directory that git may run in: nothing in its repository makes git wait, or quote a file from
/// elsewhere.
#[derive(Debug)]
pub(crate) struct Place {
    /// Where git starts, with links resolved: the directory, or one above it
    /// from which git finds no other repository than this.
    cwd: PathBuf,
    /// Whether git starts above the directory.
    pub(crate) starts_above: bool,
    /// The repository's root, or the directory itself.
    root: PathBuf,
    /// `None` outside of a repository.
    layout: Option<Layout>,
    head: Option<Head>,
}

impl Place {
    pub(crate) fn of(cwd: &Path) -> Result<Self, GitError> {
        let cwd = cwd
            .canonicalize()
            .and_then(|cwd| {
                let is_directory = cwd.metadata()?.is_dir();
                is_directory.then_some(cwd).ok_or(io::ErrorKind::NotADirectory.into())
            })
            .map_err(|error| GitError::new(GitErrorKind::Directory, cwd, error))?;
        let root = repository_root(&cwd);
        let layout = root.as_deref().map(Layout::of).transpose()?;
        let head = layout.as_ref().and_then(Head::read);
        let root = root.unwrap_or_else(|| cwd.clone());
        let start = start_directory(&cwd, &root).to_owned();
        let place = Self { starts_above: start != cwd, cwd: start, root, layout, head };
        if let Some(layout) = &place.layout {
            let branch = place.head.as_ref().and_then(Head::file);
            special_file::check(&place.root, layout, branch)?;
            special_file::check_links(layout, branch)?;
        }
        Ok(place)
    }

    /// Returns true if the root is a work tree, not a git directory itself.
    /// Linked work trees share the `core.bare` of their repository.
    fn has_work_tree(&self, found: &Configuration) -> bool {
        self.layout.as_ref().is_some_and(|layout| {
            let is_linked = layout.git_dir != layout.common_dir;
            layout.git_dir != self.root && (is_linked || !found.is_bare)
        })
    }
}

/// The branches known without git.
#[derive(Default)]
struct Refs {
    /// What `HEAD` names; `None` to run git for it.
    branch: Option<Branch>,
    /// The default branch at `origin`; `None` to run git for it.
    main_branch: Option<String>,
}

impl Refs {
    /// Reads the branches from their files. Both are unknown when `HEAD` is not
    /// in its usual form.
    fn read(layout: Option<&Layout>, head: Option<&Head>) -> Self {
        let (Some(layout), Some(head)) = (layout, head) else {
            return Self::default();
        };
        Self { branch: Some(head.branch()), main_branch: refs::main_branch(layout) }
    }
}

/// What all commands of a snapshot share.
pub(crate) struct Gathering<'a> {
    pub(crate) git: Git,
    /// When to kill every command.
    deadline: Instant,
    options: &'a GitOptions,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(place: &Place, options: &'a GitOptions) -> Result<Self, GitError> {
        let (cwd, layout) = (place.cwd.clone(), place.layout.as_ref());
        Ok(Self {
            git: Git::find(cwd, &place.root, layout, options)?,
            deadline: Instant::now() + options.time_limit.min(MAX_TIME),
            options,
        })
    }

    /// Runs a query, and kills it at the deadline or when it has written more
    /// than `bytes`.
    async fn ask(
        &self,
        query: Query,
        bytes: usize,
        filters: &FiltersOff,
    ) -> Result<Ended, FailureReason> {
        self.run(self.git.command(query.arguments(), filters), bytes).await
    }

    /// Runs a command with the same limits.
    pub(crate) async fn run(&self, command: Command, bytes: usize) -> Result<Ended, FailureReason> {
        let limits = Limits { deadline: self.deadline, time: self.options.time_limit, bytes };
        run(command, limits).await
    }

    /// Returns the branches, and runs git for those not known, in parallel.
    async fn refs(
        &self,
        known: Refs,
    ) -> (Result<Branch, FailureReason>, Result<String, FailureReason>) {
        let none = FiltersOff::default();
        let ask = |query| self.ask(query, MAX_SHORT_OUTPUT_BYTES, &none);
        let branch = async {
            match known.branch {
                Some(branch) => Ok(branch),
                None => branch::branch(ask(Query::Branch).await),
            }
        };
        let main_branch = async {
            match known.main_branch {
                Some(branch) => Ok(branch),
                None => branch::main_branch(ask(Query::MainBranch).await),
            }
        };
        tokio::join!(branch, main_branch)
    }

    /// Switches off the filter drivers, if they are known without git.
    fn filters_off(&self, place: &Place) -> Option<FiltersOff> {
        let others = self.git.outer_config_files()?;
        let (root, layout) = (&place.root, place.layout.as_ref()?);
        let names = configured_filters::names(root, layout, &others)?;
        FiltersOff::of_names(&names, root)
    }

    /// Switches off the filter drivers that git lists.
    pub(crate) async fn all_filters_off(&self) -> Result<FiltersOff, FailureReason> {
        let none = FiltersOff::default();
        let list = self.ask(Query::Configuration, configuration::MAX_OUTPUT_BYTES, &none);
        let drivers = configuration(list.await)?.drivers?;
        Ok(FiltersOff::of_listed(drivers))
    }

    /// Returns the user's name and the status. Both run in parallel when the
    /// filters are known, else the status starts once git has listed them.
    ///
    /// Without a work tree there is no status: with `GIT_WORK_TREE`, git would
    /// take the bare repository, or the directory of the `.git` file, for one.
    async fn configuration_and_status(
        &self,
        filters: Option<FiltersOff>,
        place: &Place,
    ) -> (Result<Option<String>, FailureReason>, Result<Status, FailureReason>) {
        let none = FiltersOff::default();
        let list = self.ask(Query::Configuration, configuration::MAX_OUTPUT_BYTES, &none);
        let (list, early) = match filters {
            Some(filters) => {
                let (status, list) = tokio::join!(self.ask_status(&filters), list);
                (list, Some((filters, status)))
            }
            None => (list.await, None),
        };
        let (user_name, drivers) = match configuration(list) {
            Ok(found) if !place.has_work_tree(&found) => {
                return (Ok(found.user_name), Ok(Status::NoWorkTree));
            }
            Ok(found) => (Ok(found.user_name), found.drivers),
            Err(reason) => (Err(reason), Err(FailureReason::FiltersUnknown)),
        };
        let status = match (early, drivers) {
            (Some((_, status)), Err(_)) => status,
            // The restrictions on the early status may have caused a failure.
            (Some((filters, status)), Ok(drivers))
                if filters.covers(&drivers) && !is_failure(&status) =>
            {
                status
            }
            (_, Ok(drivers)) => self.ask_status(&FiltersOff::of_listed(drivers)).await,
            (None, Err(reason)) => Err(reason),
        };
        (user_name, status::status(status, self.options))
    }

    async fn ask_status(&self, filters: &FiltersOff) -> Result<Ended, FailureReason> {
        let bytes = status::bytes(self.options);
        self.ask(Query::Status, bytes, filters).await
    }
}

/// Returns true if git ran and failed.
fn is_failure(answer: &Result<Ended, FailureReason>) -> bool {
    matches!(answer, Ok(Ended::Failure { .. }))
}
