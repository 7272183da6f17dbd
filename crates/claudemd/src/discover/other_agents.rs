//! The names of instruction files, our own and other agents'.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Profile;
use crate::discover::name_pattern::{is_named, recursive};

/// The names to read in a directory, relative to it.
const OWN: [&str; 4] = ["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

/// Names that no row in the profiles has, each with its agent.
const WITHOUT_PROFILE: [(&str, &str); 3] = [
    (".claude/AGENTS.md", "Claude Code from 2.1.277"),
    (".windsurfrules", "Windsurf"),
    ("CONVENTIONS.md", "aider, by convention"),
];

/// How many files of one directory to list.
const MAX_LISTED: usize = 1_000;

/// Returns every name and pattern but our own that an agent reads in a
/// directory, with the agent. A pattern looks like `DIR/**/*END`.
fn all_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_profile =
        |profile: Profile| profile.names_in_projects().map(move |it| (it, profile.agent()));
    let of_profiles = Profile::ALL.into_iter().flat_map(of_profile);
    let names = WITHOUT_PROFILE.into_iter().chain(of_profiles);
    names.filter(|(name, _)| own_name(name).is_none())
}

/// Returns the name that this crate reads and that equals `name` but for letter
/// case.
///
/// `claude.md` gives `CLAUDE.md`, and so does `CLAUDE.md` itself.
pub(crate) fn own_name(name: &str) -> Option<&'static str> {
    OWN.into_iter().find(|own| own.eq_ignore_ascii_case(name))
}

/// Returns true if any agent reads files with this name, without its directory.
pub(crate) fn is_known(name: &str) -> bool {
    own_name(name).is_some() || all_names().any(|(other, _)| other == name)
}

/// Returns the directory that a file belongs to in which an agent looks for it
/// by a longer name: `web` for `web/.cursor/rules/style.mdc`.
pub(crate) fn owner_of(path: &Path) -> Option<&Path> {
    let name = path.file_name()?.to_str()?;
    let owner = |known: &str| match recursive(known) {
        Some((dir, ending)) => {
            let is_named = name.ends_with(ending);
            let mut dirs = path.ancestors().skip(1).take_while(|_| is_named);
            above(dirs.find(|it| it.ends_with(dir))?, dir)
        }
        None if known.contains('/') && path.ends_with(known) => above(path, known),
        None => None,
    };
    all_names().find_map(|(known, _)| owner(known))
}

/// Returns the directory above a path's `end`.
fn above<'a>(path: &'a Path, end: &str) -> Option<&'a Path> {
    path.ancestors().nth(Path::new(end).iter().count())
}

/// Returns the agents that read a file with this name, relative to a directory.
pub(crate) fn readers_of(name: &str) -> Vec<&'static str> {
    let readers = all_names().filter(|(known, _)| is_named(known, name));
    let mut agents: Vec<_> = readers.map(|(_, agent)| agent).collect();
    // Several rows of one agent have the name.
    agents.dedup();
    agents
}

/// Lists any agent's instruction files in `dir`, by name.
pub(crate) fn instruction_files_in(dir: &Path) -> Vec<PathBuf> {
    let mut found = files_of(dir, is_known);
    found.extend(files_of(&dir.join(".claude"), |name| name.eq_ignore_ascii_case("CLAUDE.md")));
    let below: BTreeSet<_> = all_names().map(|(name, _)| name).collect();
    for name in below {
        if let Some((rules, ending)) = recursive(name) {
            found.extend(files_of(&dir.join(rules), |name| name.ends_with(ending)));
        } else if let Some((place, name)) = name.split_once('/') {
            found.extend(files_of(&dir.join(place), |it| it == name));
        }
    }
    found
}

/// Lists a directory's files with a wanted name, sorted. A directory that
/// cannot be read has none.
fn files_of(dir: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let entries = entries.flatten().filter(|entry| {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !is_dir && entry.file_name().to_str().is_some_and(&wanted)
    });
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).take(MAX_LISTED).collect();
    paths.sort();
    paths
}
