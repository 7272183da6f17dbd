//! Reads files named in arguments, up to a limit. `-` is stdin.
//!
//! You can pass pipes and devices like files, and a byte order mark at the
//! start is skipped. Errors contain the path, so that callers only have to
//! decide whether they are usage errors.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use aside_request_logs::{LogFiles, ReadOptions, list_logs};
use aside_transcript::{Uuid, is_of_session};
use aside_user_files::open::{Fence, FileKey, NamedInput, OpenError};
use clap::{Arg, ArgMatches, Command};

/// The maximum request body length, in bytes: eight times the Messages API
/// limit.
pub(crate) const MAX_BODY_BYTES: u64 = 256 * MIB;

/// The maximum length for a stored conversation or a tool list, in bytes.
pub(crate) const MAX_CONVERSATION_BYTES: u64 = 512 * MIB;

pub(crate) const MIB: u64 = 1024 * 1024;

/// A file, a pipe or stdin to read in parts, with its path in every error.
pub(crate) struct Input {
    /// The path as given, to name in messages.
    path: PathBuf,
    input: NamedInput,
}

/// Reads a file's bytes, without a byte order mark. `limit` is in bytes.
///
/// # Errors
/// Fails when the file cannot be read, or exceeds the limit.
pub(crate) fn bytes(file: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Input::open(file)?.rest(&mut bytes, limit)?;
    Ok(bytes)
}

/// Reads a file as text. `limit` is in bytes.
///
/// # Errors
/// Fails as [`bytes`] does, and when bytes are not UTF-8.
pub(crate) fn text(file: &Path, limit: u64) -> anyhow::Result<String> {
    utf8(file, bytes(file, limit)?)
}

/// Reads a file as text. A project file has to stay within the fence, so that
/// no link leads outside.
///
/// # Errors
/// Fails as [`text`] does, and for such a link, with both paths.
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
    String::from_utf8(bytes).map_err(|_| anyhow!("not UTF-8")).with_context(failed)
}

impl Input {
    /// Opens a file, a pipe, or stdin for `-`. Skips a byte order mark.
    pub(crate) fn open(file: &Path) -> anyhow::Result<Self> {
        let input = NamedInput::open(file).map_err(|error| failed(file, &error))?;
        let path = file.to_owned();
        Ok(Self { path, input })
    }

    /// Appends the next line with its newline; returns false when the input
    /// ends. `to` never holds more than `limit` bytes.
    ///
    /// # Errors
    /// Fails when a line is longer, or when the input cannot be read.
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

fn failed(file: &Path, error: &OpenError) -> anyhow::Error {
    anyhow!("failed to read {}: {}", file.display(), error.message())
}

/// Reads as a stream, keeping nothing.
impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.input.read(to)
    }
}

/// Returns why the files of a command cannot be used: stdin, which can be read
/// once, is given twice, an output is also an input and would replace it, or one
/// is the transcript of a session of `aside run`, which no command reads.
pub(crate) fn conflict(command: &Command, matches: &ArgMatches) -> Option<String> {
    if let Some((name, matches)) = matches.subcommand() {
        return conflict(command.find_subcommand(name)?, matches);
    }
    let values = |argument: &Arg| {
        let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
        values.map(PathBuf::from).collect::<Vec<_>>()
    };
    let (outputs, inputs): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .filter(|it| is_file(it) || is_output(it))
        .partition(|it| is_output(it));
    let inputs: Vec<PathBuf> = inputs.into_iter().flat_map(values).collect();
    let times = inputs.iter().filter(|it| it.as_os_str() == "-").count();
    let steers = matches.try_get_one::<bool>("steer").is_ok_and(|it| it == Some(&true));
    if times + usize::from(steers) > 1 {
        return Some("stdin can be read once, and is given twice".to_owned());
    }
    for output in outputs {
        let option = output.get_long().unwrap_or_default();
        if let Some(file) = values(output).into_iter().find(|it| is_among(it, &inputs)) {
            return Some(replaces_input(&file, option));
        }
    }
    let file = inputs.iter().find(|it| is_transcript(it))?;
    let id = file.file_stem().and_then(|stem| stem.to_str());
    let id = id.filter(|stem| Uuid::try_parse(stem).is_ok()).unwrap_or("ID");
    Some(format!(
        "{}: the transcript of a session: take --resume {id} of aside run, render or context",
        file.display()
    ))
}

/// Returns true for an existing file that keeps a session of `aside run`.
fn is_transcript(file: &Path) -> bool {
    // A pipe can be read once.
    let file = Some(file).filter(|it| it.is_file()).and_then(|it| File::open(it).ok());
    file.is_some_and(|it| is_of_session(BufReader::new(it).take(MAX_BODY_BYTES)))
}

/// Returns true if an existing file is one of the logs that `inputs` name.
pub(crate) fn is_among(file: &Path, inputs: &[PathBuf]) -> bool {
    FileKey::at(file).is_some_and(|key| {
        let paths = list_logs(inputs).paths;
        paths.iter().any(|it| FileKey::at(it).as_ref() == Some(&key))
    })
}

/// Returns true if an existing file holds a logged request.
pub(crate) fn is_log(file: &Path) -> bool {
    file.is_file() && LogFiles::new(&[file.to_owned()], ReadOptions::default()).any(|it| it.is_ok())
}

/// Returns the message for an output that is also an input.
pub(crate) fn replaces_input(file: &Path, option: &str) -> String {
    format!("{} is an input: --{option} needs another file", file.display())
}

/// Returns true when the argument is a file to write.
fn is_output(argument: &Arg) -> bool {
    ["html", "junit", "source_map"].contains(&argument.get_id().as_str())
}

/// Returns true when the argument is a file to read.
///
/// By convention, its value is named `FILE`, alone or before the words that you
/// can pass instead.
fn is_file(argument: &Arg) -> bool {
    let mut names = argument.get_value_names().into_iter().flatten();
    names.any(|name| name == "FILE" || name.starts_with("FILE|none"))
}
