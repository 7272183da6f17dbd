//! The directory of the transcripts of one project.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use uuid::Uuid;

use crate::contents::Contents;
use crate::error::TranscriptError;
use crate::owner::Owner;
use crate::session_file::{self, SessionFile};

/// The maximum number of files of the directory that are looked at for the ages
/// of sessions.
const MAX_LISTED_FILES: usize = 10_000;

/// The maximum number of ages that are returned.
const MAX_AGES: usize = 100;

/// The transcripts of one project: `<root>/sessions/<project>/<id>.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionStore {
    directory: PathBuf,
}

impl SessionStore {
    /// Returns the store of a project below `root`, such as `~/.aside`. Nothing
    /// is created. Two projects never share a directory.
    ///
    /// ```
    /// use aside_transcript::SessionStore;
    ///
    /// let store = SessionStore::new("/home/mia/.aside", "/home/mia/shop");
    /// assert_eq!(
    ///     store.directory(),
    ///     "/home/mia/.aside/sessions/-home-mia-shop-505aff27",
    /// );
    /// ```
    #[must_use]
    pub fn new(root: impl AsRef<Path>, project: impl AsRef<Path>) -> Self {
        let project = project.as_ref().to_string_lossy();
        let name: String = project
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        // The end of a long path identifies it best; the hash distinguishes
        // paths with the same spelling.
        let from = name.len().saturating_sub(100);
        let hash = Uuid::new_v5(&Uuid::nil(), project.as_bytes()).simple();
        let name = format!("{}-{:.8}", &name[from..], hash.to_string());
        Self {
            directory: root.as_ref().join("sessions").join(name),
        }
    }

    /// Returns the directory of the project's transcripts.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of a session's transcript.
    ///
    /// Nothing is created.
    #[must_use]
    pub fn path(&self, id: Uuid) -> PathBuf {
        self.directory.join(format!("{id}.jsonl"))
    }

    /// Creates the transcript of a new session, readable by the user only.
    ///
    /// # Errors
    ///
    /// A transcript with this id exists, or the directory cannot be created.
    pub fn create(&self, id: Uuid) -> Result<SessionFile, TranscriptError> {
        create_private(&self.directory)
            .map_err(|error| TranscriptError::io(&self.directory, &error))?;
        SessionFile::create(&self.path(id))
    }

    /// Opens the transcript of a session to continue it; see
    /// [`SessionFile::open`].
    ///
    /// # Errors
    ///
    /// Those of [`SessionFile::open`].
    pub fn open(&self, id: Uuid) -> Result<(SessionFile, Contents), TranscriptError> {
        SessionFile::open(&self.path(id), Owner::Session)
    }

    /// Returns how long ago the latest sessions began, at most 100 of them, the
    /// latest first. A directory that cannot be read has none.
    #[must_use]
    pub fn ages(&self, now: SystemTime) -> Vec<Duration> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten();
        let begun = entries.take(MAX_LISTED_FILES).filter_map(|entry| {
            let entry = entry.ok()?;
            let path = entry.path();
            let is_transcript = path.extension().is_some_and(|it| it == "jsonl");
            let metadata = entry.metadata().ok().filter(|_| is_transcript)?;
            let begun = metadata.created().or_else(|_| metadata.modified()).ok()?;
            now.duration_since(begun).ok()
        });
        let mut ages: Vec<Duration> = begun.collect();
        ages.sort_unstable();
        ages.truncate(MAX_AGES);
        ages
    }

    /// Reads the transcript of a session without changing or locking it.
    ///
    /// # Errors
    ///
    /// Those of [`read`](crate::read).
    pub fn read(&self, id: Uuid) -> Result<Contents, TranscriptError> {
        session_file::read(&self.path(id))
    }
}

/// Creates directories that only the user can list.
fn create_private(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(project: &str) -> String {
        let store = SessionStore::new("/home/mia/.aside", project);
        store.directory().to_string_lossy().into_owned()
    }

    #[test]
    fn every_project_has_its_own_directory() {
        assert_eq!(
            directory("/home/mia/shop/a b"),
            "/home/mia/.aside/sessions/-home-mia-shop-a-b-e0ff843b"
        );
        assert_ne!(
            directory("/home/mia/shop/a b"),
            directory("/home/mia/shop/a-b")
        );
    }

    #[test]
    fn the_ages_of_sessions() {
        let root = tempfile::tempdir().unwrap();
        let store = SessionStore::new(root.path(), "/p");
        assert_eq!(store.ages(SystemTime::now()), []);
        drop(store.create(Uuid::from_u128(1)).unwrap());
        fs::write(store.directory().join("notes.txt"), "").unwrap();
        let later = SystemTime::now() + Duration::from_secs(720);
        let ages = store.ages(later);
        assert!(
            ages.len() == 1 && ages[0] >= Duration::from_secs(720),
            "{ages:?}"
        );
        // A session of the future has no age.
        assert_eq!(store.ages(SystemTime::UNIX_EPOCH), []);
    }

    #[test]
    fn a_long_path_gives_a_short_name() {
        assert!(directory(&"/文档/long".repeat(900)).len() < 200);
    }
}
