//! Changing files, only inside the session's directories.

use std::ffi::OsStr;
use std::path::{Component, Path};
use std::sync::PoisonError;

use aside_session::{FileIdentity, FileRead, KnownFile, ReadExtent};
use aside_user_files::open::{OpenErrorKind, TrustedDir};

use super::Workspace;
use crate::file_head::{self, Head, MAX_WHOLE_BYTES, head};
use crate::opened_file::OpenedFile;
use crate::refusal::Refusal;

impl Workspace {
    /// Replaces a file by what `change` makes of its text, which is `None` if the file does not
    /// exist. Creates the directories on its path. Returns the file's record, with this extent:
    /// the session knows to which one the file was read before an edit.
    ///
    /// # Errors
    ///
    /// Plan mode is on, and it is not the plan's file; the path is outside, has a `..`, or is in a
    /// `.git` directory; the file is not a text of at most 4 MiB, or not as the session's model
    /// knows it; or `change` refuses.
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
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let (dir, missing) = self.nearest_dir(given, parent)?;
        if dir.path().join(&missing).join(name).iter().any(is_git) {
            return Err(refuse("files of git are not changed"));
        }
        let too_long = || refuse("a text of more than 4 MiB");
        let before = match dir.open_file(&missing.join(name)) {
            Ok(file) => {
                let mut opened = OpenedFile::new(file, &path);
                let head = head(&mut opened).map_err(|error| Refusal::new(given, error))?;
                let text = String::from_utf8(head.bytes);
                if !head.is_whole {
                    return Err(too_long());
                }
                let text = text.map_err(|_| refuse("not a text in UTF-8"))?;
                Some(opened.into_read(&path, extent, Some(text)))
            }
            Err(error) if error.is_missing() => None,
            Err(error) if error.kind() == OpenErrorKind::Outside => return Err(refuse(OUTSIDE)),
            // Below a directory, links are not resolved first.
            Err(error) if error.kind() == OpenErrorKind::Exchanged => {
                return Err(refuse("a link: change the file that it leads to"));
            }
            Err(error) => return Err(Refusal::open(given, &error)),
        };
        // A preview has not written what its earlier calls change.
        let before = changes.planned.get(&path).cloned().or(before);
        let mut seen = extent;
        if let (Some(known), Some(before)) = (&changes.known, &before) {
            let known = known.find(before);
            let changed = || refuse("it changed since you read it: read it again");
            if known.is_some_and(|it| !it.is_current(before)) {
                return Err(changed());
            }
            match known.map(|it| it.read.extent) {
                // An edit names the text that it replaces, and is no read of the file.
                known if extent == ReadExtent::Edit => {
                    seen = known.map_or(extent, ReadExtent::after_edit);
                }
                Some(ReadExtent::Whole | ReadExtent::Part) => {}
                Some(ReadExtent::Stale) => return Err(changed()),
                _ => return Err(refuse("it exists and was not read: read it first")),
            }
        }
        let text = change(before.as_ref().and_then(|it| it.text.as_deref()))?;
        if text.len() as u64 > MAX_WHOLE_BYTES {
            return Err(too_long());
        }
        let now = if self.is_preview {
            let new = || FileRead {
                identity: FileIdentity::Path(path.clone()),
                path: path.clone(),
                modified: None,
                stamp: None,
                extent,
                text: None,
            };
            let now = FileRead { text: Some(text.into()), extent, ..before.unwrap_or_else(new) };
            changes.planned.insert(path, now.clone());
            now
        } else {
            let written = dir.create_dir_all(&missing).and_then(|dir| {
                dir.replace_file(Path::new(name), text.as_bytes())?;
                dir.open_file(Path::new(name))
            });
            let file = written.map_err(|error| Refusal::open(given, &error))?;
            let head = Head { bytes: text.into_bytes(), is_whole: true };
            let text = file_head::text(&path, head);
            OpenedFile::new(file, &path).into_read(&path, extent, text)
        };
        if let Some(known) = &mut changes.known {
            known.insert(KnownFile::new(FileRead { extent: seen, ..now.clone() }));
        }
        Ok(now)
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
