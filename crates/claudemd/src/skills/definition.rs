//! A `SKILL.md`, validated by the Agent Skills specification: the name equals
//! the directory's, the description is not empty, the lengths are limited.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use aside_diagnostic::Location;
use aside_user_files::open::Fence;
use aside_user_files::{DocumentError, nearest};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use super::{SkillFile, discover};
use crate::discover::profile::GlobForm;
use crate::read::decoded;
use crate::rules::bad_patterns;
use crate::rules::braces::Budget;
use crate::rules::header::Paths;
use crate::rules::header_keys::HeaderKeys;
use crate::{Diagnostic, OperatingSystem, SkipReason, kinds};

/// How long a name may be, in characters.
const MAX_NAME_CHARS: usize = 64;
/// How long a description may be, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1_024;
/// How long a note on compatibility may be, in characters.
const MAX_COMPATIBILITY_CHARS: usize = 500;
/// How large a `SKILL.md` may be, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The specification's keys, then those of Claude Code. Any other key gets a note, and the skill is
/// loaded all the same.
const KEYS: [&str; 15] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "when_to_use",
    "disable-model-invocation",
    "user-invocable",
    "argument-hint",
    "model",
    "context",
    "agent",
    "hooks",
    "paths",
];

/// The front matter of a `SKILL.md`:
///
/// ```yaml
/// name: release
/// description: Cuts a release. Use when the user asks for one.
/// license: Apache-2.0
/// compatibility: Needs git and network access.
/// metadata:
///   author: ada
/// allowed-tools: Bash(git:*) Read
/// paths: src/**
/// ```
///
/// `name` and `description` are required. `allowed-tools` is one string, split
/// at white space and commas outside parentheses, or, as in Claude Code, a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Header {
    name: String,
    description: String,
    license: Option<String>,
    compatibility: Option<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
    #[serde(default)]
    allowed_tools: Tools,
    #[serde(rename = "when_to_use")]
    when_to_use: Option<String>,
    #[serde(default)]
    disable_model_invocation: bool,
    #[serde(default)]
    paths: Paths,
}

/// The names in `allowed-tools`.
#[derive(Debug, Default)]
struct Tools(Vec<String>);

impl<'de> Deserialize<'de> for Tools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToolsVisitor)
    }
}

struct ToolsVisitor;

impl<'de> Visitor<'de> for ToolsVisitor {
    type Value = Tools;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_unit<E>(self) -> Result<Tools, E> {
        Ok(Tools::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<Tools, E> {
        Ok(Tools(split_tools(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tools, A::Error> {
        let mut tools = Vec::new();
        while let Some(item) = list.next_element::<String>()? {
            tools.extend(split_tools(&item));
        }
        Ok(Tools(tools))
    }
}

/// Returns the diagnostic for a skill that is not valid. Lines count from 1.
pub(super) fn fault(path: &Path, line: usize, message: &str) -> Diagnostic {
    let place = Location::new(path).line(line);
    kinds::SKILL_INVALID.diagnostic(message).at(place)
}

/// Reads a file inside the fence.
///
/// # Errors
///
/// A diagnostic if the file is outside the fence, is not a regular file, cannot
/// be read, has more than [`MAX_BYTES`] bytes, or is not UTF-8.
pub(super) fn text(path: &Path, fence: &Fence) -> Result<String, Diagnostic> {
    let skip = |reason: SkipReason| kinds::SKILL_UNREADABLE.diagnostic(reason).at(path);
    let file = fence.open_file(path).map_err(|error| skip(error.into()))?;
    let bytes = file.read(MAX_BYTES).map_err(|error| skip(error.into()))?;
    decoded(bytes).map_err(skip)
}

/// Reads and validates a `SKILL.md`. Returns the skill with notes, or its
/// faults.
///
/// Notes are diagnostics that do not keep the skill from loading. The file's
/// body is not kept.
pub(super) fn read(
    path: &Path,
    fence: &Fence,
) -> Result<(SkillFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    if discover::is_miswritten(path) {
        let message = "letter case of the name: expected SKILL.md";
        return Err(vec![fault(path, 1, message)]);
    }
    let text = text(path, fence).map_err(|it| vec![it])?;
    let of_error = |error: &DocumentError| vec![fault(path, error.line(), error.message())];
    let document = aside_user_files::split(&text).map_err(|error| of_error(&error))?;
    // A description is often a sentence with a colon, which is no YAML.
    let header = Paths::read(&document, |it: &Header| &it.paths);
    let header = header.map_err(|error| of_error(&error))?;
    let Some(header) = header else {
        return Err(vec![fault(path, 1, "expected front matter with name and description")]);
    };
    let line = |key: &str| {
        let lines = document.header().unwrap_or_default().lines();
        2 + lines.take_while(|line| !line.starts_with(key)).count()
    };
    let mut notes = unknown_keys(path, &document.data::<HeaderKeys>().ok().flatten(), &line);
    notes.extend(bad_paths(path, &header.paths, document.header().unwrap_or_default()));
    let faults = faults(path, &header, &line);
    if !faults.is_empty() {
        return Err(faults);
    }
    let when = header.when_to_use.iter().map(|it| it.trim()).filter(|it| !it.is_empty());
    let description = std::iter::once(header.description.trim()).chain(when);
    let skill = SkillFile {
        name: header.name,
        description: description.collect::<Vec<_>>().join(" - "),
        disable_model_invocation: header.disable_model_invocation,
        license: header.license,
        compatibility: header.compatibility,
        metadata: header.metadata,
        allowed_tools: header.allowed_tools.0,
        paths: header.paths.patterns,
        is_waiting: false,
        path: path.to_owned(),
        fence: fence.clone(),
        base: PathBuf::new(),
    };
    Ok((skill, notes))
}

/// Splits at white space, and at commas, as Claude Code writes them; both may be within a pattern.
fn split_tools(tools: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let names = tools.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns notes on keys that the specification does not have, in text order.
fn unknown_keys(
    path: &Path,
    keys: &Option<HeaderKeys>,
    line: &dyn Fn(&str) -> usize,
) -> Vec<Diagnostic> {
    let keys = keys.iter().flat_map(HeaderKeys::iter);
    let unknown = keys.filter(|key| !KEYS.contains(key));
    let note = |key| {
        let meant = nearest(key, &KEYS).map(|it| format!(": did you mean {it}?"));
        let message = format!("unknown key {key}{}", meant.unwrap_or_default());
        let place = Location::new(path).line(line(key));
        kinds::SKILL_KEY.diagnostic(message).at(place)
    };
    let mut notes: Vec<Diagnostic> = unknown.map(note).collect();
    notes.sort_by_key(Diagnostic::line);
    notes
}

/// Returns warnings about entries of `paths` that are no patterns.
fn bad_paths(path: &Path, paths: &Paths, header: &str) -> Vec<Diagnostic> {
    let of_entries = paths.faults("paths", header, 2);
    let mut faults: Vec<_> = of_entries.iter().map(|it| it.at(path)).collect();
    let platform = OperatingSystem::CURRENT;
    let form = GlobForm::Rooted;
    for (glob, message) in bad_patterns(&paths.patterns, form, platform, &mut Budget::default()) {
        let line = header.lines().position(|line| line.contains(glob)).map(|at| at + 2);
        let place = Location::new(path).line(line);
        faults.push(kinds::BAD_PATTERN.diagnostic(message).at(place));
    }
    faults
}

/// Returns a front matter's faults, each with its line.
///
/// All faults are returned, not only the first: at most one each for the name
/// and the description, and one for the length of `compatibility`.
fn faults(path: &Path, header: &Header, line: &dyn Fn(&str) -> usize) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let mut add = |key: &str, message: String| faults.push(fault(path, line(key), &message));
    if let Some(message) = name_fault(&header.name) {
        add("name", message);
    } else {
        let dir = path.parent().and_then(Path::file_name);
        // The directory name for `.` is known only after it is resolved.
        if let Some(dir) = dir.filter(|dir| *dir != header.name.as_str()) {
            add(
                "name",
                format!("name {} is not that of its directory, {}", header.name, dir.display()),
            );
        }
    }
    let description = header.description.trim();
    if description.is_empty() {
        add("description", "description is empty".to_owned());
    }
    for (key, text, limit) in [
        ("description", description, MAX_DESCRIPTION_CHARS),
        ("when_to_use", header.when_to_use.as_deref().unwrap_or_default(), MAX_DESCRIPTION_CHARS),
        (
            "compatibility",
            header.compatibility.as_deref().unwrap_or_default(),
            MAX_COMPATIBILITY_CHARS,
        ),
    ] {
        let chars = text.chars().count();
        if chars > limit {
            add(key, format!("{key} has {chars} characters, more than {limit}"));
        }
    }
    faults
}

/// Returns what is wrong with a name, if anything: its length, a character, a
/// hyphen at an end or twice in a row.
fn name_fault(name: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let chars = name.chars().count();
    let fault = if name.is_empty() {
        "is empty".to_owned()
    } else if chars > MAX_NAME_CHARS {
        format!("has {chars} characters, more than {MAX_NAME_CHARS}")
    } else if !name.chars().all(is_plain) {
        "has other characters than a-z, 0-9 and -".to_owned()
    } else if name.starts_with('-') || name.ends_with('-') {
        "begins or ends with a hyphen".to_owned()
    } else if name.contains("--") {
        "has two hyphens in a row".to_owned()
    } else {
        return None;
    };
    Some(format!("name {fault}"))
}
