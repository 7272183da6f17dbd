//! The files that the model knows, at most 500. Of a text above 256 KB only the
//! hash is kept.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::file_read::{FileIdentity, FileRead, ReadExtent};

/// How long a text may be to keep it for comparison, in bytes.
const MAX_KEPT_TEXT_BYTES: usize = 256 * 1024;

/// How many files to record.
const MAX_FILES: usize = 500;

/// How many of the latest files to look at before each request.
const LATEST: usize = 20;

/// How many of the others to look at, at least: some leave the latest ones meanwhile.
const OTHERS: usize = 16;

/// Within how many requests to look at all of the others.
const ROUND: usize = 10;

/// Chooses the files to look at before a request, since each costs a system
/// call: the latest and, in turn, some of the others.
#[derive(Debug, Default)]
pub(crate) struct Look {
    /// The others below this index are still to be looked at, all of them if it
    /// is 0; `None` if the next look is at all files.
    below: Option<usize>,
}

impl Look {
    /// Makes the next look one at all files.
    pub(crate) fn at_all(&mut self) {
        self.below = None;
    }

    /// Returns the indexes of the files to look at now.
    ///
    /// It goes down, and a file that is read again leaves its place: the files
    /// after it move down as well, so none is passed over.
    pub(crate) fn next(&mut self, len: usize) -> impl Iterator<Item = usize> + use<> {
        let latest = len.saturating_sub(LATEST);
        let others = latest.div_ceil(ROUND).max(OTHERS);
        let end = self.below.filter(|below| *below > 0);
        let end = end.unwrap_or(latest).min(latest);
        let start = match self.below {
            None => 0,
            Some(_) => end.saturating_sub(others),
        };
        let others = start..end;
        self.below = Some(start);
        others.chain(latest..len)
    }
}

/// The files that the model has seen, in the state that it saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadState {
    /// The files, the latest read last. They are shared with the thread that looks for changes
    /// before each request. Each is shared by itself, so that the list is short to move.
    files: Arc<Vec<Arc<KnownFile>>>,
    /// Each file's keys, in the same order. A file that is read is compared with all known ones,
    /// and two numbers are far cheaper to compare than paths.
    keys: Vec<Keys>,
    /// How many files were inserted since the last ones got their place: they are at the end.
    inserted: usize,
}

/// Hashes of a path and of an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Keys {
    path: u64,
    identity: u64,
}

impl Keys {
    /// `path` is the file's, in [`plain`] form.
    fn new(path: &Path, identity: &FileIdentity) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        Self { path: hasher.hash_one(path.as_os_str()), identity: hasher.hash_one(identity) }
    }
}

/// A file that the model has seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFile {
    /// The read, without a text above 256 KB.
    pub read: FileRead,
    /// The hash of a text that is not kept. It does not resist deliberate
    /// collisions. Earlier versions recorded the hash of every text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Uuid>,
    /// How many entries the conversation had once it showed the file; `None` as long as the entry
    /// is not appended. A change that is shown later does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
}

impl KnownFile {
    /// Records a read.
    #[must_use]
    pub fn new(mut read: FileRead) -> Self {
        let long = read.text.take_if(|text| text.len() > MAX_KEPT_TEXT_BYTES);
        let hash = long.as_deref().map(hash);
        Self { read, hash, entries: None }
    }

    /// Returns the file in a later state, of which the model knows as much.
    pub(crate) fn with_state(&self, now: FileRead) -> Self {
        let read = FileRead { extent: self.read.extent, ..now };
        Self { entries: self.entries, ..Self::new(read) }
    }

    /// Returns the file after the model read it again, or edited it.
    pub(crate) fn after(&self, read: &FileRead) -> Self {
        match read.extent {
            // The model has seen the whole text earlier.
            ReadExtent::Part | ReadExtent::Edit if self.is_known_as(read) => {
                self.with_state(read.clone())
            }
            // An edit shows no more than itself.
            ReadExtent::Edit => {
                let extent = self.read.extent.after_edit();
                Self { entries: self.entries, ..Self::new(FileRead { extent, ..read.clone() }) }
            }
            _ => Self::new(read.clone()),
        }
    }

    /// Returns true for an image, a document or a notebook.
    fn is_media(&self) -> bool {
        self.read.text.is_none() && self.hash.is_none()
    }

    /// Returns the path as text, as the model gets it.
    pub(crate) fn path(&self) -> String {
        self.read.path.to_string_lossy().into_owned()
    }

    /// Returns true if the model has seen the whole file as this read shows it.
    pub(crate) fn is_known_as(&self, now: &FileRead) -> bool {
        self.read.extent == ReadExtent::Whole
            && self.is(&plain(&now.path), now)
            && self.is_current(now)
    }

    /// Returns true if the file has not changed since this read, of which `now` is a later one.
    #[must_use]
    pub fn is_current(&self, now: &FileRead) -> bool {
        let same_time = || self.read.modified.is_some() && self.read.modified == now.modified;
        self.has_text_of(now).unwrap_or_else(same_time)
    }

    /// Returns true if the text equals this read's; `None` if one of them is not
    /// known.
    pub(crate) fn has_text_of(&self, now: &FileRead) -> Option<bool> {
        let text = now.text.as_deref()?;
        match &self.read.text {
            Some(before) => Some(**before == *text),
            None => self.hash.map(|before| before == hash(text)),
        }
    }

    /// Returns true if both are the same file by path or by identity; an editor
    /// may have replaced the file. `path` is the other one's, in [`plain`] form.
    fn is(&self, path: &Path, other: &FileRead) -> bool {
        self.has_path(path) || self.read.identity == other.identity
    }

    fn has_path(&self, path: &Path) -> bool {
        self.read.path.as_os_str() == path.as_os_str()
    }
}

/// Returns the path in a form that equal paths share, byte for byte. Comparing bytes is far cheaper
/// than comparing components.
fn plain(path: &Path) -> PathBuf {
    path.components().collect()
}

fn hash(text: &str) -> Uuid {
    Uuid::new_v5(&Uuid::nil(), text.as_bytes())
}

impl ReadState {
    /// Returns the files, latest read last.
    #[must_use]
    pub fn files(&self) -> &[Arc<KnownFile>] {
        &self.files
    }

    /// Returns the files for another thread.
    pub(crate) fn shared(&self) -> Arc<Vec<Arc<KnownFile>>> {
        Arc::clone(&self.files)
    }

    /// Returns the latest read of the same file.
    #[must_use]
    pub fn find(&self, read: &FileRead) -> Option<&KnownFile> {
        let path = plain(&read.path);
        let keys = Keys::new(&path, &read.identity);
        let may_be = |it: &Keys| it.path == keys.path || it.identity == keys.identity;
        let mut files = self.keys.iter().zip(self.files.iter());
        let found = files.rfind(|(key, file)| may_be(key) && file.is(&path, read));
        found.map(|(_, file)| file.as_ref())
    }

    /// Records a file and removes an earlier read of it. Above the limit, the
    /// oldest files are removed.
    pub fn insert(&mut self, mut file: KnownFile) {
        file.read.path = plain(&file.read.path);
        let keys = Keys::new(&file.read.path, &file.read.identity);
        let files = Arc::make_mut(&mut self.files);
        let mut known = self.keys.iter().zip(files.iter());
        let earlier =
            known.position(|(key, it)| key.path == keys.path && it.has_path(&file.read.path));
        if let Some(at) = earlier.or((files.len() >= MAX_FILES).then_some(0)) {
            files.remove(at);
            self.keys.remove(at);
        }
        files.push(Arc::new(file));
        self.keys.push(keys);
        self.inserted += 1;
    }

    /// Sets the conversation's length for the files that its last entries show.
    pub(crate) fn place(&mut self, entries: u64) {
        let inserted = std::mem::take(&mut self.inserted).min(self.files.len());
        let first = self.files.len() - inserted;
        if self.files[first..].iter().any(|file| file.entries.is_none()) {
            let files = Arc::make_mut(&mut self.files)[first..].iter_mut();
            for file in files.filter(|file| file.entries.is_none()) {
                Arc::make_mut(file).entries = Some(entries);
            }
        }
    }

    /// Removes and returns the files that were shown while the conversation had so many entries.
    pub(crate) fn remove_shown(&mut self, entries: RangeInclusive<u64>) -> Vec<Arc<KnownFile>> {
        self.remove(|file| file.entries.is_some_and(|at| entries.contains(&at)))
    }

    /// Removes and returns these files.
    pub(crate) fn remove(
        &mut self,
        is_removed: impl Fn(&KnownFile) -> bool,
    ) -> Vec<Arc<KnownFile>> {
        let mut removed = Vec::new();
        for index in (0..self.files.len()).rev() {
            if is_removed(&self.files[index]) {
                removed.push(Arc::make_mut(&mut self.files).remove(index));
                self.keys.remove(index);
            }
        }
        removed
    }

    /// Marks the images and documents of the first entries as no longer sent.
    pub(crate) fn lose_media(&mut self, entries: u64) {
        let is_lost = |file: &KnownFile| {
            file.is_media()
                && file.read.extent == ReadExtent::Whole
                && file.entries.is_some_and(|at| at <= entries)
        };
        if self.files.iter().any(|file| is_lost(file)) {
            let files = Arc::make_mut(&mut self.files).iter_mut();
            for file in files.filter(|file| is_lost(file)) {
                Arc::make_mut(file).read.extent = ReadExtent::Stale;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns up to `count` latest files, in order.
    pub(crate) fn newest(&self, count: usize) -> Vec<KnownFile> {
        let from = self.files.len().saturating_sub(count);
        self.files[from..].iter().map(|it| it.as_ref().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(path: &str, text: Option<&str>, at: u64) -> FileRead {
        FileRead {
            path: path.into(),
            identity: FileIdentity::Path(path.into()),
            modified: Some(Duration::from_secs(at)),
            stamp: None,
            extent: ReadExtent::Whole,
            text: text.map(Into::into),
        }
    }

    #[test]
    fn a_file_is_known_by_its_text() {
        let known = KnownFile::new(read("/a", Some("x"), 1));
        assert!(known.is_known_as(&read("/a", Some("x"), 2)));
        assert!(!known.is_known_as(&read("/a", Some("y"), 1)));
        assert!(!known.is_known_as(&read("/b", Some("x"), 1)));
        let part = FileRead { extent: ReadExtent::Part, ..read("/a", Some("x"), 1) };
        assert!(!KnownFile::new(part).is_known_as(&read("/a", Some("x"), 1)));
        let image = KnownFile::new(read("/a", None, 1));
        assert!(image.is_known_as(&read("/a", None, 1)));
        assert!(!image.is_known_as(&read("/a", None, 2)));
    }

    /// New files and files that are read again come between the looks.
    #[test]
    fn every_file_is_looked_at_within_twelve_requests() {
        for count in [40, 60, 100, 180, 300, 471, MAX_FILES] {
            let mut look = Look::default();
            // Each file's name, and the request before which it was last looked at.
            let mut files: Vec<(usize, usize)> = (0..count).map(|file| (file, 0)).collect();
            assert_eq!(look.next(count).count(), count);
            for request in 1..400 {
                let again = files.remove(request * 7919 % count);
                files.push(again);
                if request % 3 == 0 {
                    files.remove(0);
                    files.push((count + request, request));
                }
                let due: Vec<usize> = look.next(count).collect();
                assert!(due.len() <= LATEST + MAX_FILES.div_ceil(ROUND), "{}", due.len());
                for index in due {
                    files[index].1 = request;
                }
                let oldest = files.iter().map(|file| file.1).min();
                assert!(oldest.is_some_and(|it| request - it < 12), "{request}: {oldest:?}");
            }
            look.at_all();
            assert_eq!(look.next(count).count(), count);
        }
    }

    #[test]
    fn one_path_in_two_spellings_is_one_file() {
        let mut state = ReadState::default();
        for path in ["/a//b", "/a/./b/", "/a/b", "/a/c"] {
            state.insert(KnownFile::new(read(path, None, 1)));
        }
        let paths: Vec<String> = state.files().iter().map(|it| it.path()).collect();
        assert_eq!(paths, ["/a/b", "/a/c"]);
        assert!(state.find(&read("/a/b//", None, 1)).is_some());
        assert!(state.find(&read("/a", None, 1)).is_none());
    }

    #[test]
    fn a_long_text_is_kept_as_a_hash() {
        let long = "x".repeat(MAX_KEPT_TEXT_BYTES + 1);
        let known = KnownFile::new(read("/a", Some(&long), 1));
        assert_eq!(known.read.text, None);
        assert!(known.is_known_as(&read("/a", Some(&long), 2)));
    }

    #[test]
    fn the_oldest_files_are_removed() {
        let mut state = ReadState::default();
        for index in 0..=MAX_FILES {
            let path = format!("/{index}");
            state.insert(KnownFile::new(read(&path, None, 0)));
        }
        assert_eq!(state.files().len(), MAX_FILES);
        assert!(state.find(&read("/0", None, 0)).is_none());
        state.insert(KnownFile::new(read("/1", None, 0)));
        assert_eq!(state.files().last().unwrap().path(), "/1");
        assert_eq!(state.files().len(), MAX_FILES);
    }
}
