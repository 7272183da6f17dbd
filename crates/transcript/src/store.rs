//! Where one project's transcripts are stored.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use aside_user_files::open::open_file;
use uuid::Uuid;

use crate::contents::Contents;
use crate::error::TranscriptError;
use crate::owner::Owner;
use crate::session_file::{self, SessionFile};

/// A line per session: when it began, in seconds since 1970.
const STARTS: &str = "starts";

/// How many bytes to read from the end of that file: about 180 starts.
const MAX_STARTS_BYTES: u64 = 2_000;

/// One project's transcripts: `<root>/sessions/<project>/<id>.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionStore {
    directory: PathBuf,
}

impl SessionStore {
    /// Returns the store for a project below `root`, such as `~/.aside`.
    /// Creates nothing. No two projects share a directory.
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
        let name: String =
            project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        // The end of a long path identifies it best; the hash tells apart paths
        // that become the same name.
        let from = name.len().saturating_sub(100);
        let hash = Uuid::new_v5(&Uuid::nil(), project.as_bytes()).simple();
        let name = format!("{}-{:.8}", &name[from..], hash.to_string());
        Self { directory: root.as_ref().join("sessions").join(name) }
    }

    /// Returns the directory with the transcripts.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of a session's transcript.
    ///
    /// Creates nothing.
    #[must_use]
    pub fn path(&self, id: Uuid) -> PathBuf {
        self.directory.join(format!("{id}.jsonl"))
    }

    /// Creates a transcript for a new session, readable by the user only.
    ///
    /// # Errors
    ///
    /// A transcript with this id exists, or the directory cannot be created.
    pub fn create(&self, id: Uuid) -> Result<SessionFile, TranscriptError> {
        create_private(&self.directory)
            .map_err(|error| TranscriptError::io(&self.directory, &error))?;
        SessionFile::create(&self.path(id))
    }

    /// Opens a transcript to continue its session; see [`SessionFile::open`].
    ///
    /// # Errors
    ///
    /// Those of [`SessionFile::open`].
    pub fn open(&self, id: Uuid) -> Result<(SessionFile, Contents), TranscriptError> {
        SessionFile::open(&self.path(id), Owner::Session)
    }

    /// Records that a session begins in this project.
    ///
    /// The files' own times would not do: a copied directory has new ones.
    ///
    /// # Errors
    ///
    /// The directory cannot be created, or the file cannot be written.
    pub fn record_start(&self, now: SystemTime) -> Result<(), TranscriptError> {
        let since = now.duration_since(SystemTime::UNIX_EPOCH);
        let line = format!("{}\n", since.unwrap_or_default().as_secs());
        let path = self.directory.join(STARTS);
        let append = || {
            create_private(&self.directory)?;
            let mut options = OpenOptions::new();
            let mut file = options.append(true).create(true).open(&path)?;
            file.write_all(line.as_bytes())
        };
        append().map_err(|error| TranscriptError::io(&path, &error))
    }

    /// Returns how long ago the latest sessions began, as [recorded](Self::record_start). Sessions
    /// in the future are left out; an unreadable directory has none.
    #[must_use]
    pub fn ages(&self, now: SystemTime) -> Vec<Duration> {
        let read = || -> io::Result<String> {
            let mut file = open_file(&self.directory.join(STARTS))?.into_file();
            let length = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(length.saturating_sub(MAX_STARTS_BYTES)))?;
            let mut text = String::new();
            file.take(MAX_STARTS_BYTES).read_to_string(&mut text)?;
            Ok(text)
        };
        let age = |line: &str| {
            let began = Duration::from_secs(line.parse().ok()?);
            now.duration_since(SystemTime::UNIX_EPOCH.checked_add(began)?).ok()
        };
        read().unwrap_or_default().lines().filter_map(age).collect()
    }

    /// Reads a transcript without changing or locking it.
    ///
    /// # Errors
    ///
    /// Those of [`read`](crate::read).
    pub fn read(&self, id: Uuid) -> Result<Contents, TranscriptError> {
        session_file::read(&self.path(id))
    }
}

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
        assert_ne!(directory("/home/mia/shop/a b"), directory("/home/mia/shop/a-b"));
    }

    #[test]
    fn the_ages_of_sessions() {
        let root = tempfile::tempdir().unwrap();
        let store = SessionStore::new(root.path(), "/p");
        assert_eq!(store.ages(SystemTime::now()), []);
        let now = SystemTime::now();
        for minutes in [0, 12, 700] {
            store.record_start(now + Duration::from_secs(60 * minutes)).unwrap();
        }
        let ages = store.ages(now + Duration::from_secs(60 * 20));
        let minutes: Vec<u64> = ages.iter().map(|age| age.as_secs() / 60).collect();
        assert_eq!(minutes, [20, 8]);
        // Only the latest are read, and damage is skipped.
        for _ in 0..300 {
            store.record_start(now).unwrap();
        }
        let path = store.directory().join(STARTS);
        OpenOptions::new().append(true).open(path).unwrap().write_all(b"x\n").unwrap();
        assert!((150..200).contains(&store.ages(now).len()));
    }

    #[test]
    fn a_long_path_gives_a_short_name() {
        assert!(directory(&"/文档/long".repeat(900)).len() < 200);
    }
}
