//! Rejecting a file before it is opened.
//!
//! Checks that need no file handle: kind of owner, excludes, size of the pass,
//! `.git`. The fence then decides when the file is opened.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aside_user_files::open::Fence;

use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::discover::profile::ImportForm;
use crate::{MemoryKind, SkipReason};

/// How many bytes one start-up, or one touch, may read.
const MAX_TOTAL_BYTES: usize = 64 * 1024 * 1024;

impl Collector<'_> {
    /// Returns why a candidate's file must not be read, if it must not.
    /// `resolved` is its path with symbolic links resolved.
    pub(crate) fn admit(&self, candidate: &Candidate, resolved: &Path) -> Result<(), SkipReason> {
        let path = &candidate.path;
        let imported = candidate.import.is_some();
        let checked_in = candidate.kind == MemoryKind::Project && !imported;
        if self.in_outer_checkout && checked_in {
            return Err(SkipReason::OuterCheckout);
        }
        let platform = self.setting.loader.platform;
        let excluded = |path| self.excludes.covering(path, platform);
        if !self.excludes.is_empty()
            && candidate.kind != MemoryKind::Managed
            && let Some(exclude) = excluded(path).or_else(|| excluded(resolved))
        {
            return Err(SkipReason::Excluded {
                pattern: exclude.pattern.clone(),
                place: exclude.place.clone(),
            });
        }
        if (imported && in_dot_git(path))
            || (in_dot_git(resolved) && (imported || !in_dot_git(path)))
        {
            return Err(SkipReason::GitDirectory);
        }
        if !self.fence_of(candidate).admits(resolved) {
            let target = resolved.to_owned();
            return Err(SkipReason::External { target });
        }
        if self.read > MAX_TOTAL_BYTES {
            let limit = "64 MiB read at once".to_owned();
            return Err(SkipReason::OverLimit { limit });
        }
        Ok(())
    }

    /// Returns the fence for a file or for a rules directory.
    pub(crate) fn fence_of(&self, candidate: &Candidate) -> Cow<'_, Fence> {
        let only_project = self.setting.loader.profile.imports() == ImportForm::Gemini;
        match candidate.kind {
            _ if only_project && candidate.import.is_some() => Cow::Borrowed(&self.fence),
            MemoryKind::Managed | MemoryKind::User | MemoryKind::AutoMemory => {
                Cow::Borrowed(&self.no_fence)
            }
            _ => {
                let import = candidate.import.as_ref();
                let origin = import.map_or(&candidate.path, |import| &import.parent);
                let above = candidate.above.clone().filter(|_| import.is_none());
                match above.or_else(|| self.setting.additional_dir_of(origin)) {
                    Some(dir) => Cow::Owned(self.fence.clone().with_dir(&dir)),
                    None => Cow::Borrowed(&self.fence),
                }
            }
        }
    }

    /// Returns the directory if it is above the project. No repository controls
    /// the files there.
    pub(crate) fn above(&self, dir: &Path) -> Option<PathBuf> {
        let root = &self.setting.root;
        (root != dir && root.starts_with(dir)).then(|| dir.to_owned())
    }
}

/// Returns true if a path has a `.git` component, in any letter case.
pub(crate) fn in_dot_git(path: &Path) -> bool {
    path.iter().any(|part| part.eq_ignore_ascii_case(".git"))
}
