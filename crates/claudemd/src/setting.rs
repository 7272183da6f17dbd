//! What stays as it is in a memory: options, directories and the fence.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aside_user_files::open::Fence;
use serde::{Deserialize, Serialize};

use crate::discover::checkout::Checkout;
use crate::links::path_value;
use crate::links::plain_path::plain_path;
use crate::{Additional, Loader, Mode};

/// The file with the model's notes, in the auto memory directory only.
pub(crate) const NOTES: &str = "MEMORY.md";

/// What does not change during a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Setting {
    /// The caller's options.
    pub(crate) loader: Arc<Loader>,
    /// The working directory, absolute.
    #[serde(with = "path_value")]
    pub(crate) cwd: PathBuf,
    /// The repository's root, or `cwd` outside a repository.
    #[serde(with = "path_value")]
    pub(crate) root: PathBuf,
    /// The root and `cwd` and, without a repository, the additional directories,
    /// with symbolic links resolved. Everything below them is inside the project.
    #[serde(with = "path_value::many")]
    inside: Vec<PathBuf>,
    /// The checkout around this one, if this is a worktree inside another
    /// checkout.
    #[serde(with = "path_value::optional")]
    pub(crate) outer_checkout: Option<PathBuf>,
}

impl Setting {
    /// Finds the repository around the working directory.
    pub(crate) fn new(loader: impl Into<Arc<Loader>>, cwd: PathBuf) -> Self {
        let checkout = Checkout::of(&cwd);
        let is_repository = checkout.is_some();
        let (root, outer_checkout) = match checkout {
            Some(checkout) => (checkout.root, checkout.outer),
            None => (cwd.clone(), None),
        };
        let mut setting =
            Self { loader: loader.into(), cwd, root, inside: Vec::new(), outer_checkout };
        let added = setting.all_additional_dirs().filter(|_| !is_repository);
        let mut inside: Vec<_> =
            [setting.root.clone(), setting.cwd.clone()].into_iter().chain(added).collect();
        // Outside a repository the first two are one.
        inside.dedup();
        for dir in &mut inside {
            if let Ok(resolved) = fs::canonicalize(&*dir) {
                *dir = resolved;
            }
        }
        inside.dedup();
        setting.inside = inside;
        setting
    }

    /// Returns the repository's root; without a repository the loader's ceiling, or the file
    /// system's root.
    pub(crate) fn top(&self) -> &Path {
        if fs::symlink_metadata(self.root.join(".git")).is_ok() {
            return &self.root;
        }
        let ceiling = self.loader.ceiling.as_deref().filter(|it| self.root.starts_with(it));
        ceiling.or(self.root.ancestors().last()).unwrap_or(&self.root)
    }

    /// Returns the path of the model's notes, which need not exist.
    pub(crate) fn notes(&self) -> Option<PathBuf> {
        let dir = self.loader.auto_memory.as_ref()?;
        Some(self.cwd.join(dir).join(NOTES))
    }

    /// Returns the additional directories to read.
    pub(crate) fn additional_dirs(&self) -> Vec<PathBuf> {
        let requested = match self.loader.mode {
            Mode::Full => self.loader.additional == Additional::Always,
            Mode::Bare => true,
            Mode::Off => false,
        };
        if !requested {
            return Vec::new();
        }
        self.all_additional_dirs().collect()
    }

    /// Returns the additional directories, read or not.
    pub(crate) fn all_additional_dirs(&self) -> impl Iterator<Item = PathBuf> {
        let dirs = self.loader.additional_dirs.iter();
        dirs.map(|dir| plain_path(&self.cwd.join(dir)))
    }

    /// Returns the additional directory that a path outside the project is in.
    /// Links and imports of its files may lead anywhere in it.
    pub(crate) fn additional_dir_of(&self, path: &Path) -> Option<PathBuf> {
        let is_own = path.starts_with(&self.root);
        self.all_additional_dirs().find(|dir| !is_own && path.starts_with(dir))
    }

    /// Returns the fence around the project, with the targets that the user
    /// approved.
    pub(crate) fn fence(&self) -> Fence {
        let fence = Fence::around_resolved(self.inside.iter().cloned());
        self.loader.imports.apply(fence)
    }
}
