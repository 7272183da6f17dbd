//! The directories of a step, and which of its names are read there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::discover::name_pattern::recursive;
use crate::discover::profile::{Pick, Place, Step};
use crate::setting::Setting;

/// Returns a place's directories, in search order.
///
/// Empty for the home of a user who has none.
///
/// - `RootDown` in `/srv/app/src`, with the root `/srv/app`: `/srv/app`,
///   `/srv/app/src`.
/// - `UpToRoot`: `/srv/app/src`, `/srv/app`.
/// - `Between`: none.
pub(crate) fn dirs_of(place: Place, setting: &Setting) -> Vec<PathBuf> {
    match place {
        Place::Home => setting.loader.dirs.home.iter().cloned().collect(),
        Place::WorkingDirectory => vec![setting.cwd.clone()],
        Place::Root => vec![setting.root.clone()],
        Place::Between => {
            let mut dirs = up_to(&setting.root, &setting.cwd);
            dirs.retain(|dir| *dir != setting.root && *dir != setting.cwd);
            dirs
        }
        Place::RootDown => reversed(up_to(&setting.root, &setting.cwd)),
        Place::UpToRoot => up_to(setting.top(), &setting.cwd),
    }
}

/// Returns the directories from `dir` up to `top`.
fn up_to(top: &Path, dir: &Path) -> Vec<PathBuf> {
    dir.ancestors().take_while(|dir| dir.starts_with(top)).map(Path::to_owned).collect()
}

pub(crate) fn reversed(mut dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    dirs.reverse();
    dirs
}

/// Returns the names that a step reads, each with its directory, in reading order.
///
/// With the directories `/p`, `/p/a` and the names `A.md`, `B.md`, if only
/// `/p/A.md` does not exist:
///
/// ```text
/// All            /p/A.md  /p/B.md  /p/a/A.md  /p/a/B.md
/// First          /p/B.md  /p/a/A.md
/// FirstWithText  /p/A.md  /p/B.md  /p/a/A.md  /p/a/B.md
/// FirstName      /p/A.md  /p/a/A.md
/// Nearest        /p/a/A.md
/// ```
///
/// Whether a file has a text is known once it is read, so for `FirstWithText` these are the names
/// to try.
pub(crate) fn picked<'a>(step: &Step, dirs: &'a [PathBuf]) -> Vec<(&'a Path, &'static str)> {
    let dirs = || dirs.iter().map(PathBuf::as_path);
    let names = || step.names.iter().copied();
    let first = |dir| Some((dir, names().find(|name| exists(dir, name))?));
    match step.pick {
        Pick::All | Pick::FirstWithText => {
            dirs().flat_map(|dir| names().map(move |name| (dir, name))).collect()
        }
        Pick::First => dirs().filter_map(first).collect(),
        Pick::FirstName => {
            let name = names().find(|name| dirs().any(|dir| exists(dir, name)));
            name.iter().flat_map(|name| dirs().map(move |dir| (dir, *name))).collect()
        }
        Pick::Nearest => dirs().rev().find_map(first).into_iter().collect(),
    }
}

/// Returns the file that a step reads instead of `name` in one of its directories, if there is
/// one. For a pattern this is its directory.
pub(crate) fn shadowing(
    step: &Step,
    dirs: &[PathBuf],
    (dir, name): (&Path, &str),
    is_loaded: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    if !dirs.iter().any(|it| it == dir) || !step.names.contains(&name) {
        return None;
    }
    let picked = picked(step, dirs);
    let mut others = picked.iter().filter(|it| match step.pick {
        Pick::All => false,
        Pick::First => it.0 == dir && it.1 != name,
        Pick::FirstWithText => it.0 == dir && it.1 != name && is_loaded(&it.0.join(it.1)),
        Pick::FirstName => it.1 != name && exists(it.0, it.1),
        Pick::Nearest => it.0 != dir || it.1 != name,
    });
    let (dir, name) = others.next()?;
    Some(dir.join(recursive(name).map_or(*name, |(below, _)| below)))
}

/// Returns true if a name can be read in a directory: for a pattern, if its
/// directory exists; for a name, if anything but a directory does.
fn exists(dir: &Path, name: &str) -> bool {
    match recursive(name) {
        Some((below, _)) => dir.join(below).is_dir(),
        None => fs::metadata(dir.join(name)).is_ok_and(|found| !found.is_dir()),
    }
}
