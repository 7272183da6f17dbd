//! `aside init`: writes a first scenario, a sample reminder and a CI workflow into a
//! repository.
//!
//! The files are those of `src/init`. Existing files are kept, so that the command can be
//! repeated; no other file is changed. The root is the directory with `.git` at or above
//! the given one, else the given one.
//!
//! ```text
//! /home/alex/app
//!   found  git repository
//!   found  CLAUDE.md
//!   wrote  .aside/scenarios/first/scenario.yaml
//!   kept   .aside/reminders/run-tests.md
//!   next   aside verify --bless
//! ```
//!
//! Exit code 1: a file cannot be written. Exit code 2: the directory does not exist.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use aside_text::one_line;
use serde::Serialize;

use crate::Failure;
use crate::arguments::Init;
use crate::output;

/// The scenario of the first request in the repository.
const SCENARIO: &str = include_str!("init/scenario.yaml");
/// A reminder to run the tests.
const REMINDER: &str = include_str!("init/reminder.md");
/// The workflow for GitHub Actions.
const GITHUB: &str = include_str!("init/aside-verify.yml");
/// The jobs for GitLab, which the user includes.
const GITLAB: &str = include_str!("init/gitlab.yml");

/// The instruction files that are looked for, relative to the root.
const INSTRUCTION_FILES: [&str; 5] = [
    "CLAUDE.md",
    "AGENTS.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
    "GEMINI.md",
];

/// The object that `--json` prints.
#[derive(Serialize)]
struct Document {
    /// The root of the repository; bytes that are not UTF-8 are replaced.
    root: String,
    /// Sentences about the repository, its instruction files and its CI.
    found: Vec<String>,
    /// The files that were written, relative to the root.
    written: Vec<String>,
    /// The files that existed and were kept.
    kept: Vec<String>,
    /// The commands to run next.
    next: Vec<&'static str>,
}

/// Writes the files that are missing, and prints what was found and done.
///
/// # Errors
/// Fails at the first file that cannot be written; earlier ones stay.
pub(crate) fn run(arguments: &Init) -> Result<(), Failure> {
    let given = fs::canonicalize(&arguments.directory)
        .with_context(|| format!("failed to use {}", arguments.directory.display()))
        .map_err(Failure::usage)?;
    let repository = given.ancestors().find(|dir| dir.join(".git").exists());
    let root = repository.unwrap_or(&given);
    let mut document = Document {
        root: root.display().to_string(),
        found: Vec::new(),
        written: Vec::new(),
        kept: Vec::new(),
        next: vec!["aside verify --bless", "aside verify"],
    };
    document.found.push(match repository {
        Some(_) => "git repository".to_owned(),
        None => "no git repository; the scenario runs in this directory".to_owned(),
    });
    let instructions: Vec<_> = INSTRUCTION_FILES
        .iter()
        .filter(|name| root.join(name).exists())
        .copied()
        .collect();
    document.found.push(match instructions.is_empty() {
        true => "no instruction file".to_owned(),
        false => instructions.join(", "),
    });
    let mut files: Vec<(PathBuf, &str)> = vec![
        (".aside/scenarios/first/scenario.yaml".into(), SCENARIO),
        (".aside/reminders/run-tests.md".into(), REMINDER),
    ];
    if root.join(".github").is_dir() {
        document.found.push("CI: GitHub Actions".to_owned());
        files.push((".github/workflows/aside-verify.yml".into(), GITHUB));
    } else if root.join(".gitlab-ci.yml").exists() {
        document
            .found
            .push("CI: GitLab; include .gitlab/aside-verify.yml in .gitlab-ci.yml".to_owned());
        files.push((".gitlab/aside-verify.yml".into(), GITLAB));
    } else {
        document
            .found
            .push("no known CI; run `aside verify` in yours".to_owned());
    }
    for (path, text) in files {
        let shown = path.display().to_string();
        match write_new(root, &path, text)? {
            true => document.written.push(shown),
            false => document.kept.push(shown),
        }
    }
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&document)? + "\n",
        false => lines(&document),
    };
    output::print([text.as_bytes()])?;
    Ok(())
}

/// Writes a file below the root, unless something of its name exists; returns true if it
/// was written.
///
/// No link of the repository leads the file out of it: the nearest existing directory is
/// resolved first, and has to be below the root.
fn write_new(root: &Path, path: &Path, text: &str) -> anyhow::Result<bool> {
    let path = &root.join(path);
    let failed = || format!("failed to write {}", path.display());
    let exists = |it: &&Path| it.symlink_metadata().is_ok();
    let parent = path.ancestors().skip(1).find(exists).unwrap_or(root);
    let resolved = parent.canonicalize().with_context(failed)?;
    if !resolved.starts_with(root) {
        let (from, to) = (parent.display(), resolved.display());
        return Err(anyhow!("{from} is outside of the repository: {to}")).with_context(failed);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            file.write_all(text.as_bytes()).with_context(failed)?;
            Ok(true)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(failed),
    }
}

/// Returns the text output.
fn lines(document: &Document) -> String {
    let mut out = format!("{}\n", one_line(&document.root));
    let lists: [(&str, Vec<&str>); 4] = [
        ("found", document.found.iter().map(String::as_str).collect()),
        (
            "wrote",
            document.written.iter().map(String::as_str).collect(),
        ),
        ("kept ", document.kept.iter().map(String::as_str).collect()),
        ("next ", document.next.clone()),
    ];
    for (name, list) in lists {
        for line in list {
            out.push_str(&format!("  {name}  {}\n", one_line(line)));
        }
    }
    out
}
