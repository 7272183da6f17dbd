//! What a situation looks like.
//!
//! A situation is a file like a [`Script`], with these keys next to `answers`. `{dir}` anywhere in
//! the file is the directory where the agent works.
//!
//! | key | value |
//! |---|---|
//! | `about` | one line: what happens to the agent |
//! | `files` | the files of the directory: `path`, and `text` or `hex`, repeated `times` |
//! | `runs` | the calls of the command: `prompt`, `session` (`new`, `resume`, `fork`), `time_zone` |
//! | `changes` | files to write while the agent runs, `after` the response with that number |
//! | `untrusted` | texts that must not reach the system prompt or a message of the user |
//! | `allow` | kinds of findings that the situation itself causes |
//! | `explained` | texts in the lines of cache misses that it causes |
//! | `wire` | `messages` if the situation is one of the Messages API only |
//!
//! A response without `when` has to be reached; one with `"when": {}` need not be.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use aside_providers::script::{Script, ScriptError};
use aside_user_files::json;
use serde::Deserialize;

use super::AgentFaultKind;

/// How large a situation's file may be, in bytes.
const MAX_FILE_BYTES: usize = 16 << 20;

/// Lists the situations that come with the program, each a file in `situations`.
macro_rules! builtin {
    ($($name:literal,)*) => {
        &[$(($name, include_str!(concat!("../../situations/", $name, ".json")))),*]
    };
}

/// Names and texts of the built-in situations.
const BUILTIN: &[(&str, &str)] = builtin![
    "plain-loop",
    "parallel-calls",
    "tool-appears",
    "midnight",
    "instructions-edited",
    "image",
    "long-result",
    "thinking-refused",
    "rate-limit",
    "overloaded",
    "broken-stream",
    "pause-turn",
    "max-tokens",
    "compaction",
    "resume",
    "fork",
    "sub-agents",
    "spoofed-reminder",
];

/// A situation: what the server answers, and what happens around it.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Situation {
    /// The name, as in `plain-loop`.
    #[serde(skip)]
    pub name: String,
    /// What happens to the agent, in one line.
    pub about: String,
    /// The directory's files.
    #[serde(default)]
    pub files: Vec<SituationFile>,
    /// How to call the command, in order. There is at least one call.
    pub runs: Vec<Run>,
    /// The files that change while the agent runs.
    #[serde(default)]
    pub changes: Vec<FileChange>,
    /// Texts that must not reach a trusted place.
    #[serde(default)]
    pub untrusted: Vec<String>,
    /// Findings that do not count here.
    #[serde(default)]
    pub allow: Vec<AgentFaultKind>,
    /// Texts in cache miss lines that are not the agent's fault.
    #[serde(default)]
    pub explained: Vec<String>,
    /// The only API that has this situation, as in `messages`.
    pub wire: Option<String>,
    /// The responses.
    #[serde(skip, default = "unanswered")]
    pub script: Script,
}

/// A file in the agent's directory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SituationFile {
    /// The path, below the directory.
    pub path: String,
    #[serde(default)]
    text: String,
    hex: Option<String>,
    #[serde(default = "once")]
    times: usize,
}

/// One call of the command.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Run {
    /// The prompt.
    pub prompt: String,
    /// The session to continue.
    #[serde(default)]
    pub session: SessionKind,
    /// The value for `TZ`, as in `Etc/GMT+12`.
    pub time_zone: Option<String>,
}

/// Which session a call continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A new one.
    #[default]
    New,
    /// The latest one.
    Resume,
    /// A new one, which begins with the latest one's messages.
    Fork,
}

/// Files to write after a response.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileChange {
    /// The response's number, from 1. The files are written before it is sent.
    pub after: usize,
    /// The files.
    pub files: Vec<SituationFile>,
}

/// Why a file is no [`Situation`]: `midnight.json:3: answers[0].times: …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SituationError(String);

impl From<ScriptError> for SituationError {
    fn from(error: ScriptError) -> Self {
        Self(error.to_string())
    }
}

fn once() -> usize {
    1
}

fn unanswered() -> Script {
    Script::from_answers(Vec::new())
}

impl Situation {
    /// Returns the names of the built-in situations.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// Returns a built-in situation's text.
    #[must_use]
    pub fn builtin(name: &str) -> Option<&'static str> {
        let found = BUILTIN.iter().find(|(builtin, _)| *builtin == name);
        found.map(|(_, text)| *text)
    }

    /// Parses a situation; errors call it `name`.
    ///
    /// # Errors
    /// The text is not JSON, is no script, has no run, or has a file outside the directory.
    pub fn parse(name: &str, text: &str, directory: &str) -> Result<Self, SituationError> {
        let directory = serde_json::Value::from(directory).to_string();
        let text = &text.replace("{dir}", directory.trim_matches('"'));
        let script = Script::parse(name, text)?;
        let fault =
            |line: usize, detail: String| SituationError(format!("{name}:{line}: {detail}"));
        let keys: Self = json::read(text).map_err(|error| {
            fault(error.line(), format!("{}: {}", error.path(), error.detail()))
        })?;
        if keys.runs.is_empty() {
            return Err(fault(1, "runs: expected at least one".to_owned()));
        }
        let changed = keys.changes.iter().flat_map(|change| &change.files);
        for file in keys.files.iter().chain(changed) {
            file.check().map_err(|detail| fault(1, detail))?;
        }
        Ok(Self { name: name.to_owned(), script, ..keys })
    }

    /// Returns the lines of a text file, with those that a change writes; none for an image.
    pub(super) fn lines(&self, path: &str) -> BTreeSet<String> {
        let changed = self.changes.iter().flat_map(|change| &change.files);
        let files = self.files.iter().chain(changed);
        let files = files.filter(|it| Path::new(path).ends_with(&it.path) && it.hex.is_none());
        let lines = files.flat_map(|it| it.text.lines()).map(str::trim);
        lines.filter(|it| !it.is_empty()).map(str::to_owned).collect()
    }
}

impl SituationFile {
    /// Returns the content.
    #[must_use]
    pub fn content(&self) -> Vec<u8> {
        let hex = self.hex.as_deref().unwrap_or_default().as_bytes();
        let bytes = hex.chunks(2).filter_map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        let once: Vec<u8> = self.text.bytes().chain(bytes).collect();
        once.repeat(self.times)
    }

    /// Checks that the path stays below the directory, and the size.
    fn check(&self) -> Result<(), String> {
        let path = &self.path;
        let mut components = Path::new(path).components();
        if path.is_empty() || !components.all(|it| matches!(it, Component::Normal(_))) {
            return Err(format!("the file {path:?} is not below the directory"));
        }
        let hex = self.hex.as_deref().unwrap_or_default();
        if !hex.len().is_multiple_of(2) || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("the file {path:?}: hex: expected pairs of hexadecimal digits"));
        }
        let once = self.text.len() + hex.len() / 2;
        match once.checked_mul(self.times) {
            Some(length) if length <= MAX_FILE_BYTES => Ok(()),
            _ => Err(format!("the file {path:?} is larger than {MAX_FILE_BYTES} bytes")),
        }
    }
}
