//! A scenario's directory, created for each run.
//!
//! The scenario's tree is copied to a temporary directory, links and a
//! repository are made as `scenario.yaml` describes them, and everything that
//! is compared has `/scenario` in place of the real path. A scenario comes from
//! a repository that may be hostile: none of its paths leads out of its
//! directory.

use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::case::Case;
use crate::outside::repository_around;
use crate::stand_ins::{KeptLines, Shift, StandIns};
use crate::{created_repository, outside, own_file};

/// Stands for the directory, whose real path differs between runs.
pub(crate) const ROOT: &str = "/scenario";

/// Stands for a scenario's repository, if it uses one.
const PROJECT: &str = "/scenario/project";

/// Stand for the directories above a repository, nearest first. Diagnostics name
/// files there, which an import or a link leads to.
const ABOVE: [&str; 4] = [ROOT, "/scenario/..", "/scenario/../..", "/scenario/../../.."];

/// Removed when this is dropped.
pub(crate) struct World {
    _dir: TempDir,
    /// Its real path, in which no part is a link.
    pub(crate) root: PathBuf,
    /// The repository in place of `project`. Nothing is written there.
    repository: Option<PathBuf>,
    /// The real paths to replace in the output.
    stand_ins: StandIns,
    /// Those, and the directories above the repository.
    of_diagnostics: StandIns,
}

impl World {
    /// Creates and fills the directory.
    ///
    /// # Errors
    /// A path leads out of the directory, a link is among the copied files, or
    /// git fails.
    pub(crate) fn make(case: &Case) -> Result<Self> {
        let repository = repository(case)?;
        let above = if repository.is_some() { env::temp_dir() } else { outside::directory()? };
        let dir = tempfile::Builder::new().prefix("scenario-").tempdir_in(above)?;
        // Resolved, because git and the loader use real paths.
        let root = fs::canonicalize(dir.path())?;
        let project = repository.as_deref().map(|path| (path, PROJECT));
        let own = [(root.as_path(), ROOT)].into_iter().chain(project);
        let stand_ins = StandIns::new(own.clone());
        let above = repository.iter().flat_map(|path| path.ancestors().skip(1).zip(ABOVE));
        let above = above.filter(|(path, _)| path.parent().is_some());
        let of_diagnostics = StandIns::new(own.chain(above));
        let world = Self { _dir: dir, root, repository, stand_ins, of_diagnostics };
        world.fill(case)?;
        Ok(world)
    }

    /// Copies the tree, then makes links, then the repository and the files
    /// written after its commits.
    fn fill(&self, case: &Case) -> Result<()> {
        let scenario = &case.scenario;
        if case.tree.symlink_metadata().is_ok() {
            own_file::folder(&case.tree)?;
            copy(&case.tree, &self.root)
                .with_context(|| format!("failed to copy {}", case.tree.display()))?;
        }
        let cwd_name = scenario.cwd();
        let cwd = self.path(&cwd_name).context("cwd")?;
        if let Some(repository) = &self.repository {
            // A link that is checked in would make the place that it leads to the project.
            let resolved = fs::canonicalize(&cwd).ok().filter(|it| it.is_dir());
            if !resolved.is_some_and(|it| it.starts_with(repository)) {
                let cwd = scenario.cwd.as_deref().unwrap_or_default();
                bail!(
                    "cwd: {cwd:?} is not in the repository: expected a directory relative to \
                     `repository`, such as `cwd: packages/web`"
                );
            }
            return Ok(());
        }
        fs::create_dir_all(cwd)?;
        for (link, target) in &scenario.symlinks {
            self.link(link, target).with_context(|| format!("symlinks: {link}"))?;
        }
        created_repository::check_none(&self.root)?;
        if let Some(git) = &scenario.git {
            let directory = git.directory.as_deref().unwrap_or(&cwd_name);
            let path = self.path(directory).context("git: directory")?;
            if !self.contains(&path)? {
                bail!("git: {directory:?} leads out of the scenario");
            }
            created_repository::create(&path, git)?;
            for (path, text) in &git.write {
                let path = format!("{directory}/{path}");
                self.write(&path, text).context("git: write")?;
            }
        }
        Ok(())
    }

    /// Resolves a scenario's path, which must be inside the directory.
    pub(crate) fn path(&self, relative: &str) -> Result<PathBuf> {
        let steps = Path::new(relative).components();
        if !steps.clone().all(|step| matches!(step, Component::Normal(_))) {
            // As it was written.
            let written = relative.strip_prefix("project/").filter(|_| self.repository.is_some());
            let (expected, written) = match written.unwrap_or(relative) {
                it if Path::new(it).has_root() => ("a relative path", it),
                it => ("a path without `.` and `..`", it),
            };
            bail!("expected {expected}, found {written:?}");
        }
        let of_project = Path::new(relative).strip_prefix("project").ok();
        Ok(match (&self.repository, of_project) {
            (Some(repository), Some(rest)) if rest.as_os_str().is_empty() => repository.clone(),
            (Some(repository), Some(rest)) => repository.join(rest),
            _ => self.root.join(relative),
        })
    }

    /// Resolves an existing directory.
    pub(crate) fn directory(&self, relative: &str) -> Result<PathBuf> {
        let path = self.path(relative)?;
        if !path.is_dir() {
            bail!("expected a directory of the scenario");
        }
        let resolved = fs::canonicalize(&path)?;
        let mut ours = std::iter::once(&self.root).chain(&self.repository);
        if !ours.any(|directory| resolved.starts_with(directory)) {
            bail!("it leads out of the scenario");
        }
        Ok(path)
    }

    /// Resolves a place to make, which must not lead out of the directory
    /// through a link.
    fn place(&self, relative: &str) -> Result<PathBuf> {
        let path = self.path(relative)?;
        let parent = path.parent().unwrap_or(&self.root);
        let is_link = path.symlink_metadata().is_ok_and(|it| it.is_symlink());
        if is_link || !self.contains(parent)? {
            bail!("{relative:?} leads out of the scenario");
        }
        fs::create_dir_all(parent)?;
        Ok(path)
    }

    /// Writes a file, and returns where it is.
    pub(crate) fn write(&self, relative: &str, text: &str) -> Result<PathBuf> {
        let path = self.place(relative)?;
        let written = || format!("failed to write {}", path.display());
        // A link inside may have another name for `.git`.
        let parent = path.parent().unwrap_or(&self.root);
        let resolved = fs::canonicalize(parent).with_context(written)?;
        let below = resolved.strip_prefix(&self.root).unwrap_or(&resolved);
        if created_repository::is_of_git_alone(&below.join(path.file_name().unwrap_or_default())) {
            bail!(
                "{relative:?}: only git writes into `.git`, except files whose names end in \
                 `HEAD`: describe the repository under `git`"
            );
        }
        fs::write(&path, text).with_context(written)?;
        Ok(path)
    }

    /// Returns true if a directory is inside, or would be inside once created.
    fn contains(&self, directory: &Path) -> Result<bool> {
        let there = directory.ancestors().find(|it| it.exists());
        let there = fs::canonicalize(there.unwrap_or(directory))?;
        Ok(there.starts_with(&self.root))
    }

    #[cfg(unix)]
    fn link(&self, link: &str, target: &str) -> Result<()> {
        Ok(std::os::unix::fs::symlink(target, self.place(link)?)?)
    }

    #[cfg(not(unix))]
    fn link(&self, _: &str, _: &str) -> Result<()> {
        bail!("symbolic links are made on Unix only")
    }

    /// Returns the lines that name the real path, and have to be kept.
    pub(crate) fn kept_lines<'a>(&self, lines: impl Iterator<Item = &'a str>) -> KeptLines {
        self.stand_ins.kept_lines(lines)
    }

    /// Puts [`ROOT`] in place of the real path, except where one is kept.
    pub(crate) fn normalize(
        &self,
        bytes: &[u8],
        is_kept: impl Fn(usize) -> bool,
    ) -> (Vec<u8>, Vec<Shift>) {
        self.stand_ins.put(bytes, is_kept)
    }

    /// Puts [`ROOT`] in place of the real path.
    pub(crate) fn normalize_text(&self, text: &str) -> String {
        let (put, _) = self.stand_ins.put(text.as_bytes(), |_| false);
        String::from_utf8_lossy(&put).into_owned()
    }

    /// Puts [`ROOT`] in place of the real path, and of the directories above a
    /// repository, which differ between clones. In a request, such a directory
    /// may be any text.
    pub(crate) fn normalize_diagnostic(&self, text: &str) -> String {
        let (put, _) = self.of_diagnostics.put(text.as_bytes(), |_| false);
        String::from_utf8_lossy(&put).into_owned()
    }
}

/// `None` if the scenario names none.
fn repository(case: &Case) -> Result<Option<PathBuf>> {
    let Some(named) = &case.scenario.repository else {
        return Ok(None);
    };
    if case.scenario.git.is_some() || !case.scenario.symlinks.is_empty() {
        bail!("repository: nothing is written there, so `git` and `symlinks` do not go with it");
    }
    if case.tree.join("project").exists() {
        bail!("repository: it takes the place of tree/project, which is there as well");
    }
    let path = case.dir.join(named);
    let resolved = fs::canonicalize(&case.dir)?;
    let root = repository_around(&resolved);
    let below = root.and_then(|root| resolved.strip_prefix(root).ok());
    let example = vec![".."; below.map_or(3, |it| it.iter().count())].join("/");
    let path = fs::canonicalize(&path).with_context(|| {
        let path = path.display();
        format!(
            "repository: failed to find {path}: expected a directory relative to this scenario, \
             such as `repository: {example}`"
        )
    })?;
    if !path.is_dir() {
        let path = path.display();
        bail!("repository: {path} is no directory: expected one such as `repository: {example}`");
    }
    if !is_own(&path, &resolved) {
        bail!("repository: {} is outside the repository of the scenario", path.display());
    }
    Ok(Some(path))
}

/// Returns true if a scenario may use a directory: it is in the repository that
/// contains the scenario, or, without one, above the scenario. Scenarios come
/// from repositories, which must not make the runner render other files of the
/// user.
fn is_own(path: &Path, scenario: &Path) -> bool {
    match repository_around(scenario) {
        Some(root) => path.starts_with(root),
        None => scenario.starts_with(path),
    }
}

/// Links and special files are errors.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in WalkDir::new(from).min_depth(1).sort_by_file_name() {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir(&target)?;
        } else if entry.file_type().is_symlink() {
            bail!("{}: links are described under `symlinks`", entry.path().display());
        } else {
            if !entry.file_type().is_file() {
                bail!("{}: expected a file", entry.path().display());
            }
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
