//! Reads the files that arguments name, up to a limit. `-` is stdin.
//!
//! Pipes and devices are read like files, and a byte order mark at the start is skipped.
//! The errors have the path, so callers only decide whether they are usage errors.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use aside_user_files::open::{Fence, NamedInput, OpenError};
use clap::{Arg, ArgMatches, Command};

/// The maximum length of a request body, in bytes: eight times the limit of the
/// Messages API.
pub(crate) const MAX_BODY_BYTES: u64 = 256 * MIB;

/// The maximum length of a stored conversation or a list of tools, in bytes.
pub(crate) const MAX_CONVERSATION_BYTES: u64 = 512 * MIB;

/// 1 MiB, in bytes.
pub(crate) const MIB: u64 = 1024 * 1024;

/// A file, a pipe or stdin that is read in parts, with its path in every error.
pub(crate) struct Input {
    /// The path as given, for messages.
    path: PathBuf,
    /// The open input.
    input: NamedInput,
}

/// Reads the bytes of a file, without a byte order mark. `limit` is in bytes.
///
/// # Errors
/// Fails if the file cannot be read, or is longer than the limit.
pub(crate) fn bytes(file: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Input::open(file)?.rest(&mut bytes, limit)?;
    Ok(bytes)
}

/// Reads a file as text. `limit` is in bytes.
///
/// # Errors
/// Fails as [`bytes`] does, and for bytes that are not UTF-8.
pub(crate) fn text(file: &Path, limit: u64) -> anyhow::Result<String> {
    utf8(file, bytes(file, limit)?)
}

/// Reads a file as text; one of the project within its fence, so that no link leads out.
///
/// # Errors
/// Fails as [`text`] does, and for such a link with both paths.
pub(crate) fn text_within(fence: &Fence, file: &Path, limit: u64) -> anyhow::Result<String> {
    let opened = NamedInput::open_within(fence, file);
    let mut input = opened.map_err(|error| failed(file, &error))?;
    let mut bytes = Vec::new();
    let read = input.read_to_end(&mut bytes, limit);
    read.map_err(|error| failed(file, &error))?;
    utf8(file, bytes)
}

fn utf8(file: &Path, bytes: Vec<u8>) -> anyhow::Result<String> {
    let failed = || format!("failed to read {}", file.display());
    String::from_utf8(bytes)
        .map_err(|_| anyhow!("not UTF-8"))
        .with_context(failed)
}

impl Input {
    /// Opens a file, a pipe, or stdin for `-`. A byte order mark is skipped.
    pub(crate) fn open(file: &Path) -> anyhow::Result<Self> {
        let input = NamedInput::open(file).map_err(|error| failed(file, &error))?;
        let path = file.to_owned();
        Ok(Self { path, input })
    }

    /// Appends the next line with its newline, and returns false at the end of
    /// the input. `to` never holds more than `limit` bytes.
    ///
    /// # Errors
    /// Fails for a longer line, and if the input cannot be read.
    pub(crate) fn line(&mut self, to: &mut Vec<u8>, limit: u64) -> anyhow::Result<bool> {
        let read = self.input.read_line(to, limit);
        read.map_err(|error| failed(&self.path, &error))
    }

    /// Appends the rest of the input. `to` never holds more than `limit` bytes.
    pub(crate) fn rest(&mut self, to: &mut Vec<u8>, limit: u64) -> anyhow::Result<()> {
        let read = self.input.read_to_end(to, limit);
        read.map_err(|error| failed(&self.path, &error))
    }
}

/// Returns the error of an input.
fn failed(file: &Path, error: &OpenError) -> anyhow::Error {
    anyhow!("failed to read {}: {}", file.display(), error.message())
}

/// Reads as a stream, of which nothing is kept.
impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.input.read(to)
    }
}

/// Returns true if the arguments name stdin twice, which can be read once.
pub(crate) fn is_stdin_twice(command: &Command, matches: &ArgMatches) -> bool {
    let is_stdin = |value: &&OsStr| *value == "-";
    let files = command.get_arguments().filter(|it| is_file(it));
    let times: usize = files
        .map(|file| {
            let values = matches
                .get_raw(file.get_id().as_str())
                .into_iter()
                .flatten();
            values.filter(is_stdin).count()
        })
        .sum();
    let inner = matches.subcommand().and_then(|(name, matches)| {
        let command = command.find_subcommand(name)?;
        Some(is_stdin_twice(command, matches))
    });
    let steers = matches
        .try_get_one::<bool>("steer")
        .is_ok_and(|it| it == Some(&true));
    times + usize::from(steers) > 1 || inner.unwrap_or(false)
}

/// Returns true if the argument is a file to read.
///
/// By convention of the definitions, its value is named `FILE`, alone or before the words
/// that it may also be.
fn is_file(argument: &Arg) -> bool {
    let mut names = argument.get_value_names().into_iter().flatten();
    names.any(|name| name == "FILE" || name.starts_with("FILE|none"))
}
