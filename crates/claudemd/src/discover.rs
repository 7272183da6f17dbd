//! Searching for files by the tables in a [`Profile`](crate::Profile).
//!
//! A table is a list of steps. A step names a place (a list of directories),
//! the names to look for there, and how many of them to read. Claude Code is
//! not handled here: its order has its own code in `startup` and `touch`.

pub(crate) mod auto_memory;
pub(crate) mod checkout;
mod claude_md;
pub(crate) mod excludes;
pub(crate) mod lookup;
pub(crate) mod name_pattern;
pub(crate) mod nested;
pub(crate) mod nested_walk;
pub(crate) mod other_agents;
pub(crate) mod picked;
pub(crate) mod profile;
mod searched;
pub(crate) mod startup;
pub(crate) mod touch;
pub(crate) mod unloaded;
mod unloaded_by_profile;

use std::path::{Path, PathBuf};

use crate::MemoryKind;
use crate::candidate::Candidate;
use crate::collect::Collector;
use crate::discover::lookup::Lookup;
use crate::discover::name_pattern::recursive;
use crate::discover::nested::{nested_dirs, nested_rules};
use crate::discover::picked::{dirs_of, picked, reversed};
use crate::discover::profile::{Pick, Place, Step, TouchedDirs};
use crate::rules::RulesDir;

/// How many levels of directories to search between the root and a touched
/// path.
const MAX_DEPTH: usize = 64;

/// Loads the files that a session starts with.
pub(crate) fn start(pass: &mut Collector<'_>) {
    for step in pass.setting.loader.profile.facts().steps {
        let dirs = dirs_of(step.place, pass.setting);
        search(pass, step, &dirs, &mut |pass, rules| pass.start_rules(rules));
    }
}

/// Loads the files that concern the file with these names.
pub(crate) fn touch(pass: &mut Collector<'_>, names: &[&Path], lookup: &mut Lookup) {
    let facts = pass.setting.loader.profile.facts();
    let dirs = match facts.touched {
        TouchedDirs::None => return,
        TouchedDirs::BelowWorkingDirectory => nested_dirs(pass, names),
        TouchedDirs::UpToWorkingDirectory => reversed(nested_dirs(pass, names)),
        TouchedDirs::FromRoot => from_root(&pass.setting.root, names),
    };
    for step in facts.nested {
        search(pass, step, &dirs, &mut |pass, rules| {
            nested_rules(pass, rules, names, lookup);
        });
    }
}

/// Returns the directories from the root down to a touched path's.
///
/// A path outside the root gives only the root. The search ends at the first
/// part that is not a directory, which usually is the touched file itself, and
/// after [`MAX_DEPTH`] parts.
fn from_root(root: &Path, names: &[&Path]) -> Vec<PathBuf> {
    let below = names.iter().find_map(|name| name.strip_prefix(root).ok());
    let mut dirs = vec![root.to_owned()];
    let mut dir = root.to_owned();
    for part in below.into_iter().flatten().take(MAX_DEPTH) {
        dir.push(part);
        if !dir.is_dir() {
            break;
        }
        dirs.push(dir.clone());
    }
    dirs
}

/// Applies one row of a table to its directories.
///
/// `rules` is called for a name that is a pattern, with its directory.
fn search(
    pass: &mut Collector<'_>,
    step: &Step,
    dirs: &[PathBuf],
    rules: &mut dyn FnMut(&mut Collector<'_>, &RulesDir),
) {
    let mut with_text = None;
    for (dir, name) in picked(step, dirs) {
        let is_next = step.pick != Pick::FirstWithText || with_text != Some(dir);
        if is_next && one(pass, step, dir, name, rules) {
            with_text = Some(dir);
        }
    }
}

/// Tries one name from a row in one directory.
///
/// Place and name decide the owner: everything in the home is the user's, and
/// the two local names are the user's own in a project. A source that an option
/// switches off is not read. A name that does not exist is no fault.
///
/// Returns true if it is a file with a text.
fn one(
    pass: &mut Collector<'_>,
    step: &Step,
    dir: &Path,
    name: &'static str,
    rules: &mut dyn FnMut(&mut Collector<'_>, &RulesDir),
) -> bool {
    let is_users = step.place == Place::Home;
    let kind = match name {
        _ if is_users => MemoryKind::User,
        "CLAUDE.local.md" | "AGENTS.local.md" => MemoryKind::Local,
        _ => MemoryKind::Project,
    };
    let sources = pass.setting.loader.sources;
    let is_wanted = match kind {
        MemoryKind::User => sources.user,
        MemoryKind::Local => sources.local,
        _ => sources.project,
    };
    if !is_wanted {
        return false;
    }
    if let Some((below, ending)) = recursive(name) {
        // Its own row finds a file with that name.
        if !dir.join(below).is_dir() {
            return false;
        }
        let base = if is_users { pass.setting.root.clone() } else { dir.to_owned() };
        let of_dir = RulesDir { dir: dir.join(below), kind, base, ending, header: step.header };
        rules(pass, &of_dir);
        return false;
    }
    let path = dir.join(name);
    // A directory with that name holds rules, and its own row finds it.
    if path.is_dir() {
        return false;
    }
    let candidate = Candidate {
        above: pass.above(dir),
        header: step.header,
        ..Candidate::new(path, kind, pass.reason())
    };
    let Ok(opened) = pass.open(candidate) else {
        return false;
    };
    let has_text = !opened.contents.text.is_empty();
    pass.give(opened);
    has_text
}
