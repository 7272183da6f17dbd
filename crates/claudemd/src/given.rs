use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::path_value;
use crate::read::FileId;

/// The files that the model was given, each once, whatever its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Given>", into = "Vec<Given>")]
pub(crate) struct GivenFiles {
    list: Vec<Given>,
    by_id: HashMap<FileId, usize>,
    by_path: HashMap<PathBuf, usize>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Given {
    /// The path under which it was given.
    #[serde(with = "path_value")]
    pub(crate) path: PathBuf,
    #[serde(with = "path_value")]
    pub(crate) resolved: PathBuf,
    pub(crate) id: FileId,
    /// Of the bytes on disk.
    pub(crate) fingerprint: u64,
}

/// The maps only find what is in the list.
impl PartialEq for GivenFiles {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl GivenFiles {
    /// The earlier record of the file that is now `file`, if there is one.
    pub(crate) fn find(&self, file: &Given) -> Option<&Given> {
        let same_id = self.by_id.get(&file.id).map(|&at| &self.list[at]);
        // A number is used again once its file is gone.
        let same_id = same_id.filter(|given| {
            given.resolved == file.resolved || is_still(&given.resolved, &given.id)
        });
        same_id.or_else(|| self.by_path.get(&file.resolved).map(|&at| &self.list[at]))
    }

    /// Returns the paths under which files were given.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(|given| given.path.as_path())
    }

    /// Records a file, over what was known of it.
    pub(crate) fn record(&mut self, file: Given) {
        let at = match self.by_path.get(&file.resolved) {
            Some(&at) => at,
            None => self.list.len(),
        };
        self.by_id.insert(file.id.clone(), at);
        self.by_path.insert(file.resolved.clone(), at);
        if at == self.list.len() {
            self.list.push(file);
        } else {
            self.list[at] = file;
        }
    }
}

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

/// Tells a changed file from one that is not: the same in every process and
/// release, unlike the standard library's hash, and quick. It keeps nobody
/// from making two files that it takes for the same.
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
    // Both steps can be undone, so that one word that differs always shows.
    (hash.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd)
}
