//! The command under attack, in its own project and home.
//!
//! A case must not see the machine on which it runs, or its result would depend
//! on it. A place is a temporary directory:
//!
//! ```text
//! project/   the working directory, a repository after `init`
//! home/      HOME: the user's files, and the sessions that a command stores
//! outside/   what no command may read; the target of links
//! managed/   ASIDE_MANAGED_DIR, which is not created
//! ```
//!
//! The environment has `PATH` and these directories, and nothing else. Git has
//! a fixed author and fixed dates, so that a commit has the same id in every
//! run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result, anyhow};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use super::command::Ran;

/// A directory with a project, a home, and a place outside both.
#[derive(Debug)]
pub(super) struct Place {
    /// The command's path.
    pub(super) aside: String,
    /// Removed with the place.
    _directory: TempDir,
    /// Canonical, as a temporary directory may be a link.
    root: PathBuf,
}

impl Place {
    /// Makes a place with an empty project, for the command at this path, which
    /// is not checked.
    pub(super) fn new(aside: &str) -> Result<Self> {
        let directory = tempfile::tempdir().context("failed to make a directory")?;
        let root = directory.path().canonicalize()?;
        for name in ["project", "home", "outside"] {
            fs::create_dir(root.join(name))?;
        }
        Ok(Self { aside: aside.to_owned(), _directory: directory, root })
    }

    /// Returns the path of something in the place.
    pub(super) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    /// Returns a path in a directory that exists.
    fn new_path(&self, name: impl AsRef<Path>) -> Result<PathBuf> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        Ok(path)
    }

    /// Also creates the directories above the file.
    pub(super) fn write(
        &self,
        name: impl AsRef<Path>,
        content: impl AsRef<[u8]>,
    ) -> Result<PathBuf> {
        let path = self.new_path(name)?;
        fs::write(&path, content).with_context(|| format!("failed to write {}", path.display()))?;
        Ok(path)
    }

    /// Also creates the directories above the link.
    pub(super) fn link(&self, target: impl AsRef<Path>, name: impl AsRef<Path>) -> Result<()> {
        let path = self.new_path(name)?;
        std::os::unix::fs::symlink(target, &path)
            .with_context(|| format!("failed to link {}", path.display()))
    }

    /// Runs git in the project.
    ///
    /// A failing git command is no error, since git itself refuses many hostile
    /// names and values. The system's configuration is not read.
    pub(super) fn git(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Ran> {
        let environment = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_DATE", "2001-02-03T04:05:06Z"),
            ("GIT_COMMITTER_DATE", "2001-02-03T04:05:06Z"),
            ("GIT_AUTHOR_NAME", "Ada"),
            ("GIT_AUTHOR_EMAIL", "ada@example.org"),
            ("GIT_COMMITTER_NAME", "Ada"),
            ("GIT_COMMITTER_EMAIL", "ada@example.org"),
        ];
        Ran::of(self.program("git", arguments).envs(environment))
    }

    /// Makes the project a repository with a commit.
    ///
    /// The commit has one file, `a`. No template is copied, so the repository
    /// has no hooks.
    pub(super) fn init(&self) -> Result<()> {
        self.git(&["init", "-q", "-b", "main", "--template="])?;
        self.write("project/a", "one\n")?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", "first"])?;
        Ok(())
    }

    /// Returns the command, to run in the project with nothing from the
    /// caller's environment.
    pub(super) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        self.program(&self.aside, arguments)
    }

    /// Returns another program, such as a shell, to run as the command is.
    pub(super) fn program(
        &self,
        program: impl AsRef<OsStr>,
        arguments: &[impl AsRef<OsStr>],
    ) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.path("project"))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.path("home"))
            .env("ASIDE_MANAGED_DIR", self.path("managed"));
        command
    }

    pub(super) fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Ran> {
        Ran::of(&mut self.command(arguments))
    }
}

/// Exchanges a directory with a link until the work is done. Returns how many
/// exchanges there were.
///
/// The attacker is a program in the repository that runs at the same time, such
/// as a build. Between checking a path and opening it there is a gap, in which
/// the directory can become a link: the command has to give the project's file
/// or an error, never the file outside. This is promise 2 in
/// `docs/security.md`.
///
/// A second thread exchanges the two continuously and atomically (`renameat2`
/// with `RENAME_EXCHANGE`). How often the gap would be hit depends on the
/// machine, so as a control a reader with the gap runs, which has to be led
/// outside.
pub(super) fn exchange(
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
        let count = exchanges.join().map_err(|_| anyhow!("the exchanging thread panicked"))?;
        done.and(count)
    })
}
