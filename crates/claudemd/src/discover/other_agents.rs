//! The names of instruction files, our own and those of other agents.

use std::fs;
use std::path::{Path, PathBuf};

/// The names that are read in a directory, relative to it.
const OWN: [&str; 5] = [
    "CLAUDE.md",
    "AGENTS.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "MEMORY.md",
];

/// Names that other agents read, relative to a directory, each with these
/// agents.
const OTHERS: [(&str, &[&str]); 15] = [
    ("GEMINI.md", &["gemini-cli", "Copilot", "Crush", "zed"]),
    ("AGENTS.override.md", &["codex"]),
    ("AGENTS.local.md", &["Roo"]),
    ("AGENT.md", &["Roo", "zed"]),
    ("CONTEXT.md", &["opencode"]),
    ("CRUSH.md", &["Crush"]),
    ("crush.md", &["Crush"]),
    ("CONVENTIONS.md", &["aider, by convention"]),
    (".claude/AGENTS.md", &["Claude Code from 2.1.277"]),
    (".cursorrules", &["Cursor", "Cline", "Crush", "zed"]),
    (".windsurfrules", &["Windsurf", "Cline", "zed"]),
    (".clinerules", &["Cline", "Roo", "zed"]),
    (".roorules", &["Roo"]),
    (".rules", &["zed"]),
    (
        ".github/copilot-instructions.md",
        &["Copilot", "Crush", "zed"],
    ),
];

/// Directories whose files other agents read: the directory, the ending of the
/// names, and these agents.
const DIRECTORIES: [(&str, &str, &[&str]); 4] = [
    (".cursor/rules", ".mdc", &["Cursor", "Cline", "Crush"]),
    (".github/instructions", ".instructions.md", &["Copilot"]),
    (".clinerules", "", &["Cline", "Roo"]),
    (".roo/rules", "", &["Roo"]),
];

/// The maximum number of files of one directory that are listed.
const MAX_LISTED: usize = 1_000;

/// Returns the name that this crate reads and that equals `name` but for letter
/// case.
///
/// `claude.md` gives `CLAUDE.md`, and so does `CLAUDE.md` itself.
pub(crate) fn own_name(name: &str) -> Option<&'static str> {
    OWN.into_iter().find(|own| own.eq_ignore_ascii_case(name))
}

/// Returns true if any agent reads files of this name, without its directory.
///
/// `MEMORY.md` is not: it counts in the directory of auto memory only.
pub(crate) fn is_known(name: &str) -> bool {
    let is_other = |(other, _): &(&str, _)| !other.contains('/') && *other == name;
    name != "MEMORY.md" && (own_name(name).is_some() || OTHERS.iter().any(is_other))
}

/// Returns the agents that read a file of this name, relative to a directory.
pub(crate) fn readers_of(name: &str) -> Vec<&'static str> {
    let of_name = OTHERS.iter().filter(|(other, _)| *other == name);
    let of_dir = DIRECTORIES.iter().filter(|(dir, ending, _)| {
        let below = name
            .strip_prefix(dir)
            .and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|below| below.ends_with(ending))
    });
    let of_name = of_name.flat_map(|(_, agents)| agents.iter());
    let of_dir = of_dir.flat_map(|(_, _, agents)| agents.iter());
    of_name.chain(of_dir).copied().collect()
}

/// Lists the instruction files of any agent that `dir` holds, by name.
pub(crate) fn instruction_files_in(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (place, wanted) in [
        (dir.to_owned(), is_known as fn(&str) -> bool),
        (dir.join(".claude"), |name| {
            name.eq_ignore_ascii_case("CLAUDE.md") || name == "AGENTS.md"
        }),
        (dir.join(".github"), |name| {
            name == "copilot-instructions.md"
        }),
    ] {
        found.extend(files_of(&place, wanted));
    }
    for (rules, ending, _) in DIRECTORIES {
        found.extend(files_of(&dir.join(rules), |name| name.ends_with(ending)));
    }
    found
}

/// Lists the files of a directory with a wanted name, sorted. A directory that
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
