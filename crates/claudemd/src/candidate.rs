use std::path::PathBuf;
use std::rc::Rc;

use aside_user_files::open::TrustedDir;

use crate::contents::Contents;
use crate::given::Given;
use crate::profile::Header;
use crate::{LoadReason, MemoryKind};

/// A file to look for.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) kind: MemoryKind,
    pub(crate) rule: bool,
    pub(crate) reason: LoadReason,
    pub(crate) globs: Vec<String>,
    pub(crate) import: Option<Origin>,
    /// The front matter that it may have.
    pub(crate) header: Header,
    /// The directory whose file it is, if that is above the project: the file
    /// may lead to what is below it.
    pub(crate) above: Option<PathBuf>,
    /// The open directory in which it was listed as a regular file.
    pub(crate) listed_in: Option<Rc<TrustedDir>>,
}

/// Where an import is written.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) parent: PathBuf,
    /// 1-based.
    pub(crate) line: usize,
    /// How many imports lead there from a file that was found.
    pub(crate) hops: usize,
}

/// A candidate that exists and was read.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) candidate: Candidate,
    pub(crate) contents: Contents,
    pub(crate) given: Given,
}

/// Why a candidate was not read.
#[derive(Debug)]
pub(crate) enum Absence {
    /// It does not exist.
    Missing,
    /// It does, and was reported.
    Skipped,
}

impl Candidate {
    /// A file that is looked for in its place, not imported.
    pub(crate) fn new(path: PathBuf, kind: MemoryKind, reason: LoadReason) -> Self {
        Self {
            path,
            kind,
            rule: false,
            reason,
            globs: Vec::new(),
            import: None,
            header: Header::default(),
            above: None,
            listed_in: None,
        }
    }
}
