//! Changing files, only inside the session's directories.

use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::PoisonError;

use aside_session::{FileRead, ReadExtent};
use aside_user_files::open::{OpenErrorKind, TrustedDir};

use super::Workspace;
use crate::refusal::Refusal;

/// How long a file may be to change or write it.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

impl Workspace {
    /// Replaces a file by what `change` makes of its text, which is `None` if the file does not
    /// exist. Creates the directories on its path. Returns the file's record, which the model knows
    /// to this extent.
    ///
    /// # Errors
    ///
    /// Plan mode is on, and it is not the plan's file; the path is outside, has a `..`, or is in a `.git` directory; the file is
    /// not a text of at most 4 MiB; or `change` refuses.
    pub(crate) fn change(
        &self,
        given: &str,
        extent: ReadExtent,
        change: impl FnOnce(Option<&str>) -> Result<String, Refusal>,
    ) -> Result<FileRead, Refusal> {
        let refuse = |why: &str| Refusal::new(given, why);
        let path = self.cwd.join(given);
        let is_git = |part: &OsStr| {
            part.to_string_lossy().trim_end_matches([' ', '.']).eq_ignore_ascii_case(".git")
        };
        let mut parts = path.components();
        if given.contains('\0') || parts.any(|part| part == Component::ParentDir) {
            return Err(refuse("a path to change has no .. and no NUL in it"));
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(refuse("not a file"));
        };
        if let Some(plan) = self.plan_file.as_ref().filter(|plan| **plan != path) {
            return Err(refuse(&format!(
                "plan mode is on: change nothing but {} before the user has accepted the plan",
                plan.display()
            )));
        }
        let _held = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let (dir, missing) = self.nearest_dir(given, parent)?;
        if dir.path().join(&missing).join(name).iter().any(is_git) {
            return Err(refuse("files of git are not changed"));
        }
        let before = match dir.open_file(&missing.join(name)) {
            Ok(file) => Some(file.read(MAX_BYTES).map_err(|it| Refusal::open(given, &it))?),
            Err(error) if error.is_missing() => None,
            Err(error) if error.kind() == OpenErrorKind::Outside => return Err(refuse(OUTSIDE)),
            // Below a directory, links are not resolved first.
            Err(error) if error.kind() == OpenErrorKind::Exchanged => {
                return Err(refuse("a link: change the file that it leads to"));
            }
            Err(error) => return Err(Refusal::open(given, &error)),
        };
        let before = before.map(String::from_utf8).transpose();
        let before = before.map_err(|_| refuse("not a text in UTF-8"))?;
        let text = change(before.as_deref())?;
        if text.len() as u64 > MAX_BYTES {
            return Err(refuse("a text of more than 4 MiB"));
        }
        let written = dir.create_dir_all(&missing).and_then(|dir| {
            dir.replace_file(Path::new(name), text.as_bytes())?;
            dir.open_file(Path::new(name))
        });
        let file = written.map_err(|error| Refusal::open(given, &error))?;
        let opened = crate::opened_file::OpenedFile::new(file, &path);
        Ok(opened.into_read(&path, extent, Some(text)))
    }

    /// Opens the nearest existing directory above a file, inside the session's directories, and
    /// returns it with the path of those that are missing.
    fn nearest_dir(
        &self,
        given: &str,
        parent: &Path,
    ) -> Result<(TrustedDir, std::path::PathBuf), Refusal> {
        let fence = &self.edits;
        let mut above = parent.ancestors();
        let dir = above.find_map(|dir| match fence.open_dir(dir) {
            Err(error) if error.is_missing() => None,
            opened => Some((dir, opened)),
        });
        let (dir, opened) = dir.ok_or_else(|| Refusal::new(given, OUTSIDE))?;
        let opened = opened.map_err(|error| match error.kind() {
            OpenErrorKind::Outside => Refusal::new(given, OUTSIDE),
            _ => Refusal::open(given, &error),
        })?;
        let missing = parent.strip_prefix(dir).unwrap_or(Path::new(""));
        Ok((opened, missing.to_owned()))
    }
}

/// Why a path that leads elsewhere is refused.
const OUTSIDE: &str = "outside of the directories that you work in";
