//! What to compare scenarios with: their files, or a revision's.

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use aside_git_context::{GitCommand, GitOptions};

use crate::case::Case;
use crate::check::MadeRequest;
use crate::own_file;

/// What to compare with.
#[derive(Clone, Debug, Default)]
pub enum Baseline {
    /// The working tree's files.
    #[default]
    Files,
    /// A revision's files, by their paths in the working tree.
    Revision(HashMap<PathBuf, Vec<u8>>),
    /// What a revision's scenarios make, by the paths of their requests in the working tree.
    Played(RevisionRequests),
}

/// A revision's requests, as its scenarios make them.
#[derive(Clone, Debug, Default)]
pub struct RevisionRequests(pub(crate) HashMap<PathBuf, MadeRequest>);

impl Baseline {
    /// Reads a directory of scenarios as it is in a revision of its repository, such as `main`.
    ///
    /// # Errors
    ///
    /// git fails, or there is no such revision.
    pub fn revision(directory: &Path, revision: &str) -> Result<Self> {
        if revision.starts_with('-') {
            bail!("expected a revision, found {revision:?}");
        }
        let tree = ["ls-tree", "-r", "-z", "--name-only", revision, "--", "."];
        let listed = git(directory, GitCommand::new(&tree))?;
        let names: Vec<String> = listed
            .split(|byte| *byte == 0)
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .filter(|name| !name.is_empty() && !name.contains('\n'))
            .collect();
        let mut objects = tempfile::tempfile()?;
        for name in &names {
            writeln!(objects, "{revision}:./{name}")?;
        }
        objects.seek(SeekFrom::Start(0))?;
        let mut batch = GitCommand::new(&["cat-file", "--batch"]);
        batch.input = Some(objects);
        batch.max_bytes = usize::MAX - 1;
        let contents = git(directory, batch)?;
        let mut rest = &contents[..];
        let mut files = HashMap::new();
        for name in names {
            let (bytes, behind) = object(rest).with_context(|| format!("failed to read {name}"))?;
            files.insert(directory.join(name), bytes.to_vec());
            rest = behind;
        }
        Ok(Self::Revision(files))
    }

    pub(crate) fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        match self {
            Self::Files => own_file::read(path),
            Self::Revision(files) => Ok(files.get(path).cloned()),
            Self::Played(_) => Ok(None),
        }
    }

    /// Returns a request from a revision that was played, by the path of its bytes.
    pub(crate) fn made(&self, path: &Path) -> Option<&MadeRequest> {
        match self {
            Self::Played(played) => played.0.get(path),
            _ => None,
        }
    }

    /// Returns a case's files that no turn makes.
    pub(crate) fn surplus(&self, case: &Case) -> Result<Vec<PathBuf>> {
        match self {
            Self::Files => case.surplus(),
            Self::Revision(_) | Self::Played(_) => Ok(Vec::new()),
        }
    }

    /// Returns a revision's requests, sorted by path: the bytes, or the readable form of one with
    /// pinned texts.
    pub(crate) fn requests(&self) -> Vec<(&Path, &[u8])> {
        let mut requests: Vec<(&Path, &[u8])> = match self {
            Self::Files => Vec::new(),
            Self::Played(played) => {
                let made = played.0.iter();
                made.map(|it| (it.0.as_path(), &it.1.body.bytes[..])).collect()
            }
            Self::Revision(files) => {
                let is_request = |path: &Path| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let end = path.extension().unwrap_or_default();
                    let has_bytes = || files.contains_key(&path.with_extension("json"));
                    name.starts_with("request-") && (end == "json" || end == "txt" && !has_bytes())
                };
                let requests = files.iter().filter(|it| is_request(it.0));
                requests.map(|it| (it.0.as_path(), &it.1[..])).collect()
            }
        };
        requests.sort_unstable_by_key(|it| it.0);
        requests
    }
}

/// Splits the first object off the output of `git cat-file --batch`: a line with its name, type and
/// size, the contents, a line end.
fn object(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize = head.split(' ').nth(2)?.parse().ok()?;
    let rest = &output[end + 1..];
    Some((rest.get(..size)?, rest.get(size + 1..)?))
}

/// Runs a git command that chooses no program by the repository, and fetches nothing. A large one
/// takes its time.
///
/// # Errors
///
/// git cannot be run, or fails.
pub(super) fn git(directory: &Path, command: GitCommand<'_>) -> Result<Vec<u8>> {
    let options = GitOptions { time_limit: Duration::from_secs(60), ..GitOptions::default() };
    Ok(command.output(directory, &options)?)
}
