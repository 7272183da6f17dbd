use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::path_value;
use crate::read::{self, FileId};

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
    read::id_of(path).is_some_and(|now| now == *id)
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

/// FNV-1a: the same in every process and release, unlike the standard
/// library's hash. Nothing but a changed file depends on it.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
