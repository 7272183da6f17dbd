//! Git without this machine's configuration, and at a fixed time.

use std::path::Path;
use std::process::Command;

#[track_caller]
pub(crate) fn git(cwd: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=Mia", "-c", "user.email=mia@example.com"])
        .args(arguments)
        .current_dir(cwd)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", "2026-01-31T12:00:00Z")
        .env("GIT_COMMITTER_DATE", "2026-01-31T12:00:00Z")
        .status()
        .unwrap();
    assert!(status.success(), "git {arguments:?}");
}
