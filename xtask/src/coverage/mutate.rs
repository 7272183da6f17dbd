//! Shows that the goldens notice a change in every text: a copy of the
//! workspace, in which one letter in each fragment has the other case, has to
//! make requests with each of the changed fragments.
//!
//! The copy is `target/mutants`. Only files that differ are written there, so
//! the first run compiles everything, and another one the crates that changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use super::texts::{Fragment, Goldens, fragments};
use super::{in_json, requests};
use crate::output;
use crate::say;

/// Which parts of the workspace to copy.
const PARTS: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "attacks",
    "crates",
    "fixtures",
    "guards",
    "rust-toolchain.toml",
    "xtask",
];

/// A fragment with one other letter.
struct Mutation<'a> {
    fragment: &'a Fragment,
    /// Where the letter is in the source.
    offset: usize,
    /// The changed text, within a JSON string.
    text: String,
}

/// Prints the texts whose change no golden notices. Returns true if there are
/// none.
///
/// # Errors
/// The changed workspace cannot be compiled, or its scenarios cannot be played.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let started = Instant::now();
    let mut fragments = fragments(root)?;
    fragments.retain(|it| it.goldens == Goldens::Requests);
    let requests = requests(root)?;
    let mutations = mutations(&fragments, &requests)?;
    let copy = root.join("target/mutants");
    write_copy(root, &copy, &mutations)?;
    let program = build(&copy)?;
    let made = output(Command::new(&program).args(["golden", "--print"]))?;
    let unnoticed = mutations.iter().filter(|it| !made.contains(&it.text));
    let unnoticed: Vec<&Fragment> = unnoticed.map(|it| it.fragment).collect();
    unnoticed.iter().for_each(|it| say(&format!("  {it}")));
    let (count, left) = (mutations.len(), unnoticed.len());
    let seconds = started.elapsed().as_secs();
    say(&format!("mutations: {left} of {count} unnoticed, {seconds} seconds"));
    Ok(left == 0)
}

/// Changes a letter in each fragment. A changed text is neither in an expected
/// request nor in another changed text, so it is found only if its fragment is
/// sent.
///
/// # Errors
/// No letter in a fragment gives such a text.
fn mutations<'a>(fragments: &'a [Fragment], requests: &str) -> Result<Vec<Mutation<'a>>> {
    let mut mutations: Vec<Mutation<'_>> = Vec::new();
    for fragment in fragments {
        let mut candidates = (0..fragment.located.len()).filter_map(|at| mutation(fragment, at));
        let is_unique = |text: &str| {
            let mut others = mutations.iter().map(|it| &it.text);
            !requests.contains(text) && !others.any(|it| it.contains(text) || text.contains(it))
        };
        let mutation = candidates.find(|it| is_unique(&it.text));
        mutations.push(mutation.with_context(|| format!("no letter makes {fragment} unique"))?);
    }
    Ok(mutations)
}

/// Changes a character's case, or returns `None` if it is no ASCII letter.
fn mutation(fragment: &Fragment, at: usize) -> Option<Mutation<'_>> {
    let (offset, letter) = *fragment.located.get(at)?;
    let changed =
        |(index, (_, c)): (usize, &(usize, char))| if index == at { swapped(*c) } else { *c };
    let text: String = fragment.located.iter().enumerate().map(changed).collect();
    letter.is_ascii_alphabetic().then(|| Mutation { fragment, offset, text: in_json(&text) })
}

fn swapped(letter: char) -> char {
    if letter.is_ascii_lowercase() {
        letter.to_ascii_uppercase()
    } else {
        letter.to_ascii_lowercase()
    }
}

/// Writes the workspace's files that differ from the copy's, with the
/// mutations, and removes files that the workspace does not have.
fn write_copy(root: &Path, copy: &Path, mutations: &[Mutation<'_>]) -> Result<()> {
    let mut offsets: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for it in mutations {
        offsets.entry(root.join(&it.fragment.path)).or_default().push(it.offset);
    }
    let mut written = BTreeSet::new();
    for path in PARTS.iter().flat_map(|part| WalkDir::new(root.join(part))) {
        let path = path?;
        if !path.file_type().is_file() {
            continue;
        }
        let mut bytes = fs::read(path.path())?;
        for &offset in offsets.get(path.path()).into_iter().flatten() {
            bytes[offset] = swapped(char::from(bytes[offset])) as u8;
        }
        let target = copy.join(path.path().strip_prefix(root)?);
        if fs::read(&target).ok().as_ref() != Some(&bytes) {
            fs::create_dir_all(target.parent().unwrap_or(copy))?;
            fs::write(&target, bytes)?;
        }
        written.insert(target);
    }
    for path in PARTS.iter().flat_map(|part| WalkDir::new(copy.join(part))) {
        let path = path?.into_path();
        if path.is_file() && !written.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Compiles the copy and returns its program.
///
/// The copy has its own target directory: cargo tells the crates of two
/// workspaces apart by their paths below the workspace, which are the same.
fn build(copy: &Path) -> Result<PathBuf> {
    let target = copy.join("target");
    let mut cargo = crate::cargo();
    cargo.args(["build", "--quiet", "--locked", "--package", "xtask"]);
    output(cargo.arg("--target-dir").arg(&target).current_dir(copy))?;
    let program = target.join("debug/xtask");
    Ok(program.with_extension(std::env::consts::EXE_EXTENSION))
}
