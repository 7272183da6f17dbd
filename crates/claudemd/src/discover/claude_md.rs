//! The files whose text makes Claude Code from 2.1.277 read no `AGENTS.md`.

use std::path::{Path, PathBuf};

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::memory::Memory;
use crate::{AgentsMd, MemoryKind};

/// The names of these files, relative to their directory.
const NAMES: [(&str, MemoryKind); 3] = [
    ("CLAUDE.md", MemoryKind::Project),
    (".claude/CLAUDE.md", MemoryKind::Project),
    ("CLAUDE.local.md", MemoryKind::Local),
];

impl Collector<'_> {
    /// Returns true if `AGENTS.md` loads in a directory: neither there nor in the working directory
    /// and above it loads a `CLAUDE.md`.
    pub(crate) fn is_without_claude_md(&mut self, dir: &Path) -> bool {
        if self.setting.loader.agents_md != AgentsMd::WithoutClaudeMd {
            return false;
        }
        let setting = self.setting;
        let in_project = match self.has_claude_md {
            Some(known) => known,
            None => setting.cwd.ancestors().any(|dir| self.has_claude_md_in(dir)),
        };
        self.has_claude_md = Some(in_project);
        !in_project && !self.has_claude_md_in(dir)
    }

    /// Returns true if a directory has such a file that no option leaves out, with a text.
    fn has_claude_md_in(&mut self, dir: &Path) -> bool {
        let sources = self.setting.loader.sources;
        let above = self.above(dir);
        let is_read = |kind| match kind {
            MemoryKind::Local => sources.local,
            _ => sources.project,
        };
        NAMES.into_iter().filter(|(_, kind)| is_read(*kind)).any(|(name, kind)| {
            let candidate = Candidate::new(dir.join(name), kind, self.reason());
            self.has_text(&Candidate { above: above.clone(), ..candidate })
        })
    }
}

impl Memory {
    /// Returns the loaded file because of which no `AGENTS.md` loads in the working directory and
    /// above it.
    pub(super) fn project_claude_md(&self) -> Option<PathBuf> {
        self.setting.cwd.ancestors().find_map(|dir| self.claude_md_in(dir))
    }

    /// Returns the loaded file because of which no `AGENTS.md` loads in a directory.
    pub(super) fn claude_md_in(&self, dir: &Path) -> Option<PathBuf> {
        let is_loaded = |path: &PathBuf| {
            let mut files = self.files().iter().chain(self.nested());
            files.any(|it| it.path == *path && it.parent.is_none())
        };
        NAMES.map(|(name, _)| dir.join(name)).into_iter().find(is_loaded)
    }
}
