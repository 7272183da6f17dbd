//! What was loaded, and the state for later touches: one value that you can
//! store with a session.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use aside_diagnostic::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::collect::{Collector, Pass};
use crate::discover::excludes::Excludes;
use crate::discover::lookup::Lookup;
use crate::discover::{startup, touch};
use crate::links::plain_path::plain_path;
use crate::links::shown_path::shown_path;
use crate::render::parsed::Parsed;
use crate::session::Session;
use crate::setting::Setting;
use crate::{LoadReason, Loader, MemoryFile, SkipReason, Skipped};

/// A session's instruction files: those that were loaded, and those that load
/// later.
///
/// It is a plain value: you can store it, read it back and use it further.
/// Paths are stored as strings, or as lists of bytes if they are not UTF-8.
///
/// ```
/// use aside_claudemd::{Dirs, Memory, load};
///
/// # let project = tempfile::tempdir()?;
/// # std::fs::create_dir(project.path().join("api"))?;
/// # std::fs::write(project.path().join("api/CLAUDE.md"), "Version every route.\n")?;
/// let memory = load(project.path(), &Dirs::default())?;
/// let stored = serde_json::to_string(&memory)?;
///
/// // In a later process:
/// let mut memory: Memory = serde_json::from_str(&stored)?;
/// assert_eq!(memory.touch("api/routes.rs").len(), 1);
/// assert!(memory.touch("api/routes.rs").is_empty(), "each file is given once");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    pub(crate) setting: Arc<Setting>,
    files: Vec<MemoryFile>,
    /// The files that touches loaded, each as it was loaded last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    nested: Vec<MemoryFile>,
    pub(crate) session: Session,
    #[serde(skip)]
    pub(crate) lookup: Lookup,
}

/// An instruction file that is not as it was when it was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file as it was loaded; its text is empty if the file is new.
    pub before: MemoryFile,
    /// The file as it is now; its text is empty if it no longer loads.
    pub now: MemoryFile,
    /// True for a file that has a text and is no longer used, such as an import
    /// that nothing names any more.
    pub is_unused: bool,
}

/// What [`Memory::changed`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// The files that differ, in loading order.
    pub files: Vec<ChangedFile>,
    /// The diagnostics that the session did not have when it began.
    pub diagnostics: Vec<Diagnostic>,
    /// True if all others are as they were. False if the system refuses a file for now, or without
    /// the working directory, for example on another machine.
    pub is_whole: bool,
    /// The paths whose present state is unknown: files that the system refuses for now, those that
    /// they imported, and without the working directory all.
    pub unknown: Vec<PathBuf>,
}

impl Memory {
    pub(crate) fn start(loader: impl Into<Arc<Loader>>, cwd: PathBuf, parsed: Parsed) -> Self {
        let mut memory = Self {
            setting: Setting::new(loader, cwd).into(),
            files: Vec::new(),
            nested: Vec::new(),
            session: Session::default(),
            lookup: Lookup::after(parsed),
        };
        memory.reload(LoadReason::SessionStart);
        memory
    }

    /// Loads the files that a session starts with. The session's state so far
    /// is dropped.
    fn reload(&mut self, reason: LoadReason) {
        self.session = Session::default();
        self.nested.clear();
        self.lookup = Lookup::after(std::mem::take(&mut self.lookup.parsed));
        self.files = self.pass(Pass::Start(reason), |pass, _| {
            for fault in &pass.excludes.faults {
                pass.report(fault.clone());
            }
            startup::collect(pass);
        });
    }

    fn pass(
        &mut self,
        pass: Pass<'_>,
        collect: impl FnOnce(&mut Collector<'_>, &mut Lookup),
    ) -> Vec<MemoryFile> {
        let excludes = Arc::clone(self.excludes());
        let parsed = std::mem::take(&mut self.lookup.parsed);
        let mut collector =
            Collector::new(&self.setting, &mut self.session, &excludes, pass, parsed);
        collect(&mut collector, &mut self.lookup);
        self.lookup.parsed = collector.parsed;
        collector.found
    }

    /// Returns the compiled excludes.
    pub(crate) fn excludes(&self) -> &Arc<Excludes> {
        self.lookup.excludes.get_or_init(|| Arc::new(Excludes::of(&self.setting)))
    }

    /// Returns the working directory that the session began in.
    pub fn cwd(&self) -> &Path {
        &self.setting.cwd
    }

    /// Returns the files that the session starts with, in the order that the
    /// model reads them: later files have more weight.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// Returns the files that touches loaded.
    pub fn nested(&self) -> &[MemoryFile] {
        &self.nested
    }

    /// Returns a file's path as the model reads it in the layered layout, the
    /// same for two clones of a project.
    pub fn shown_path(&self, file: &MemoryFile) -> String {
        shown_path(&file.path, &self.setting)
    }

    /// Returns the files that were left out so far, and why, each once, in the
    /// order of discovery.
    pub fn skipped(&self) -> &[Skipped] {
        self.session.skipped.as_slice()
    }

    /// Returns the diagnostics so far, each once, in the order of discovery.
    /// Every skipped file has one.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.session.diagnostics.as_slice()
    }

    /// Returns the files to give to the model when it reads `path` (absolute,
    /// or relative to the working directory): nested instruction files, and
    /// rules whose `paths` match.
    ///
    /// Each file is returned once per session, unless its bytes have changed
    /// since. The cost grows with the path's depth, not with the tree.
    pub fn touch(&mut self, path: impl AsRef<Path>) -> Vec<MemoryFile> {
        let path = plain_path(&self.setting.cwd.join(path));
        let files = self.pass(Pass::Touch(&path), |pass, lookup| {
            touch::collect(pass, &path, lookup);
        });
        self.nested.retain(|known| files.iter().all(|file| file.path != known.path));
        self.nested.extend_from_slice(&files);
        files
    }

    /// Reads the files that a session starts with, and those that touches loaded,
    /// again, and returns those whose text differs from [`Memory::files`] and
    /// [`Memory::nested`]; the files themselves stay as they are. Without the
    /// working directory nothing is compared.
    ///
    /// ```
    /// use aside_claudemd::{Dirs, load};
    ///
    /// # let project = tempfile::tempdir()?;
    /// let file = project.path().join("CLAUDE.md");
    /// std::fs::write(&file, "Use tabs.\n")?;
    /// let memory = load(project.path(), &Dirs::default())?;
    /// std::fs::write(&file, "Use spaces.\n")?;
    /// let changed = memory.changed().files;
    /// assert_eq!(&*changed[0].before.text, "Use tabs.");
    /// assert_eq!(&*changed[0].now.text, "Use spaces.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changed(&self) -> Changes {
        let setting = &self.setting;
        if !setting.cwd.is_dir() {
            let unknown = self.loaded().map(|it| it.path.clone()).collect();
            return Changes { unknown, ..Changes::default() };
        }
        let parsed = self.lookup.parsed.clone();
        let mut now = Self::start(setting.loader.clone(), setting.cwd.clone(), parsed);
        let triggers: BTreeSet<_> =
            self.nested.iter().filter_map(|it| it.trigger.clone()).collect();
        for trigger in triggers {
            now.touch(trigger);
        }
        let (before, after) = (by_path(self.loaded()), by_path(now.loaded()));
        let in_list = |files: &HashMap<&Path, &MemoryFile>, file: &MemoryFile| {
            let found = files.get(&*file.path).map(|&it| it.clone());
            found.unwrap_or_else(|| MemoryFile { text: "".into(), bytes: 0, ..file.clone() })
        };
        let is_unreadable = |it: &&Skipped| {
            matches!(
                it.reason,
                SkipReason::Unreadable { .. }
                    | SkipReason::NotUtf8 { .. }
                    | SkipReason::Binary
                    | SkipReason::TooLarge { .. }
                    | SkipReason::NotAFile { .. }
            )
        };
        let refused = now.skipped().iter().filter(is_unreadable);
        let refused: HashSet<&Path> = refused.map(|it| &*it.path).collect();
        let skipped: HashSet<&Path> = self.skipped().iter().map(|it| &*it.path).collect();
        let is_whole = refused.is_subset(&skipped);
        // If a file or a directory of rules cannot be read for now, neither it nor its imports are
        // gone. Imports follow their file.
        let mut unknown: BTreeSet<PathBuf> = refused.iter().map(|it| it.to_path_buf()).collect();
        for file in self.loaded() {
            let parent = file.parent.as_ref();
            if parent.is_some_and(|it| unknown.contains(it))
                || file.path.ancestors().any(|it| refused.contains(it))
            {
                unknown.insert(file.path.clone());
            }
        }
        let is_gone =
            |file: &&MemoryFile| !after.contains_key(&*file.path) && !unknown.contains(&file.path);
        let gone = self.loaded().filter(is_gone);
        let differs = |file: &&MemoryFile| {
            let (before, after) = (before.get(&*file.path), after.get(&*file.path));
            before.map_or("", |it| &*it.text) != after.map_or("", |it| &*it.text)
        };
        // Most files are as they were: their texts are not copied.
        let changed = now.loaded().chain(gone).filter(differs);
        let empty = now.skipped().iter().filter(|it| it.reason == SkipReason::Empty);
        let empty: HashSet<&Path> = empty.map(|it| &*it.path).collect();
        let is_unused = |file: &MemoryFile| {
            !after.contains_key(&*file.path) && file.path.is_file() && !empty.contains(&*file.path)
        };
        let changed = changed.map(|file| ChangedFile {
            before: in_list(&before, file),
            now: in_list(&after, file),
            is_unused: is_unused(file),
        });
        let diagnostics =
            now.diagnostics().iter().filter(|it| !self.session.diagnostics.contains(it));
        let diagnostics = diagnostics.cloned().collect();
        let files = changed.collect();
        Changes { files, diagnostics, is_whole, unknown: unknown.into_iter().collect() }
    }

    fn loaded(&self) -> impl Iterator<Item = &MemoryFile> {
        self.files.iter().chain(&self.nested)
    }

    /// Takes over the excludes of a loader, for settings that changed. [`Memory::changed`] and later
    /// touches apply them; [`Memory::files`] stay as they are.
    pub fn set_excludes(&mut self, loader: &Loader) {
        if !self.setting.loader.has_excludes_of(loader) {
            let setting = Arc::make_mut(&mut self.setting);
            Arc::make_mut(&mut setting.loader).set_excludes(loader);
            self.lookup.excludes = OnceLock::new();
        }
    }

    /// Starts over after the conversation was compacted: the files that a
    /// session starts with are read again (reason `compact`), and nested files
    /// and rules with `paths` may load again.
    pub fn after_compact(&mut self) {
        self.reload(LoadReason::Compact);
    }
}

/// Returns the files by path; of two with one path, the first.
fn by_path<'a>(files: impl Iterator<Item = &'a MemoryFile>) -> HashMap<&'a Path, &'a MemoryFile> {
    let mut by_path = HashMap::new();
    for file in files {
        by_path.entry(&*file.path).or_insert(file);
    }
    by_path
}
