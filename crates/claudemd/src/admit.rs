//! Saying no to a file that is there, before it is opened.

use std::path::Path;

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::read::Location;
use crate::{Diagnostic, MemoryKind, Severity, SkipReason};

/// How many bytes one start-up, or one touch, reads at most.
const BUDGET: usize = 64 * 1024 * 1024;

impl Collector<'_> {
    /// Whether the file at the candidate's path, which is `resolved`, may be
    /// read.
    pub(crate) fn admit(
        &mut self,
        candidate: &Candidate,
        location: &Location,
        resolved: &Path,
    ) -> Result<(), SkipReason> {
        let path = &candidate.path;
        let checked_in = candidate.kind == MemoryKind::Project && candidate.import.is_none();
        if self.in_outer_checkout && checked_in {
            return Err(SkipReason::OuterCheckout);
        }
        let platform = self.setting.loader.platform;
        let excluded = |path| self.excludes.cover(path, platform);
        if !self.excludes.is_empty()
            && candidate.kind != MemoryKind::Managed
            && (excluded(path) || excluded(resolved))
        {
            return Err(SkipReason::Excluded);
        }
        let imported = candidate.import.is_some();
        if (imported && in_dot_git(path))
            || (in_dot_git(resolved) && (imported || !in_dot_git(path)))
        {
            return Err(SkipReason::GitDirectory);
        }
        self.admit_import(candidate, resolved)?;
        let linked = matches!(location, Location::Linked(_));
        if linked && checked_in && !self.setting.is_inside(resolved) {
            self.report(Diagnostic {
                severity: Severity::Note,
                path: path.clone(),
                line: None,
                message: format!("link that leaves the project: {}", resolved.display()),
            });
        }
        if self.read > BUDGET {
            let limit = "64 MiB read at once".to_owned();
            return Err(SkipReason::OverLimit { limit });
        }
        Ok(())
    }

    /// Says no to an import that leaves the project, unless it was approved.
    fn admit_import(&self, candidate: &Candidate, resolved: &Path) -> Result<(), SkipReason> {
        let trusted = matches!(candidate.kind, MemoryKind::User | MemoryKind::Managed);
        if candidate.import.is_none()
            || trusted
            || self.setting.is_inside(resolved)
            || self.setting.loader.imports.approves(resolved)
        {
            return Ok(());
        }
        Err(SkipReason::External {
            target: resolved.to_owned(),
        })
    }
}

/// Whether a path leads through a `.git`, in whatever case.
fn in_dot_git(path: &Path) -> bool {
    path.iter().any(|part| part.eq_ignore_ascii_case(".git"))
}
