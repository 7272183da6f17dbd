//! Reading files for a session: mentions in a prompt, and files that may have
//! changed since the model read them.

mod content;

use std::fmt;
use std::sync::PoisonError;

use aside_attachments::{Attachment, Directory, LineRange};
use aside_session::{FileRead, Files, MentionError, MentionErrorKind, Mentioned, ReadState};
use aside_user_files::open::{DirEntryKind, OpenError, OpenErrorKind, TrustedDir};

use crate::file_head::{head, text};
use crate::stamp;
use crate::workspace::{Place, Workspace};

/// How many entries a directory may have.
const MAX_ENTRIES: usize = 100_000;

/// Reads within the directories of the workspace.
impl Files for Workspace {
    /// Returns the attachment for a file or directory; `None` if there is none
    /// at the path.
    ///
    /// # Errors
    /// The path leads outside the session's directories, or its content cannot
    /// be shown.
    fn mentioned(
        &self,
        path: &str,
        lines: Option<LineRange>,
    ) -> Result<Option<Mentioned>, MentionError> {
        // An error of `None` says that nothing is at the path.
        let failed = |error: OpenError| (!error.is_missing()).then(|| refused(path, &error));
        let mentioned = || -> Result<Mentioned, Option<MentionError>> {
            let place = self.find(path).map_err(failed)?;
            if place.resolved.is_dir() {
                let dir = place.open_dir().map_err(failed)?;
                return Ok(directory(path, &place, &dir)?);
            }
            let mut opened = place.open().map_err(failed)?;
            let error = |kind, reason: &dyn fmt::Display| MentionError::new(kind, path, reason);
            let head =
                head(&mut opened).map_err(|fault| error(MentionErrorKind::Unreadable, &fault))?;
            Ok(content::of(&place.path, opened, head, lines)
                .map_err(|reason| error(MentionErrorKind::Unsupported, &reason))?)
        };
        mentioned().map(Some).or_else(|error| error.map_or(Ok(None), Err))
    }

    /// Compares a file with what the model read. First compares the stamp,
    /// which takes one look at the file; a file with the same stamp is not
    /// opened. `None` also means that the file is gone or cannot be compared.
    fn changed(&self, then: &FileRead) -> Option<FileRead> {
        if stamp::is_untouched(then) {
            return None;
        }
        let place = self.place(then.path.to_str()?).ok()?;
        let mut opened = place.open().ok()?;
        let is_same = opened.identity == then.identity
            && opened.modified.is_some()
            && opened.modified == then.modified;
        if is_same && then.stamp.is_none() {
            return None;
        }
        let head = head(&mut opened).ok()?;
        let text = text(&then.path, head);
        // Only texts can be compared.
        if is_same && text.is_none() {
            return None;
        }
        Some(opened.into_read(&then.path, then.extent, text))
    }

    fn is_removed(&self, then: &FileRead) -> bool {
        !then.path.is_file()
    }

    fn set_known(&self, known: &ReadState) {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.known = Some(known.clone());
    }
}

/// Lists the names in a directory, directories with a slash at the end, sorted.
fn directory(path: &str, place: &Place, dir: &TrustedDir) -> Result<Mentioned, MentionError> {
    let found = dir.entries(MAX_ENTRIES).map_err(|error| refused(path, &error))?;
    if found.is_cut {
        let reason = format!("a directory of more than {MAX_ENTRIES} entries");
        return Err(MentionError::new(MentionErrorKind::Unsupported, path, reason));
    }
    let mut entries: Vec<_> = found
        .list
        .iter()
        .map(|entry| {
            let mut name = entry.name.to_string_lossy().into_owned();
            if entry.kind == DirEntryKind::Directory {
                name.push('/');
            }
            name
        })
        .collect();
    entries.sort();
    Ok(Mentioned {
        attachment: Attachment::Directory(Directory {
            path: place.path.to_string_lossy().into_owned(),
            entries,
        }),
        read: None,
    })
}

/// Converts the error from opening a path to a mention's.
fn refused(path: &str, error: &OpenError) -> MentionError {
    let (kind, reason) = match error.kind() {
        OpenErrorKind::Outside => {
            let target = error.target().unwrap_or(error.path()).display();
            let reason = format!("outside the directories of the session: {target}");
            (MentionErrorKind::Outside, reason)
        }
        OpenErrorKind::NotAFile(_) => (MentionErrorKind::NotAFile, error.message()),
        _ => (MentionErrorKind::Unreadable, error.message()),
    };
    MentionError::new(kind, path, reason)
}
