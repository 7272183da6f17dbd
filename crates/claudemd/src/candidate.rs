//! A file on its way into the context: a candidate by its name, then opened and
//! read.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use aside_user_files::open::TrustedDir;

use crate::discover::profile::Header;
use crate::links::given::Given;
use crate::render::contents::Contents;
use crate::{LoadReason, MemoryKind};

/// A path where an instruction file may be.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) kind: MemoryKind,
    pub(crate) rule: bool,
    pub(crate) reason: LoadReason,
    pub(crate) globs: Vec<String>,
    pub(crate) import: Option<Origin>,
    /// What front matter the file may have.
    pub(crate) header: Header,
    /// The file's directory, if that is above the project: the file may be a
    /// link to anything below that directory.
    pub(crate) above: Option<PathBuf>,
    /// The open directory that listed it as a regular file.
    pub(crate) listed_in: Option<Rc<TrustedDir>>,
}

/// Where an import is.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) parent: PathBuf,
    /// The line, from 1.
    pub(crate) line: usize,
    /// How many imports are between this file and one that was discovered.
    pub(crate) hops: usize,
}

/// A candidate that exists and was read.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) candidate: Candidate,
    pub(crate) contents: Arc<Contents>,
    pub(crate) given: Given,
}

impl Candidate {
    /// Creates a candidate that is discovered by its name, not imported.
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
