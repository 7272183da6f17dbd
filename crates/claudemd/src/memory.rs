use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::checkout::Checkout;
use crate::collect::{Collector, Pass};
use crate::given::GivenFiles;
use crate::path_value;
use crate::plain_path::plain;
use crate::rule::PathRule;
use crate::{Diagnostic, LoadReason, Loader, MemoryFile, Skipped, startup, touch};

/// What a session's model is told by instruction files, and what it was told
/// already.
///
/// A plain value: it can be stored, read back and gone on with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    setting: Setting,
    files: Vec<MemoryFile>,
    session: Session,
}

/// What does not change in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Setting {
    pub(crate) loader: Loader,
    #[serde(with = "path_value")]
    pub(crate) cwd: PathBuf,
    /// `cwd` with symbolic links resolved.
    #[serde(with = "path_value")]
    pub(crate) resolved_cwd: PathBuf,
    /// The repository's root, or else `cwd`.
    #[serde(with = "path_value")]
    pub(crate) root: PathBuf,
    /// The checkout around this one, if this is a worktree inside another.
    #[serde(with = "path_value::optional")]
    pub(crate) outer_checkout: Option<PathBuf>,
}

/// What was found out so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) given: GivenFiles,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The rules that wait for a path, in the order of precedence.
    pub(crate) rules: Vec<PathRule>,
}

impl Memory {
    pub(crate) fn start(loader: Loader, cwd: PathBuf, resolved_cwd: PathBuf) -> Self {
        let (root, outer_checkout) = match Checkout::of(&cwd) {
            Some(checkout) => (checkout.root, checkout.outer),
            None => (cwd.clone(), None),
        };
        let mut memory = Self {
            setting: Setting {
                loader,
                cwd,
                resolved_cwd,
                root,
                outer_checkout,
            },
            files: Vec::new(),
            session: Session::default(),
        };
        memory.read_anew(LoadReason::SessionStart);
        memory
    }

    fn read_anew(&mut self, reason: LoadReason) {
        self.session = Session::default();
        let mut pass = Collector::new(&self.setting, &mut self.session, Pass::Start(reason));
        startup::collect(&mut pass);
        self.files = pass.finish();
    }

    /// The files that the session starts with, in the order in which the
    /// model reads them: what comes later has more weight.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// What was left out so far, and why.
    pub fn skipped(&self) -> &[Skipped] {
        &self.session.skipped
    }

    /// What a person should know so far. Every skipped file is among it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.session.diagnostics
    }

    /// What the model is to be told now that it reads `path` (absolute, or
    /// relative to the working directory): nested instruction files, and
    /// rules whose `paths` match.
    ///
    /// Each file is given once a session, unless its bytes have changed since
    /// it was given. Costs the depth of the path, not the size of the tree.
    pub fn touch(&mut self, path: impl AsRef<Path>) -> Vec<MemoryFile> {
        let path = plain(&self.setting.cwd.join(path));
        let mut pass = Collector::new(&self.setting, &mut self.session, Pass::Touch(&path));
        touch::collect(&mut pass, &path);
        pass.finish()
    }

    /// The conversation was compacted, and the model has forgotten: the files
    /// that a session starts with are read again (reason `compact`), and
    /// nested files and rules with `paths` may load again.
    pub fn after_compact(&mut self) {
        self.read_anew(LoadReason::Compact);
    }
}
