//! A revision's files, in their own directory: this version of Aside plays its scenarios there, so
//! every difference comes from the repository.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use aside_git_context::{GitCommand, GitError, GitErrorKind};
use aside_text::one_line;
use tempfile::TempDir;

use super::baseline::git;
use crate::case::Case;
use crate::check::{Checked, unchecked};
use crate::created_repository;

/// A revision's files. To remove the directory, drop this.
#[derive(Debug)]
pub struct Checkout {
    _directory: TempDir,
    revision: String,
    /// Links are resolved.
    root: PathBuf,
    /// The folder with the scenarios, which may be missing.
    scenarios: PathBuf,
    /// What is missing in the directory, a sentence each.
    pub(super) notes: Vec<String>,
}

impl Checkout {
    /// Writes the files of a revision in the repository that contains `scenarios`, with its
    /// submodules.
    ///
    /// Nothing is written to the repository, no hook and no filter runs, and no large file is
    /// fetched.
    ///
    /// # Errors
    ///
    /// There is no such revision, or git fails.
    pub fn new(scenarios: &Path, revision: &str) -> Result<Self> {
        let line = |arguments: &[&str]| -> Result<Vec<u8>> {
            let mut line = git(scenarios, GitCommand::new(arguments))?;
            while line.pop_if(|last| matches!(last, b'\r' | b'\n')).is_some() {}
            Ok(line)
        };
        // First, because a repository that git refuses has no commits, either.
        let top = path(line(&["rev-parse", "--show-toplevel"])?)?;
        let commit = format!("{revision}^{{commit}}");
        let verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        let commit = match line(&verify) {
            Ok(commit) => String::from_utf8(commit)?,
            Err(error) if is_of_command(&error) => bail!(
                "found no commit {revision:?}: expected a branch, a tag or a hash that is in this \
                 clone (a shallow one has its last commits only)"
            ),
            Err(error) => return Err(error),
        };
        let below = path(line(&["rev-parse", "--show-prefix"])?)?;
        let directory = tempfile::Builder::new().prefix("review-").tempdir()?;
        let own = fs::canonicalize(directory.path())?;
        let root = own.join("tree");
        fs::create_dir(&root)?;
        let notes = write(&top, &commit, &root, &own)?;
        let scenarios = root.join(below);
        Ok(Self { scenarios, root, revision: revision.to_owned(), notes, _directory: directory })
    }

    /// Plays a scenario as it was. If the revision lacks it but has its directory of the
    /// repository, it is played on the revision's files; otherwise there is no result.
    ///
    /// # Errors
    ///
    /// The scenario was not valid, or cannot be played. The error names a file as git does:
    /// `main:.aside/scenarios/first/scenario.yaml`.
    pub async fn play(&self, now: &Case) -> Result<Option<Checked>> {
        let root = format!("{}/", self.root.display());
        let named = |it: anyhow::Error| {
            anyhow!(format!("{it:#}").replace(&root, &format!("{}:", self.revision)))
        };
        self.play_there(now).await.map_err(named)
    }

    async fn play_there(&self, now: &Case) -> Result<Option<Checked>> {
        let dir = self.scenarios.join(&now.name);
        let case = if dir.join("scenario.yaml").symlink_metadata().is_ok() {
            Case::read(&self.scenarios, &now.name)?
        } else if now.scenario.repository.is_some() {
            self.create(&dir)?;
            let repository = now.scenario.repository.iter().map(|it| dir.join(it));
            let mut cwd = repository.map(|it| it.join(now.scenario.directory()));
            // No session started in a directory that is new.
            if !cwd.any(|it| it.is_dir()) {
                return Ok(None);
            }
            Case { dir, ..now.clone() }
        } else {
            return Ok(None);
        };
        Ok(Some(unchecked(&case).await?))
    }

    /// Returns true if the revision has a file, relative to the repository.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        crate::names(&self.scenarios).unwrap_or_default()
    }

    /// Creates a scenario's folder, which no link in the revision leads elsewhere.
    fn create(&self, dir: &Path) -> Result<()> {
        let exists = |it: &&Path| it.symlink_metadata().is_ok();
        let existing = dir.ancestors().find(exists).unwrap_or(dir);
        if !fs::canonicalize(existing)?.starts_with(&self.root) {
            bail!("a link leads out of the revision: {}", existing.display());
        }
        fs::create_dir_all(dir).with_context(|| format!("failed to create {}", dir.display()))
    }
}

/// Reads a path that git prints, which on Unix may be any bytes.
#[cfg(unix)]
fn path(printed: Vec<u8>) -> Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;

    Ok(std::ffi::OsString::from_vec(printed).into())
}

#[cfg(not(unix))]
fn path(printed: Vec<u8>) -> Result<PathBuf> {
    Ok(String::from_utf8(printed)?.into())
}

/// Writes a commit's files, and those of its submodules, to a directory that becomes the root of
/// a repository, as the working tree is one. Returns which submodules are missing, a sentence
/// each.
fn write(top: &Path, commit: &str, root: &Path, own: &Path) -> Result<Vec<String>> {
    created_repository::git(root, &["init", "--quiet", "--template="])?;
    let index = own.join(format!("index-{commit}"));
    let environment = [("GIT_INDEX_FILE", index.as_os_str())];
    let run = |arguments: &[&str]| {
        let mut command = GitCommand::new(arguments);
        command.environment = &environment;
        git(top, command).map_err(|error| {
            if !is_partial(top) {
                return error;
            }
            let top = top.display();
            anyhow!(
                "{error:#}; this clone is partial and Aside fetches nothing: run `git archive \
                 --output=/dev/null {commit}` in {top}"
            )
        })
    };
    run(&["read-tree", commit])?;
    run(&["checkout-index", "--all", &format!("--prefix={}/", root.display())])?;
    let mut missing = Vec::new();
    for entry in String::from_utf8_lossy(&run(&["ls-files", "--stage", "-z"])?).split('\0') {
        // `160000 COMMIT 0<tab>PATH`.
        let submodule = entry.strip_prefix("160000 ").and_then(|it| it.split_once('\t'));
        let Some((commit, path)) = submodule else { continue };
        let commit = commit.split(' ').next().unwrap_or_default();
        let (from, to) = (top.join(path), root.join(path));
        if from.symlink_metadata().is_err() {
            missing.push(format!("{path}: the submodule is no longer there"));
            continue;
        }
        // One that is not checked out has no files in the working tree, either; a link would lead
        // to another repository.
        let is_own = || {
            let (from, top) = (fs::canonicalize(&from)?, fs::canonicalize(top)?);
            Ok::<_, anyhow::Error>(from.strip_prefix(top) == Ok(Path::new(path)))
        };
        if !from.join(".git").exists() || !is_own()? {
            continue;
        }
        match git(&from, GitCommand::new(&["cat-file", "-e", &format!("{commit}^{{commit}}")])) {
            Ok(_) => {
                let below = write(&from, commit, &to, own)?.into_iter();
                missing.extend(below.map(|it| format!("{path}/{it}")));
            }
            Err(error) => missing.push(format!(
                "{path}: the submodule's commit {commit} cannot be read: {}",
                one_line(&format!("{error:#}"))
            )),
        }
    }
    Ok(missing)
}

/// Returns true if git fetches missing objects of a repository when it reads them.
fn is_partial(top: &Path) -> bool {
    let promisors = ["config", "--get-regexp", r"^remote\..*\.promisor$"];
    git(top, GitCommand::new(&promisors)).is_ok()
}

/// Returns true if git ran, and said no.
fn is_of_command(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<GitError>();
    error.is_some_and(|it| it.kind() == GitErrorKind::Command)
}
