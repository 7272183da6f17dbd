use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use aside_git_context::{GitError, GitOptions, GitSnapshot, UserConfig};
use tempfile::TempDir;

use crate::snapshot::executable::write_executable;

/// A repository `work` in its own directory.
pub(crate) struct Repository {
    outside: TempDir,
    work: PathBuf,
}

impl Repository {
    /// Without a commit, on the branch `main`.
    pub(crate) fn unborn() -> Self {
        Self::made_by(&["init", "-q", "-b", "main", "--template=", "work"])
    }

    /// With the file `a` in one commit.
    pub(crate) fn new() -> Self {
        let repository = Self::unborn();
        repository.write("a", "one\n");
        repository.commit("first");
        repository
    }

    /// Lets a git command create `work`.
    pub(crate) fn made_by(arguments: &[&str]) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let work = outside.path().join("work");
        let repository = Self { outside, work };
        succeed(git(repository.outside()).args(arguments));
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        &self.work
    }

    pub(crate) fn outside(&self) -> &Path {
        self.outside.path()
    }

    pub(crate) fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        succeed(git(&self.work).args(arguments))
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: &str) {
        let path = self.work.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Gives `HEAD` its oldest form, a link, which only git reads.
    pub(crate) fn make_head_a_link(&self) {
        let head = self.work.join(".git/HEAD");
        fs::remove_file(&head).unwrap();
        symlink("refs/heads/main", head).unwrap();
    }

    pub(crate) fn snapshot(&self) -> GitSnapshot {
        snapshot_of(&self.work)
    }

    /// Compares the text after the first sentence.
    pub(crate) fn check(&self, expected: &str) {
        check(&self.work, expected);
    }
}

pub(crate) fn check(cwd: &Path, expected: &str) {
    let snapshot = snapshot_of(cwd);
    assert_eq!(snapshot.diagnostics, []);
    let text = snapshot.render();
    let (_, blocks) = text.split_once("\n\n").unwrap();
    assert_eq!(blocks, expected);
}

pub(crate) fn snapshot_of(cwd: &Path) -> GitSnapshot {
    snapshot(cwd, &options()).unwrap().unwrap()
}

pub(crate) fn snapshot(cwd: &Path, options: &GitOptions) -> Result<Option<GitSnapshot>, GitError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(aside_git_context::snapshot(cwd, options))
}

/// Options that leave the machine out, and never fail on a slow one.
pub(crate) fn options() -> GitOptions {
    GitOptions {
        time_limit: Duration::from_secs(60),
        user_config: UserConfig::Ignore,
        ..GitOptions::default()
    }
}

/// A git whose commits always have the same ids.
pub(crate) fn git(cwd: &Path) -> Command {
    let mut command = Command::new("git");
    let path = std::env::var_os("PATH").unwrap();
    command
        .current_dir(cwd)
        .env_clear()
        .env("PATH", path)
        .env("HOME", "/dev/null")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "protocol.file.allow")
        .env("GIT_CONFIG_VALUE_0", "always");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "Ada")
            .env(format!("GIT_{role}_EMAIL"), "ada@example.org")
            .env(format!("GIT_{role}_DATE"), "2001-02-03T04:05:06Z");
    }
    command
}

pub(crate) fn succeed(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

pub(crate) fn script(path: &Path, body: &str) -> PathBuf {
    write_executable(path, &format!("#!/bin/sh\n{body}\n"));
    path.to_owned()
}
