//! The files that the model already has, by path and by inode. The same file
//! under another name, or unchanged, is not given again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::links::path_value;
use crate::read::FileId;

/// The files that were given to the model, each once under any of its names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Given>", into = "Vec<Given>")]
pub(crate) struct GivenFiles {
    /// Records, in the order that the files were first given.
    list: Vec<Given>,
    /// By identity, the record's index.
    by_id: HashMap<FileId, usize>,
    /// By resolved path, the record's index.
    by_path: HashMap<PathBuf, usize>,
}

/// One file that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Given {
    /// The path under which it was given.
    #[serde(with = "path_value")]
    pub(crate) path: PathBuf,
    /// The same path with symbolic links resolved.
    #[serde(with = "path_value")]
    pub(crate) resolved: PathBuf,
    /// Which file it was when it was read.
    pub(crate) id: FileId,
    /// A fingerprint of the bytes on disk.
    pub(crate) fingerprint: u64,
}

/// The maps are indexes of the list.
impl PartialEq for GivenFiles {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl GivenFiles {
    /// Returns the same file's earlier record, if there is one.
    pub(crate) fn find(&self, file: &Given) -> Option<&Given> {
        let same_id = self.by_id.get(&file.id).map(|&at| &self.list[at]);
        // An inode number is used again after its file is removed.
        let same_id = same_id.filter(|given| {
            given.resolved == file.resolved || is_still(&given.resolved, &given.id)
        });
        same_id.or_else(|| self.by_path.get(&file.resolved).map(|&at| &self.list[at]))
    }

    /// Returns the paths under which files were given.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|given| given.path.as_path())
    }

    /// Returns the path under which this file was given, if it was.
    pub(crate) fn other_name(&self, path: &Path) -> Option<&Path> {
        let at = self.by_path.get(&path.canonicalize().ok()?)?;
        Some(&self.list[*at].path)
    }

    /// Records a file, replacing an earlier record.
    pub(crate) fn record(&mut self, file: Given) {
        let at = self.by_path.get(&file.resolved).copied().unwrap_or(self.list.len());
        self.by_id.insert(file.id.clone(), at);
        self.by_path.insert(file.resolved.clone(), at);
        if at == self.list.len() {
            self.list.push(file);
        } else {
            self.list[at] = file;
        }
    }
}

/// Returns true if `path` still points to the same inode.
fn is_still(path: &Path, id: &FileId) -> bool {
    FileId::at(path).is_some_and(|now| now == *id)
}

impl From<Vec<Given>> for GivenFiles {
    fn from(list: Vec<Given>) -> Self {
        let mut files = Self::default();
        for given in list {
            files.record(given);
        }
        files
    }
}

impl From<GivenFiles> for Vec<Given> {
    fn from(files: GivenFiles) -> Self {
        files.list
    }
}

/// Returns a hash that detects a changed file: fast, and the same in every
/// process and release, unlike the standard library's. It does not resist
/// deliberate collisions.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut hash = mix(0x9e37_79b9_7f4a_7c15, bytes.len() as u64);
    for word in &mut words {
        let word = word.try_into().expect("a word has 8 bytes");
        hash = mix(hash, u64::from_le_bytes(word));
    }
    for &byte in words.remainder() {
        hash = mix(hash, u64::from(byte));
    }
    hash
}

fn mix(hash: u64, word: u64) -> u64 {
    // Both steps are invertible, so a difference in one word always changes the
    // hash.
    (hash.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd)
}
