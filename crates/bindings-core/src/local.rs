//! What opens files and logs or starts git, and the strict Messages API in process.

mod api;
mod rows;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use aside_claudemd::{Dirs, Loader, Profile, instructions};
use aside_git_context::{GitOptions, GitSnapshot, snapshot_blocking};
use aside_prompt_sections::SESSION_SECTIONS;
use serde::{Deserialize, Serialize};

use crate::compare::NoOptions;
use crate::error::{BindingError, BindingErrorKind};
use crate::output::{Output, inputs, options};

pub use api::StrictApi;
pub use rows::{LogRows, Row};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MemoryOptions {
    agent: Option<String>,
    /// The home directory to load files from, too. By default nothing outside the project is read.
    home: Option<PathBuf>,
}

#[derive(Serialize)]
struct MemoryFacts {
    /// The instructions as the model gets them; null without a file.
    text: Option<String>,
    files: Vec<File>,
    diagnostics: Vec<aside_diagnostic::Diagnostic>,
}

/// A file, with keys of `aside memory --json`, and its text.
#[derive(Serialize)]
struct File {
    path: String,
    kind: &'static str,
    rule: bool,
    reason: &'static str,
    globs: Vec<String>,
    bytes: usize,
    text: String,
}

pub(crate) fn memory(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [directory] = inputs(given)?;
    let given: MemoryOptions = options(json)?;
    let directory = path(directory)?;
    let mut loader = Loader::new(given.home.map(Dirs::of_home).unwrap_or_default());
    if let Some(name) = &given.agent {
        let profile = Profile::from_str(name)
            .map_err(|error| BindingError::option(format!("agent: {error}")))?;
        loader = loader.profile(profile);
    }
    let absolute = std::path::absolute(directory).map_err(|error| failed(directory, &error))?;
    let memory = loader.load(&absolute).map_err(|error| failed(directory, &error))?;
    let files = memory.files().iter().map(|file| File {
        path: file.path.to_string_lossy().into_owned(),
        kind: file.kind.as_str(),
        rule: file.rule,
        reason: file.reason.as_str(),
        globs: file.globs.clone(),
        bytes: file.bytes,
        text: file.text.to_string(),
    });
    Output::facts(&MemoryFacts {
        text: instructions(&memory, SESSION_SECTIONS),
        files: files.collect(),
        diagnostics: memory.diagnostics().to_vec(),
    })
}

#[derive(Serialize)]
struct GitFacts {
    /// The state as text for the model; null outside a repository.
    text: Option<String>,
    diagnostics: Vec<String>,
}

pub(crate) fn git_state(given: &[&[u8]], json: &[u8]) -> Result<Output, BindingError> {
    let [directory] = inputs(given)?;
    options::<NoOptions>(json)?;
    let directory = path(directory)?;
    let snapshot = snapshot_blocking(directory, &GitOptions::default())
        .map_err(|error| failed(directory, &error))?;
    let faults = snapshot.iter().flat_map(|snapshot| &snapshot.diagnostics);
    Output::facts(&GitFacts {
        diagnostics: faults.map(ToString::to_string).collect(),
        text: snapshot.as_ref().map(GitSnapshot::render),
    })
}

/// Reads a path, which on Unix may be any bytes.
#[cfg(unix)]
fn path(bytes: &[u8]) -> Result<&Path, BindingError> {
    use std::os::unix::ffi::OsStrExt;

    Ok(Path::new(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Result<&Path, BindingError> {
    crate::input::text(bytes).map(Path::new)
}

fn failed(path: &Path, error: &dyn fmt::Display) -> BindingError {
    BindingError {
        path: path.to_string_lossy().into_owned(),
        ..BindingError::new(BindingErrorKind::Local, error)
    }
}
