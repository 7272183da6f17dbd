//! The directory that a scenario plays in, made anew for each run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::case::Case;
use crate::format::GitSpec;

/// What stands in the bytes for the directory, whose real path differs from
/// run to run.
pub(crate) const ROOT: &str = "/scenario";

/// All commits are made at this moment.
const COMMIT_DATE: &str = "2026-01-30T12:00:00Z";

pub(crate) struct World {
    _dir: TempDir,
    pub(crate) root: PathBuf,
}

impl World {
    pub(crate) fn make(case: &Case) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("scenario-").tempdir()?;
        // Resolved, because git and the loader name directories by their real path.
        let root = fs::canonicalize(dir.path())?;
        let world = Self { _dir: dir, root };
        if case.tree.is_dir() {
            copy(&case.tree, &world.root)
                .with_context(|| format!("failed to copy {}", case.tree.display()))?;
        }
        fs::create_dir_all(world.path(case.scenario.cwd()))?;
        if let Some(git) = &case.scenario.git {
            let directory = git.directory.as_deref().unwrap_or(case.scenario.cwd());
            make_repository(&world.path(directory), git)?;
        }
        Ok(world)
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The bytes with [`ROOT`] in the place of the real path.
    pub(crate) fn normalize(&self, bytes: &[u8]) -> Vec<u8> {
        let root = self.root_bytes();
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(at) = find(rest, &root) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(ROOT.as_bytes());
            rest = &rest[at + root.len()..];
        }
        out.extend_from_slice(rest);
        out
    }

    /// The same for what people are told.
    pub(crate) fn normalize_text(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), ROOT)
    }

    /// The offset in `bytes` of what stands at `offset` once normalized.
    pub(crate) fn offset_before(&self, bytes: &[u8], offset: usize) -> usize {
        let root = self.root_bytes();
        let (mut raw, mut normalized) = (0, 0);
        while let Some(at) = find(&bytes[raw..], &root) {
            if normalized + at + ROOT.len() > offset {
                break;
            }
            normalized += at + ROOT.len();
            raw += at + root.len();
        }
        raw + (offset - normalized)
    }

    fn root_bytes(&self) -> Vec<u8> {
        let escaped = serde_json::to_string(&self.root.to_string_lossy());
        let escaped = escaped.expect("a string is valid JSON");
        escaped.as_bytes()[1..escaped.len() - 1].to_vec()
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir(&target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn make_repository(directory: &Path, spec: &GitSpec) -> Result<()> {
    let git = |arguments: &[&str]| run_git(directory, arguments);
    let branch = spec.branch.as_deref().unwrap_or("main");
    git(&["init", "--quiet", "--initial-branch", branch])?;
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
        git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            &commit.message,
        ])?;
    }
    for (path, text) in &spec.write {
        let path = directory.join(path);
        fs::write(&path, text).with_context(|| format!("failed to write {}", path.display()))?;
    }
    Ok(())
}

/// Runs git with nothing of this machine's own configuration.
fn run_git(directory: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(arguments).env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command.env(
        "GIT_CONFIG_GLOBAL",
        if cfg!(windows) { "NUL" } else { "/dev/null" },
    );
    command
        .env("GIT_AUTHOR_DATE", COMMIT_DATE)
        .env("GIT_COMMITTER_DATE", COMMIT_DATE);
    let output = command.output().context("failed to run git")?;
    if !output.status.success() {
        bail!(
            "git {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}
