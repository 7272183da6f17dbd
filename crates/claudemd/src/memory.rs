use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::collect::{Collector, Pass};
use crate::excludes::Excludes;
use crate::kinds;
use crate::lookup::Lookup;
use crate::plain_path::plain_path;
use crate::session::Session;
use crate::setting::Setting;
use crate::{LoadReason, Loader, MemoryFile, Skipped, startup, touch};

/// What a session's model is told by instruction files, and what it was told
/// already.
///
/// A plain value: it can be stored, read back and gone on with. Paths are
/// stored as strings, or as lists of bytes where they are not UTF-8.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub(crate) setting: Setting,
    files: Vec<MemoryFile>,
    pub(crate) session: Session,
    #[serde(skip)]
    lookup: Lookup,
}

impl Memory {
    pub(crate) fn start(loader: Loader, cwd: PathBuf) -> Self {
        let mut memory = Self {
            setting: Setting::new(loader, cwd),
            files: Vec::new(),
            session: Session::default(),
            lookup: Lookup::default(),
        };
        memory.read_anew(LoadReason::SessionStart);
        memory
    }

    fn read_anew(&mut self, reason: LoadReason) {
        self.session = Session::default();
        self.lookup = Lookup::default();
        self.files = self.pass(Pass::Start(reason), |pass, lookup| {
            if let Some(excludes) = &lookup.excludes {
                for fault in &excludes.faults {
                    let place = fault.place.as_ref().map(PathBuf::from);
                    let place = place.unwrap_or_else(|| pass.setting.cwd.clone());
                    pass.report(kinds::BAD_EXCLUDE.diagnostic(&fault.message).at(place));
                }
            }
            startup::collect(pass);
        });
    }

    fn pass(
        &mut self,
        pass: Pass<'_>,
        collect: impl FnOnce(&mut Collector<'_>, &mut Lookup),
    ) -> Vec<MemoryFile> {
        let setting = &self.setting;
        let excludes = self
            .lookup
            .excludes
            .get_or_insert_with(|| Arc::new(Excludes::of(setting)));
        let excludes = Arc::clone(excludes);
        let mut collector = Collector::new(setting, &mut self.session, &excludes, pass);
        collect(&mut collector, &mut self.lookup);
        collector.finish()
    }

    /// The files that the session starts with, in the order in which the
    /// model reads them: what comes later has more weight.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// What was left out so far, and why, each once, in the order of
    /// discovery.
    pub fn skipped(&self) -> &[Skipped] {
        self.session.skipped.as_slice()
    }

    /// What a person should know so far, each once, in the order of
    /// discovery. Every skipped file is among it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.session.diagnostics.as_slice()
    }

    /// What the model is to be told now that it reads `path` (absolute, or
    /// relative to the working directory): nested instruction files, and
    /// rules whose `paths` match.
    ///
    /// Each file is given once a session, unless its bytes have changed since
    /// it was given. Costs the depth of the path, not the size of the tree.
    pub fn touch(&mut self, path: impl AsRef<Path>) -> Vec<MemoryFile> {
        let path = plain_path(&self.setting.cwd.join(path));
        self.pass(Pass::Touch(&path), |pass, lookup| {
            touch::collect(pass, &path, lookup);
        })
    }

    /// The conversation was compacted, and the model has forgotten: the files
    /// that a session starts with are read again (reason `compact`), and
    /// nested files and rules with `paths` may load again.
    pub fn after_compact(&mut self) {
        self.read_anew(LoadReason::Compact);
    }
}
