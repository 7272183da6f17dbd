//! Reading branches from the files in which git keeps them by default.
//!
//! A process costs more than all other steps. When a file is not in its usual
//! form (another reference store, a damaged file), git is run.

use std::path::Path;

use crate::brief::brief;
use crate::layout::Layout;
use crate::{Branch, branch, data_file};

/// For a file with one reference.
const MAX_REF_BYTES: u64 = 4 * 1024;

/// For the list of all references; git has an index for longer lists.
const MAX_PACKED_BYTES: u64 = 512 * 1024;

/// How many symbolic references git follows, `HEAD` included.
const MAX_SYMBOLIC: usize = 5;

/// What `HEAD` names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// A branch by its full name, such as `refs/heads/main`.
    Branch(Vec<u8>),
    Detached,
}

impl Head {
    /// Reads `HEAD`. Returns `None` if its file is not in the usual form.
    pub(crate) fn read(layout: &Layout) -> Option<Self> {
        let path = layout.git_dir.join("HEAD");
        // The old form of a symbolic reference is a link.
        if path.is_symlink() {
            return None;
        }
        let Reference::Symbolic(mut name) = reference(&path)? else {
            return Some(Self::Detached);
        };
        // A branch may stand for another one: `git symbolic-ref refs/heads/master refs/heads/main`.
        for _ in 1..MAX_SYMBOLIC {
            let file = layout.common_dir.join(data_file::os_str(&name)?);
            match reference(&file) {
                Some(Reference::Symbolic(target)) => name = target,
                _ => return Some(Self::Branch(name)),
            }
        }
        None
    }

    /// Returns the branch's file, below the directory that work trees share.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Branch(name) => data_file::os_str(name).map(Path::new),
            Self::Detached => None,
        }
    }

    /// Returns the branch in the form of a snapshot.
    pub(crate) fn branch(&self) -> Branch {
        match self {
            Self::Branch(name) => branch::named(name),
            Self::Detached => Branch::Detached,
        }
    }
}

/// Reads the default branch at `origin`. Returns `None` if its file is not in
/// the usual form.
pub(crate) fn main_branch(layout: &Layout) -> Option<String> {
    let origin = layout.common_dir.join("refs/remotes/origin");
    let packed = layout.common_dir.join("packed-refs");
    let packed = data_file::read(&packed, MAX_PACKED_BYTES).ok()?.unwrap_or_default();
    let exists = |name: &[u8]| -> Option<bool> {
        let file = layout.common_dir.join(data_file::os_str(name)?);
        match file.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return match reference(&file)? {
                    Reference::Object => Some(true),
                    Reference::Symbolic(_) => None,
                };
            }
            Err(error) if data_file::is_absent(&error) => {}
            Err(_) => return None,
        }
        Some(is_packed(&packed, name))
    };
    let head = origin.join("HEAD");
    match head.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => match reference(&head)? {
            Reference::Symbolic(target) => {
                let name = target.strip_prefix(b"refs/remotes/origin/")?;
                if exists(&target)? {
                    return Some(brief(name));
                }
            }
            Reference::Object => {}
        },
        Ok(_) => return None,
        Err(error) if data_file::is_absent(&error) => {}
        Err(_) => return None,
    }
    let master = !exists(b"refs/remotes/origin/main")? && exists(b"refs/remotes/origin/master")?;
    Some(if master { "master" } else { "main" }.to_owned())
}

/// What a file with one reference holds.
enum Reference {
    Symbolic(Vec<u8>),
    Object,
}

fn reference(path: &Path) -> Option<Reference> {
    let content = data_file::read(path, MAX_REF_BYTES).ok()??;
    let line = content.strip_suffix(b"\n")?;
    match line.strip_prefix(b"ref: ") {
        Some(name) => is_plain_name(name).then(|| Reference::Symbolic(name.to_owned())),
        None => is_object_id(line).then_some(Reference::Object),
    }
}

/// Returns true for the names that git accepts as branches, except some odd
/// ones. Names in other reference stores, such as `refs/heads/.invalid`, are
/// refused.
fn is_plain_name(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| *byte > b' ' && *byte != 0x7f && !b"~^:?*[\\".contains(byte);
    let is_part = |part: &[u8]| {
        !part.is_empty()
            && !part.starts_with(b".")
            && !part.ends_with(b".")
            && !part.ends_with(b".lock")
    };
    name.starts_with(b"refs/")
        && name.iter().all(is_plain)
        && name.split(|&byte| byte == b'/').all(is_part)
        && !name.windows(2).any(|pair| pair == b".." || pair == b"@{")
}

/// Returns true for an id of either hash.
fn is_object_id(id: &[u8]) -> bool {
    matches!(id.len(), 40 | 64) && id.iter().all(u8::is_ascii_hexdigit)
}

fn is_packed(packed: &[u8], name: &[u8]) -> bool {
    packed.split(|&byte| byte == b'\n').any(|line| {
        let id = line.strip_suffix(name).and_then(|it| it.strip_suffix(b" "));
        id.is_some_and(is_object_id)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Makes a repository with these files in its directory.
    fn with_files(files: &[(&str, &str)]) -> (tempfile::TempDir, Layout) {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let layout = Layout {
            git_dir: directory.path().to_owned(),
            common_dir: directory.path().to_owned(),
        };
        (directory, layout)
    }

    #[test]
    fn heads() {
        let check = |content: &str, expected: Option<Head>| {
            let (_directory, layout) = with_files(&[("HEAD", content)]);
            assert_eq!(Head::read(&layout), expected, "{content:?}");
        };
        let branch = |name: &str| Some(Head::Branch(name.into()));
        check("ref: refs/heads/main\n", branch("refs/heads/main"));
        check("ref: refs/heads/a/b@c\n", branch("refs/heads/a/b@c"));
        check(&format!("{}\n", "0a".repeat(20)), Some(Head::Detached));
        check(&format!("{}\n", "0a".repeat(32)), Some(Head::Detached));
        for left_to_git in [
            "",
            "nonsense\n",
            "ref: refs/heads/main",
            "ref:refs/heads/main\n",
            "ref: refs/heads/.invalid\n",
            "ref: refs/heads/../../x\n",
            "ref: refs/heads/a.lock\n",
            "ref: refs/heads/a b\n",
            "ref: refs/heads/a@{1}\n",
            "ref: refs/heads//a\n",
            "ref: main\n",
            "0a0a\n",
        ] {
            check(left_to_git, None);
        }
    }

    #[test]
    fn a_symbolic_branch_stands_for_another() {
        let check = |branches: &[(&str, &str)], expected: Option<&str>| {
            let head = ("HEAD", "ref: refs/heads/master\n");
            let files: Vec<_> = [head].iter().chain(branches).copied().collect();
            let (_directory, layout) = with_files(&files);
            let expected = expected.map(|name| Head::Branch(name.into()));
            assert_eq!(Head::read(&layout), expected, "{branches:?}");
        };
        let object = format!("{}\n", "0a".repeat(20));
        let (master, main) = ("refs/heads/master", "refs/heads/main");
        check(&[], Some(master));
        check(&[(master, &object)], Some(master));
        check(&[(master, "ref: refs/heads/main\n")], Some(main));
        check(&[(master, "ref: refs/heads/main\n"), (main, &object)], Some(main));
        // Git refuses it.
        check(&[(master, "ref: refs/heads/master\n")], None);
    }

    #[test]
    fn the_main_branch_is_that_of_git() {
        let check = |files: &[(&str, &str)]| {
            let (_directory, layout) = with_files(files);
            assert_eq!(main_branch(&layout), None, "{files:?}");
        };
        check(&[("refs/remotes/origin/HEAD", "ref: refs/heads/main\n")]);
        check(&[("refs/remotes/origin/HEAD", "nonsense\n")]);
        check(&[("refs/remotes/origin/main", "nonsense\n")]);
        check(&[("refs/remotes/origin/main", "ref: refs/heads/x\n")]);
        let long = "#\n".repeat(300_000);
        check(&[("packed-refs", &long)]);
    }
}
