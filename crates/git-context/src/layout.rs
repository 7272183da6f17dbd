//! A repository's directories, as `.git` files and `commondir` files name them.

use std::path::{Path, PathBuf};

use crate::data_file::{self, ReadError};
use crate::{GitError, GitErrorKind};

const MAX_PATH_BYTES: u64 = 16 * 1024;

/// Where git keeps a repository's data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Holds `HEAD` and the index; each work tree has its own.
    pub(crate) git_dir: PathBuf,
    /// Holds configuration, branches and objects, which all work trees share.
    pub(crate) common_dir: PathBuf,
}

impl Layout {
    /// Finds the directories for the repository at a
    /// [`repository_root`](crate::repository_root).
    ///
    /// # Errors
    ///
    /// A file that names one is special or cannot be read: git may not run
    /// then, because the files that it would open are not known.
    pub(crate) fn of(root: &Path) -> Result<Self, GitError> {
        let entry = root.join(".git");
        let git_dir = match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => entry,
            // A linked work tree or a submodule.
            Ok(_) => read(&entry, root, b"gitdir: ")?.ok_or_else(|| unknown(&entry))?,
            // A bare repository.
            Err(error) if data_file::is_absent(&error) => root.to_owned(),
            Err(_) => return Err(unknown(&entry)),
        };
        let common_dir = read(&git_dir.join("commondir"), &git_dir, b"")?;
        Ok(Self { common_dir: common_dir.unwrap_or_else(|| git_dir.clone()), git_dir })
    }
}

/// Reads a file that holds a path, relative to `base`, and nothing else. Returns
/// `None` if there is no file.
fn read(file: &Path, base: &Path, prefix: &[u8]) -> Result<Option<PathBuf>, GitError> {
    let content = match data_file::read(file, MAX_PATH_BYTES) {
        Ok(Some(content)) => content,
        Ok(None) => return Ok(None),
        Err(ReadError::Special(kind)) => return Err(GitError::special_file(file, kind)),
        Err(ReadError::Other) => return Err(unknown(file)),
    };
    let path = content.strip_prefix(prefix).and_then(path);
    path.map(|path| Some(base.join(path))).ok_or_else(|| unknown(file))
}

fn unknown(file: &Path) -> GitError {
    GitError::new(GitErrorKind::Refused, file, "it names no directory")
}

/// Returns the path in a file that holds nothing else.
fn path(content: &[u8]) -> Option<&Path> {
    let last = content.iter().rposition(|byte| !b"\r\n".contains(byte))?;
    data_file::os_str(&content[..=last]).map(Path::new)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_work_tree_shares_the_common_directory() {
        let outside = tempfile::tempdir().unwrap();
        let main = outside.path().join("main");
        let linked = outside.path().join("linked");
        let own = main.join(".git/worktrees/linked");
        for directory in [&own, &linked] {
            fs::create_dir_all(directory).unwrap();
        }
        let of = |root: &Path| Layout::of(root).ok().map(|it| (it.git_dir, it.common_dir));
        let git = main.join(".git");
        assert_eq!(of(&main), Some((git.clone(), git)));

        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(of(&linked), Some((own.clone(), own.join("../.."))));

        fs::write(linked.join(".git"), "gitdir: ../main/.git\r\n").unwrap();
        let relative = linked.join("../main/.git");
        assert_eq!(of(&linked), Some((relative.clone(), relative)));

        assert_eq!(of(&own), Some((own.clone(), own.join("../.."))));
        fs::write(linked.join(".git"), "elsewhere\n").unwrap();
        assert_eq!(of(&linked), None);
        fs::write(own.join("commondir"), "\n").unwrap();
        assert_eq!(of(&own), None);
        // Git would accept it.
        fs::write(own.join("commondir"), format!("../..{}", "\n".repeat(17_000))).unwrap();
        assert_eq!(of(&own), None);
    }
}
