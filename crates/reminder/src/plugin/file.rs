use std::ffi::OsStr;
use std::path::Path;

use aside_diagnostic::{Diagnostic, Location};
use aside_user_files::{Document, split, strict_yaml};

use super::kinds;
use super::read::Fault;
use crate::condition::Condition;
use crate::definition::Definition;
use crate::reminder::{Delivery, Reminder, Source};
use crate::schedule::ScheduleKind;
use crate::template::unknown_placeholders;
use crate::unknown_keys::UnknownKeys;

/// A parsed plugin file.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginFile {
    /// The reminder that the file defines.
    pub reminder: Reminder,
    /// The line of its id, for diagnostics.
    pub(super) id_line: usize,
    /// Notes and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl PluginFile {
    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        match &self.reminder.source {
            Source::Plugin { path } => path,
            _ => Path::new(""),
        }
    }

    /// Returns the location of its id.
    pub(super) fn id_place(&self) -> Location {
        Location::new(self.path()).line(self.id_line)
    }
}

/// The maximum number of warnings of one kind about one file.
const MAX_WARNINGS: usize = 10;

/// The format of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Yaml,
}

/// Returns true for the name of a plugin file.
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

/// Parses the text of a plugin file. The name in `path` decides on the format,
/// and is the id if the text has none. The file system is not accessed.
///
/// ```
/// use std::path::Path;
///
/// use aside_reminder::parse_file;
///
/// let file = parse_file(Path::new("careful.md"), "---\npriority: 5\n---\nAsk first.\n")?;
/// assert_eq!(file.reminder.id, "careful");
/// assert_eq!(file.reminder.content, "Ask first.");
/// # Ok::<(), aside_reminder::Diagnostic>(())
/// ```
///
/// # Errors
/// Returns the fault if the file cannot be loaded.
pub fn parse_file(path: &Path, text: &str) -> Result<PluginFile, Diagnostic> {
    read(path, text).map_err(|fault| {
        let place = Location::new(path).line(fault.line);
        kinds::INVALID.diagnostic(fault.message).at(place)
    })
}

impl From<aside_user_files::DocumentError> for Fault {
    fn from(error: aside_user_files::DocumentError) -> Self {
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
            let message = "the key content is ignored: in Markdown the body is the content";
            let line = line_of_key(text, "content");
            warnings.push((kinds::IGNORED_KEY, line, message.to_owned()));
        }
        definition = definition.with_content(body);
    }
    // A text that cannot be read at all has been reported by now.
    let unknown_keys = unknown_keys.ok().flatten().unwrap_or_default();
    for key in unknown_keys.iter().take(MAX_WARNINGS) {
        let line = line_of_key(text, key);
        let message = format!("unknown key {key:?} is ignored");
        warnings.push((kinds::IGNORED_KEY, line, message));
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
    // A file that only switches a reminder off needs no content.
    if reminder.active && reminder.is_blank() {
        let (line, expected) = match body {
            Some((_, line)) => (line, "expected text after the front matter"),
            None => (1, "expected the key content with some text"),
        };
        let message = format!("no content: {expected}");
        return Err(Fault { line, message });
    }
    if let ScheduleKind::Condition(Condition::Expression(expression)) = &reminder.schedule.kind
        && let Some(fault) = expression.fault()
    {
        warnings.push((kinds::CONDITION, line_of_key(text, "condition"), fault));
    }
    for name in unknown_placeholders(&reminder.content)
        .into_iter()
        .take(MAX_WARNINGS)
    {
        let line = line_with(text, |line| line.contains(&format!("{{{{{name}}}}}")));
        let message = format!(
            "found {{{{{name}}}}}, which remains as written: expected now, date, cwd, branch or turn"
        );
        warnings.push((kinds::PLACEHOLDER, line, message));
    }
    let diagnostics = warnings
        .into_iter()
        .map(|(kind, line, message)| kind.diagnostic(message).at(Location::new(path).line(line)));
    Ok(PluginFile {
        reminder,
        id_line,
        diagnostics: diagnostics.collect(),
    })
}

/// Returns the trimmed body and the line on which it begins.
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

/// Returns the first line that looks like this key, or 1.
fn line_of_key(text: &str, key: &str) -> usize {
    if key.trim() != key || key.is_empty() {
        return 1;
    }
    let quotes = ['"', '\''];
    line_with(text, |line| {
        let mut places = line.match_indices(key);
        places.any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + key.len()..]);
            let before = before.strip_suffix(quotes).unwrap_or(before);
            let after = after.strip_prefix(quotes).unwrap_or(after);
            let begins = before.is_empty() || before.ends_with([' ', '\t', '{', ',']);
            begins && after.trim_start().starts_with(':')
        })
    })
}

fn line_with(text: &str, is_it: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is_it).map_or(1, |index| index + 1)
}

/// Returns advice if the definition of a reminder, though valid, may not be what
/// its author meant.
#[must_use]
pub fn advice(reminder: &Reminder) -> Option<Diagnostic> {
    let is_once = matches!(reminder.schedule.kind, ScheduleKind::Oneshot);
    if !is_once || !reminder.active || reminder.delivery != Delivery::Ephemeral {
        return None;
    }
    let advice = kinds::ADVICE.diagnostic(
        "fires once and is not in the next request; if the model should keep it in context, set \
         delivery: persistent",
    );
    Some(match &reminder.source {
        Source::Plugin { path } => advice.at(Location::new(path).line(1)),
        _ => advice,
    })
}
