//! Writing accepted changes.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{ChangedRequest, OutdatedFile, Review, of_requests};
use crate::own_file;

/// Which changes are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// All.
    All,
    /// Those with these ids.
    Ids(BTreeSet<String>),
}

/// What accepting changes did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Settled {
    /// `wrote FILE` and `removed FILE`.
    pub done: Vec<String>,
    /// The paragraph for the commit, about the changes that were written; empty
    /// if every request has others, too.
    pub paragraph: String,
    /// What still differs.
    pub left: Review,
}

impl Accepted {
    /// Reads `all`, or ids separated by commas. [`Review::accept`] refuses unknown ones.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        let ids = list.split(',').map(|id| id.trim().to_ascii_lowercase());
        let ids: BTreeSet<String> = ids.collect();
        if ids.len() == 1 && ids.contains("all") { Self::All } else { Self::Ids(ids) }
    }

    fn has(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Ids(ids) => ids.contains(id),
        }
    }
}

impl Review {
    /// Writes requests whose changes are all accepted, and removes files that
    /// no turn makes. The bytes of the others are written next to theirs, as
    /// `request-N.new`. Returns what was done and what is left.
    ///
    /// # Errors
    ///
    /// An id belongs to no change, or a file cannot be written.
    pub fn accept(self, accepted: &Accepted) -> Result<Settled> {
        if let Accepted::Ids(ids) = accepted {
            let is_known = |id: &&String| self.changes.iter().any(|it| it.id == **id);
            if let Some(unknown) = ids.iter().find(|id| !is_known(id)) {
                bail!("expected `all`, or ids of changes: no change has the id {unknown:?}");
            }
        }
        let is_accepted = |it: &ChangedRequest| it.changes.iter().all(|id| accepted.has(id));
        let (right, open): (Vec<_>, Vec<_>) = self.requests.into_iter().partition(is_accepted);
        let mut done = Vec::new();
        for request in &right {
            for file in &request.files {
                done.extend(file.write()?);
            }
            own_file::remove(&request.new_file())?;
        }
        for request in &open {
            if let Some(bytes) = request.bytes() {
                let file = request.new_file();
                own_file::replace_file(&file, bytes)?;
                done.push(format!("wrote {}", file.display()));
            }
        }
        let mut files = self.files;
        if !right.is_empty() || open.is_empty() {
            for file in files.drain(..) {
                done.extend(file.write()?);
            }
        }
        let is_nothing = right.is_empty() && !open.is_empty();
        let windows_files = self.windows_files;
        let with = |requests: Vec<ChangedRequest>, files, faults| Self {
            changes: of_requests(&self.changes, &requests),
            requests,
            files,
            faults,
            windows_files: windows_files.clone(),
        };
        let written = with(right, Vec::new(), Vec::new());
        Ok(Settled {
            done,
            paragraph: if is_nothing { String::new() } else { written.paragraph() },
            left: with(open, files, self.faults),
        })
    }

    /// Asks for each change whether to accept it.
    ///
    /// # Errors
    ///
    /// The answers cannot be read, or the questions cannot be written.
    pub fn ask(&self, answers: &mut dyn BufRead, out: &mut dyn Write) -> Result<Accepted> {
        let mut ids = BTreeSet::new();
        for change in &self.changes {
            writeln!(out, "{change}")?;
            match answer(answers, out)?.as_str() {
                "y" | "yes" => drop(ids.insert(change.id.clone())),
                "a" | "all" => {
                    let rest = self.changes.iter().skip_while(|it| it.id != change.id);
                    ids.extend(rest.map(|it| it.id.clone()));
                    break;
                }
                "n" | "no" => {}
                _ => break,
            }
        }
        Ok(Accepted::Ids(ids))
    }
}

/// Asks until the answer is one of the four. The end of the input is `quit`.
fn answer(answers: &mut dyn BufRead, out: &mut dyn Write) -> Result<String> {
    loop {
        write!(out, "accept? [y]es, [n]o, [a]ll the rest, [q]uit: ")?;
        out.flush()?;
        let mut line = String::new();
        if answers.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok("quit".to_owned());
        }
        let line = line.trim().to_ascii_lowercase();
        if matches!(line.as_str(), "y" | "yes" | "n" | "no" | "a" | "all" | "q" | "quit") {
            return Ok(line);
        }
    }
}

impl OutdatedFile {
    /// Writes or removes the file, and returns what was done; `None` if it was
    /// so already.
    fn write(&self) -> Result<Option<String>> {
        let before = own_file::read(&self.path)?;
        if before == self.after {
            return Ok(None);
        }
        let path = self.path.display();
        match &self.after {
            Some(bytes) => {
                let folder = self.path.parent().map(PathBuf::from).unwrap_or_default();
                std::fs::create_dir_all(folder)?;
                own_file::replace_file(&self.path, bytes)?;
                Ok(Some(format!("wrote {path}")))
            }
            None => {
                own_file::remove(&self.path)?;
                Ok(Some(format!("removed {path}")))
            }
        }
    }
}
