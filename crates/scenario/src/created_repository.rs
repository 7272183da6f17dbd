//! A repository that a scenario describes.
//!
//! Only git creates its `.git`: one among the scenario's files or links could name hooks, or be
//! another person's repository, where the commits would go.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use aside_git_context::{GitCommand, GitOptions, UserConfig};
use walkdir::WalkDir;

use crate::format::GitSpec;

/// When all commits are made.
const COMMIT_DATE: &str = "2026-01-30T12:00:00Z";

/// Checks that no directory below `root` has a `.git`. An empty one is the working directory of a
/// scenario that runs in it.
///
/// Each is looked up by name, because some file systems have `.GIT` for it.
///
/// # Errors
///
/// There is one, or a directory cannot be read.
pub(crate) fn check_none(root: &Path) -> Result<()> {
    for entry in WalkDir::new(root) {
        let entry = entry?;
        let git = entry.path().join(".git");
        if !entry.file_type().is_dir() || git.symlink_metadata().is_err() {
            continue;
        }
        let mut content = WalkDir::new(&git).follow_root_links(false).into_iter();
        if content.any(|it| !it.is_ok_and(|it| it.file_type().is_dir())) {
            let git = git.strip_prefix(root).unwrap_or(&git).display();
            bail!("{git}: only git creates a `.git`: describe the repository under `git`");
        }
    }
    Ok(())
}

/// Returns true if nothing but git writes at this path: a file `.git`, or one inside such a
/// directory, can name another repository. `HEAD` and the like cannot, and say what is under way.
pub(crate) fn is_of_git_alone(path: &Path) -> bool {
    let mut names = path.iter().map(|name| name.to_string_lossy());
    let is_inside = names.any(|name| name.eq_ignore_ascii_case(".git"));
    let below: Vec<_> = names.collect();
    is_inside && !matches!(&below[..], [name] if name.ends_with("HEAD"))
}

/// Creates a repository with the scenario's commits, in order. A commit without a list of paths
/// adds all files.
///
/// # Errors
///
/// git cannot be run, or fails.
pub(crate) fn create(directory: &Path, spec: &GitSpec) -> Result<()> {
    let git = |arguments: &[&str]| git(directory, arguments);
    let branch = spec.branch.as_deref().unwrap_or("main");
    git(&["init", "--quiet", "--template=", "--initial-branch", branch])?;
    git(&["config", "user.name", spec.user.as_deref().unwrap_or("Mia")])?;
    git(&["config", "user.email", "mia@example.com"])?;
    for commit in &spec.commits {
        match &commit.add {
            None => git(&["add", "--all"])?,
            Some(paths) => {
                let paths = paths.iter().map(String::as_str);
                git(&["add", "--"].into_iter().chain(paths).collect::<Vec<_>>())?;
            }
        }
        git(&["commit", "--quiet", "--allow-empty", "--message", &commit.message])?;
    }
    Ok(())
}

/// Runs git in the repository of this directory, not in one further up, without this machine's
/// configuration.
///
/// # Errors
///
/// git cannot be run, or fails.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Result<()> {
    let options = GitOptions {
        time_limit: Duration::from_secs(60),
        user_config: UserConfig::Ignore,
        ..GitOptions::default()
    };
    let mut command = GitCommand::new(arguments);
    let environment = [
        ("GIT_DIR", ".git"),
        ("GIT_WORK_TREE", "."),
        ("GIT_AUTHOR_DATE", COMMIT_DATE),
        ("GIT_COMMITTER_DATE", COMMIT_DATE),
    ]
    .map(|(name, value)| (name, OsStr::new(value)));
    command.environment = &environment;
    command.output(directory, &options)?;
    Ok(())
}
