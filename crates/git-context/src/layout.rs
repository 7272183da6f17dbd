//! A repository's directories, as `.git` files and `commondir` files name them.

use std::path::{Path, PathBuf};

use crate::data_file::{self, ReadError, SpecialFile};

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
    /// [`repository_root`](crate::repository_root). Returns `None` if a file
    /// that names one cannot be read; git reports the reason.
    ///
    /// # Errors
    ///
    /// Such a file is a special one.
    pub(crate) fn of(root: &Path) -> Result<Option<Self>, SpecialFile> {
        let entry = root.join(".git");
        let git_dir = match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => entry,
            // A linked work tree or a submodule.
            Ok(_) => match read(entry, root, b"gitdir: ")? {
                Named::Path(path) => path,
                Named::Absent | Named::Unknown => return Ok(None),
            },
            // A bare repository.
            Err(error) if data_file::is_absent(&error) => root.to_owned(),
            Err(_) => return Ok(None),
        };
        let common_dir = match read(git_dir.join("commondir"), &git_dir, b"")? {
            Named::Path(path) => path,
            Named::Absent => git_dir.clone(),
            Named::Unknown => return Ok(None),
        };
        Ok(Some(Self { git_dir, common_dir }))
    }

    /// Returns true if `HEAD` has a form by which git recognizes a repository:
    /// a link or a reference to a name below `refs/`, or an object id. Git
    /// passes over a directory without one, and searches further up.
    pub(crate) fn is_accepted(&self) -> bool {
        let head = self.git_dir.join("HEAD");
        if let Ok(target) = head.read_link() {
            return target.starts_with("refs");
        }
        let Ok(Some(content)) = data_file::read(&head, MAX_PATH_BYTES) else {
            return false;
        };
        match content.strip_prefix(b"ref:") {
            Some(name) => name.trim_ascii_start().starts_with(b"refs/"),
            None => content.len() >= 40 && content[..40].iter().all(u8::is_ascii_hexdigit),
        }
    }
}

enum Named {
    Path(PathBuf),
    Absent,
    Unknown,
}

/// Reads a file that holds a path, relative to `base`, and nothing else.
fn read(file: PathBuf, base: &Path, prefix: &[u8]) -> Result<Named, SpecialFile> {
    let content = match data_file::read(&file, MAX_PATH_BYTES) {
        Ok(Some(content)) => content,
        Ok(None) => return Ok(Named::Absent),
        Err(ReadError::Special(kind)) => return Err(SpecialFile { path: file, kind }),
        Err(ReadError::Other) => return Ok(Named::Unknown),
    };
    let path = content.strip_prefix(prefix).and_then(path);
    Ok(path.map_or(Named::Unknown, |path| Named::Path(base.join(path))))
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
        let of = |root: &Path| {
            let layout = Layout::of(root).unwrap();
            layout.map(|it| (it.git_dir, it.common_dir))
        };
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
    }
}
