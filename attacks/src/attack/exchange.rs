//! A directory that is exchanged for a link to the outside while the command
//! reads files through it gives the file of the project or an error, never the
//! file outside.
//!
//! The attacker is a program of the repository that runs at the same time, such
//! as a build. A check of the path followed by an open has a gap, in which the
//! directory can become a link. The promise is number 2 of `docs/security.md`.
//!
//! A second thread exchanges the directory with a link continuously and
//! atomically (`renameat2` with `RENAME_EXCHANGE`), while the steps of a case
//! read files through it. How often the gap would be hit depends on the machine,
//! so a reader with the gap is run as a control and has to be led outside.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow};
use rustix::fs::{CWD, RenameFlags, renameat_with};

/// Exchanges a directory with a link until the work is done. Returns the number
/// of exchanges.
pub(super) fn during(
    directory: &Path,
    target: &Path,
    work: impl FnOnce() -> Result<()>,
) -> Result<usize> {
    let link = directory.with_extension("link");
    std::os::unix::fs::symlink(target, &link).context("failed to make a link")?;
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let exchanges = scope.spawn(|| {
            let mut count = 0;
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, directory, CWD, &link, RenameFlags::EXCHANGE)?;
                count += 1;
            }
            Ok::<_, anyhow::Error>(count)
        });
        let done = work();
        stop.store(true, Ordering::Relaxed);
        let count = exchanges
            .join()
            .map_err(|_| anyhow!("the exchanging thread panicked"))?;
        done.and(count)
    })
}
