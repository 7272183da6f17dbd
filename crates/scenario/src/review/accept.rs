//! Writing of accepted changes.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{ChangedRequest, OutdatedFile, Review};
use crate::own_file;

/// The changes that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// All.
    All,
    /// Those with these ids.
    Ids(BTreeSet<String>),
}

impl Accepted {
    /// Reads `all`, or ids separated by commas.
    #[must_use]
    pub fn parse(list: &str) -> Self {
        match list {
            "all" => Self::All,
            ids => Self::Ids(ids.split(',').map(|id| id.trim().to_owned()).collect()),
        }
    }

    fn has(&self, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Ids(ids) => ids.contains(id),
        }
    }
}

impl Review {
    /// Writes the requests whose changes are all accepted, and removes the files
    /// that no turn makes. The bytes of the others are written next to theirs,
    /// as `request-N.new`. Returns what was done, a line each, and what is left.
    ///
    /// # Errors
    ///
    /// An id is not that of a change, or a file cannot be written.
    pub fn accept(self, accepted: &Accepted) -> Result<(Vec<String>, Self)> {
        if let Accepted::Ids(ids) = accepted {
            let is_known = |id: &&String| self.changes.iter().any(|it| it.id == **id);
            if let Some(unknown) = ids.iter().find(|id| !is_known(id)) {
                bail!("no change has the id {unknown:?}");
            }
        }
        let is_accepted = |it: &ChangedRequest| it.changes.iter().all(|id| accepted.has(id));
        let (right, open): (Vec<_>, Vec<_>) = self.requests.into_iter().partition(is_accepted);
        let mut done = Vec::new();
        for request in &right {
            for file in &request.files {
                done.extend(file.write()?);
            }
            own_file::remove(&request.new)?;
        }
        for request in &open {
            if let Some(bytes) = request.bytes() {
                own_file::write(&request.new, bytes)?;
            }
        }
        let mut files = self.files;
        if !right.is_empty() || open.is_empty() {
            for file in files.drain(..) {
                done.extend(file.write()?);
            }
        }
        let is_open = |id: &String| open.iter().any(|it| it.changes.contains(id));
        let changes = self.changes.into_iter().filter(|it| is_open(&it.id));
        let left = Self {
            changes: changes.collect(),
            requests: open,
            files,
            faults: self.faults,
        };
        Ok((done, left))
    }

    /// Asks for each change whether it is accepted.
    ///
    /// # Errors
    ///
    /// The answers cannot be read, or the questions cannot be written.
    pub fn ask(&self, answers: &mut dyn BufRead, out: &mut dyn Write) -> Result<Accepted> {
        let mut ids = BTreeSet::new();
        for change in &self.changes {
            write!(
                out,
                "{change}\naccept? [y]es, [n]o, [a]ll the rest, [q]uit: "
            )?;
            out.flush()?;
            let mut answer = String::new();
            answers.read_line(&mut answer)?;
            match answer.trim() {
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
                own_file::write(&self.path, bytes)?;
                Ok(Some(format!("wrote {path}")))
            }
            None => {
                own_file::remove(&self.path)?;
                Ok(Some(format!("removed {path}")))
            }
        }
    }
}
