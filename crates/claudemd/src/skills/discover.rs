//! The directories of skills, from the working directory up to the root of the
//! repository, then in the home.

use std::path::{Path, PathBuf};

use aside_user_files::open::Fence;

use super::Skills;
use crate::discover::checkout::Checkout;
use crate::links::plain_path::plain_path;
use crate::{Dirs, ImportPolicy, kinds};

/// The directories of skills, relative to a directory of the project or the home.
const PLACES: [&str; 3] = [".claude/skills", ".agents/skills", ".aside/skills"];
/// The maximum number of entries of one directory of skills that are read.
const MAX_ENTRIES: usize = 10_000;
/// The maximum number of levels of directories between the working directory
/// and a path that are searched.
const MAX_DEPTH: usize = 64;

/// Finds the skills of a session: those of the working directory, of every
/// directory above it up to the root of the repository, and of the user.
///
/// A link that leads out of the project is followed if `policy` approves its
/// target.
pub fn discover(cwd: &Path, dirs: &Dirs, policy: &ImportPolicy) -> Skills {
    let cwd = plain_path(cwd);
    let root = root_of(&cwd);
    let fence = policy.apply(Fence::around([&root, &cwd]));
    let mut skills = Skills::default();
    for dir in cwd.ancestors().take_while(|dir| dir.starts_with(&root)) {
        search(&mut skills, PLACES.map(|place| dir.join(place)), &fence);
    }
    let of_user = Fence::default().approve_everything();
    let config = dirs.config.iter().map(|config| config.join("skills"));
    let home = dirs
        .home
        .iter()
        .flat_map(|home| PLACES[1..].iter().map(|place| home.join(place)));
    search(&mut skills, config.chain(home), &of_user);
    skills
}

/// Finds the skills of the directories below the working directory down to
/// `path`, a file that the agent works on.
pub fn discover_nested(cwd: &Path, path: &Path, policy: &ImportPolicy) -> Skills {
    let cwd = plain_path(cwd);
    let path = plain_path(&cwd.join(path));
    let fence = policy.apply(Fence::around([&root_of(&cwd), &cwd]));
    let mut skills = Skills::default();
    let below = path.strip_prefix(&cwd).unwrap_or(Path::new(""));
    let mut dirs = Vec::new();
    let mut dir = cwd.clone();
    for part in below.iter().take(MAX_DEPTH) {
        dir.push(part);
        dirs.push(dir.clone());
    }
    for dir in dirs.into_iter().rev() {
        search(&mut skills, PLACES.map(|place| dir.join(place)), &fence);
    }
    skills
}

fn root_of(cwd: &Path) -> PathBuf {
    Checkout::of(cwd).map_or_else(|| cwd.to_owned(), |checkout| checkout.root)
}

/// Adds the skills of several directories, in order. Directories are listed,
/// and links followed, inside the fence.
fn search(skills: &mut Skills, places: impl IntoIterator<Item = PathBuf>, fence: &Fence) {
    for place in places {
        let listed = fence
            .open_dir(&place)
            .and_then(|dir| dir.entries(MAX_ENTRIES));
        let entries = match listed {
            Ok(entries) => entries,
            Err(error) if error.is_missing() => continue,
            Err(error) => {
                let unreadable = kinds::SKILLS_UNREADABLE.diagnostic(error.message());
                skills.diagnostics.push(unreadable.at(place));
                continue;
            }
        };
        for entry in entries.list {
            let file = place.join(&entry.name).join("SKILL.md");
            if std::fs::symlink_metadata(&file).is_ok() {
                skills.add(&file, fence);
            }
        }
        if entries.is_cut {
            let message = format!("only {MAX_ENTRIES} entries are looked at");
            let cut = kinds::TOO_MANY_SKILLS.diagnostic(message);
            skills.diagnostics.push(cut.at(place));
        }
    }
}

/// Returns the `SKILL.md` of each directory in `dir`, in the order of their names.
pub(super) fn files_in(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let files = entries
        .take(MAX_ENTRIES)
        .map(|entry| entry.path().join("SKILL.md"));
    let mut files: Vec<_> = files.filter(|it| it.symlink_metadata().is_ok()).collect();
    files.sort();
    files
}
