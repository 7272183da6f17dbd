use std::path::Path;

use crate::{GitError, GitErrorKind, GitOptions, GitSnapshot, snapshot};

/// Takes a snapshot as [`snapshot`] does, and blocks until it is done.
///
/// You need no async runtime. You may call it inside one, which then waits: the work runs on its
/// own thread, which ends with it.
///
/// ```no_run
/// use aside_git_context::{GitOptions, snapshot_blocking};
///
/// if let Some(snapshot) = snapshot_blocking(".".as_ref(), &GitOptions::default())? {
///     println!("{}", snapshot.render());
/// }
/// # Ok::<(), aside_git_context::GitError>(())
/// ```
///
/// # Errors
///
/// As [`snapshot`], and [`GitErrorKind::Runtime`] if the system
/// refuses what the thread needs.
pub fn snapshot_blocking(
    cwd: &Path,
    options: &GitOptions,
) -> Result<Option<GitSnapshot>, GitError> {
    in_own_thread(cwd, || snapshot(cwd, options))
}

/// Runs a future for a directory on its own thread, and waits for it.
pub(crate) fn in_own_thread<F, T>(
    cwd: &Path,
    make: impl FnOnce() -> F + Send,
) -> Result<T, GitError>
where
    F: Future<Output = Result<T, GitError>>,
    T: Send,
{
    let failed = |error: std::io::Error| GitError::new(GitErrorKind::Runtime, cwd, error);
    let take = || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        runtime.block_on(make())
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, take);
        let joined = thread.map_err(failed)?.join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
