use std::ffi::OsStr;
use std::path::Path;

use aside_frontmatter::{Document, split, strict_yaml};

use super::diagnostic::{Diagnostic, Severity};
use super::read::Fault;
use crate::condition::Condition;
use crate::definition::Definition;
use crate::reminder::{Delivery, Reminder, Source};
use crate::schedule::ScheduleKind;
use crate::template::unknown_names;
use crate::unknown_keys::UnknownKeys;

/// A plugin file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginFile {
    /// What it says.
    pub reminder: Reminder,
    /// The line of its id, for those who have something to say about it.
    pub(super) id_line: usize,
    /// What should be known about it; it is loaded all the same.
    pub diagnostics: Vec<Diagnostic>,
}

impl PluginFile {
    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        match &self.reminder.source {
            Source::Plugin { path } => path,
            Source::Builtin | Source::Code => Path::new(""),
        }
    }
}

/// The most slips of one kind that are told of one file.
const MAX_TOLD: usize = 10;

/// The ways to write a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Yaml,
}

/// Whether the directories are searched for files of this name.
pub(super) fn has_known_ending(name: &Path) -> bool {
    form(name).is_some()
}

fn form(name: &Path) -> Option<Form> {
    match name.extension().and_then(OsStr::to_str) {
        Some("md") => Some(Form::Markdown),
        Some("yaml" | "yml") => Some(Form::Yaml),
        _ => None,
    }
}

/// Reads the text of a plugin file. `path` says its form, and its id where the
/// text names none; nothing is looked up there.
///
/// # Errors
/// What is wrong with it: such a file is to be left out.
pub fn parse_file(path: &Path, text: &str) -> Result<PluginFile, Diagnostic> {
    read(path, text).map_err(|fault| Diagnostic {
        severity: Severity::Error,
        path: path.to_owned(),
        line: Some(fault.line),
        message: fault.message,
    })
}

impl From<aside_frontmatter::Error> for Fault {
    fn from(error: aside_frontmatter::Error) -> Self {
        Self {
            line: error.line(),
            message: error.message().to_owned(),
        }
    }
}

fn read(path: &Path, text: &str) -> Result<PluginFile, Fault> {
    let form = form(path)
        .ok_or_else(|| Fault::whole("expected a name that ends in .md, .yaml or .yml"))?;
    let mut warnings = Vec::new();
    let (definition, unknown_keys, body) = match form {
        Form::Markdown => {
            let document = split(text)?;
            let definition: Option<Definition> = document.strict_data()?;
            let keys = document.strict_data::<UnknownKeys>();
            (definition, keys, Some(body(document)))
        }
        Form::Yaml => {
            let keys = strict_yaml::<Option<UnknownKeys>>(text);
            (strict_yaml::<Option<Definition>>(text)?, keys, None)
        }
    };
    let mut definition = definition.unwrap_or_default();
    if let Some((body, _)) = body {
        if definition.content().is_some() {
            let message = "the key content is passed over: in Markdown the body is the content";
            warnings.push((
                Severity::Warning,
                line_of_key(text, "content"),
                message.to_owned(),
            ));
        }
        definition = definition.with_content(body);
    }
    // What cannot be read at all was told.
    let unknown_keys = unknown_keys.ok().flatten().unwrap_or_default();
    for key in unknown_keys.iter().take(MAX_TOLD) {
        let line = line_of_key(text, key);
        warnings.push((
            Severity::Warning,
            line,
            format!("the key {key:?} is not known, and passed over"),
        ));
    }

    let id_line = definition.id().map_or(1, |_| line_of_key(text, "id"));
    let stem = path.file_stem().and_then(OsStr::to_str);
    let Some(id) = definition.id().or(stem).map(str::to_owned) else {
        let message = "found a file name that is not UTF-8, expected the key id";
        return Err(Fault::whole(message));
    };
    let source = Source::Plugin {
        path: path.to_owned(),
    };
    let reminder = definition.into_reminder(&id, "", source);
    // What switches another one off has nothing to say.
    if reminder.active && reminder.is_blank() {
        let (line, expected) = match body {
            Some((_, line)) => (line, "expected text behind the front matter"),
            None => (1, "expected the key content with some text"),
        };
        let message = format!("no content: {expected}");
        return Err(Fault { line, message });
    }
    if let ScheduleKind::Condition(Condition::Expression(expression)) = &reminder.schedule.kind
        && let Some(fault) = expression.fault()
    {
        warnings.push((Severity::Warning, line_of_key(text, "condition"), fault));
    }
    for name in unknown_names(&reminder.content).into_iter().take(MAX_TOLD) {
        let line = line_with(text, |line| line.contains(&format!("{{{{{name}}}}}")));
        let message = format!(
            "found {{{{{name}}}}}, which stays as written: expected now, date, cwd, branch or turn"
        );
        warnings.push((Severity::Warning, line, message));
    }
    let diagnostics = warnings
        .into_iter()
        .map(|(severity, line, message)| Diagnostic {
            severity,
            path: path.to_owned(),
            line: Some(line),
            message,
        });
    Ok(PluginFile {
        reminder,
        id_line,
        diagnostics: diagnostics.collect(),
    })
}

/// The body, trimmed, and the line on which it begins.
fn body(document: Document<'_>) -> (&str, usize) {
    let body = document.body();
    let blank = body.len() - body.trim_start().len();
    let above = body[..blank].matches('\n').count();
    let line = match body.trim() {
        "" => document.body_line(),
        _ => document.body_line() + above,
    };
    (body.trim(), line)
}

/// The first line that looks like this key; 1 where none does.
fn line_of_key(text: &str, key: &str) -> usize {
    if key.trim() != key || key.is_empty() {
        return 1;
    }
    let quotes = ['"', '\''];
    line_with(text, |line| {
        let mut places = line.match_indices(key);
        places.any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + key.len()..]);
            let before = before.strip_suffix(quotes).unwrap_or(before);
            let behind = behind.strip_prefix(quotes).unwrap_or(behind);
            let begins = before.is_empty() || before.ends_with([' ', '\t', '{', ',']);
            begins && behind.trim_start().starts_with(':')
        })
    })
}

fn line_with(text: &str, is_it: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is_it).map_or(1, |index| index + 1)
}

/// What a person who wrote a reminder may not have meant; nothing is wrong.
#[must_use]
pub fn advice(reminder: &Reminder) -> Option<&'static str> {
    let is_once = matches!(reminder.schedule.kind, ScheduleKind::Oneshot);
    (is_once && reminder.active && reminder.delivery == Delivery::Ephemeral).then_some(
        "fires once and is gone from the next request; where the model should go on knowing it, \
         say delivery: persistent",
    )
}
