use std::ffi::OsStr;
use std::path::Path;

use aside_diagnostic::{Diagnostic, Location};
use aside_user_files::{split, strict_yaml};

use super::read::Fault;
use super::source_lines::{Form, Level, body, line_of_key};
use super::{faults, kinds, warnings};
use crate::condition::Condition;
use crate::definition::Definition;
use crate::reminder::{Reminder, ReminderDelivery, ReminderSource};
use crate::schedule::{self, ScheduleKind};
use crate::unknown_keys::UnknownKeys;

/// A parsed plugin file.
#[derive(Clone, Debug, PartialEq)]
pub struct PluginFile {
    /// The reminder that the file defines.
    pub reminder: Reminder,
    /// On which line its id is, for diagnostics.
    pub(super) id_line: usize,
    /// Notes and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl PluginFile {
    pub(super) fn path(&self) -> &Path {
        match &self.reminder.source {
            ReminderSource::Plugin { path } => path,
            _ => Path::new(""),
        }
    }

    pub(super) fn id_place(&self) -> Location {
        Location::new(self.path()).line(self.id_line)
    }
}

pub(super) fn has_known_ending(name: &Path) -> bool {
    form(name).is_some()
}

fn form(name: &Path) -> Option<Form> {
    let ending = name.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "md" => Some(Form::Markdown),
        "yaml" | "yml" => Some(Form::Yaml),
        _ => None,
    }
}

/// Parses a plugin file. The name in `path` decides on the format, and is the
/// id when the text has none. Does not access the file system.
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
/// Returns the first fault if the file cannot be loaded; for all of them, see
/// [`file_faults`].
pub fn parse_file(path: &Path, text: &str) -> Result<PluginFile, Diagnostic> {
    read(path, text).map_err(|fault| fault.diagnostic(path))
}

/// Returns why a plugin file cannot be loaded, the first fault first; none if
/// it can be loaded. Warnings about the same file are included.
///
/// ```
/// use std::path::Path;
///
/// use aside_reminder::file_faults;
///
/// let text = "content: Ask first.\nprioriy: 5\ndelivery: twice\n";
/// let faults = file_faults(Path::new("careful.yaml"), text);
/// let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
/// assert_eq!(
///     faults,
///     [
///         "error: careful.yaml:3: delivery: found \"twice\", expected ephemeral or persistent",
///         "error: careful.yaml:2: unknown key \"prioriy\" is ignored: did you mean priority?",
///     ]
/// );
/// ```
#[must_use]
pub fn file_faults(path: &Path, text: &str) -> Vec<Diagnostic> {
    let Err(first) = read(path, text) else {
        return Vec::new();
    };
    let further = form(path).map(|form| faults::further(form, text, &first));
    let all = [first].into_iter().chain(further.unwrap_or_default());
    all.map(|fault| fault.diagnostic(path)).collect()
}

impl Fault {
    fn diagnostic(self, path: &Path) -> Diagnostic {
        let place = Location::new(path).line(self.line);
        self.kind.diagnostic(self.message).at(place)
    }
}

/// Converts the fault. A schedule key that does not go with its kind has the
/// line of that key.
fn misfit(text: &str, error: aside_user_files::DocumentError) -> Fault {
    let fault = Fault::from(error);
    let (_, rest) = fault.message.split_once(schedule::MISFIT).unzip();
    let key = rest.and_then(|rest| rest.split([',', ' ']).next());
    Fault { line: key.map_or(fault.line, |key| line_of_key(text, Level::Schedule, key)), ..fault }
}

impl From<aside_user_files::DocumentError> for Fault {
    fn from(error: aside_user_files::DocumentError) -> Self {
        Self::invalid(error.line(), error.message())
    }
}

fn read(path: &Path, text: &str) -> Result<PluginFile, Fault> {
    let form = form(path)
        .ok_or_else(|| Fault::whole("expected a name that ends in .md, .yaml or .yml"))?;
    let mut found = Vec::new();
    let (definition, unknown_keys, body) = match form {
        Form::Markdown => {
            let document = split(text)?;
            let definition =
                document.strict_data::<Definition>().map_err(|error| misfit(text, error))?;
            let keys = document.strict_data::<UnknownKeys>();
            (definition, keys, Some(body(document)))
        }
        Form::Yaml => {
            let keys = strict_yaml::<Option<UnknownKeys>>(text);
            let definition = strict_yaml::<Option<Definition>>(text);
            (definition.map_err(|error| misfit(text, error))?, keys, None)
        }
    };
    let mut definition = definition.unwrap_or_default();
    if let Some((body, _)) = body {
        if definition.content().is_some() {
            let message = "the key content is ignored: in Markdown the body is the content";
            let line = line_of_key(text, Level::Top, "content");
            found.push(Fault { kind: kinds::IGNORED_KEY, line, message: message.to_owned() });
        }
        definition = definition.with_content(body);
    } else if let Some(content) = definition.content().map(|it| it.trim().to_owned()) {
        definition = definition.with_content(&content);
    }
    // A text that cannot be read at all has been reported by now.
    let unknown_keys = unknown_keys.ok().flatten().unwrap_or_default();
    found.extend(warnings::unknown_keys(text, &unknown_keys));

    let id_line = definition.id().map_or(1, |_| line_of_key(text, Level::Top, "id"));
    let stem = path.file_stem().and_then(OsStr::to_str);
    let Some(id) = definition.id().or(stem).map(str::to_owned) else {
        let message = "found a file name that is not UTF-8, expected the key id";
        return Err(Fault::whole(message));
    };
    let source = ReminderSource::Plugin { path: path.to_owned() };
    let reminder = definition.into_reminder(&id, "", source);
    // A file that only switches a reminder off needs no content.
    if reminder.active && reminder.is_blank() {
        return Err(Fault::no_content(body.map(|it| it.1)));
    }
    if let ScheduleKind::Condition(Condition::Expression(expression)) = &reminder.schedule.kind {
        found.extend(warnings::condition(text, expression));
    }
    found.extend(warnings::placeholders(text, &reminder.content));
    let diagnostics = found.into_iter().map(|fault| fault.diagnostic(path));
    Ok(PluginFile { reminder, id_line, diagnostics: diagnostics.collect() })
}

/// Returns advice if a reminder's definition, though valid, may not be what its
/// author meant.
#[must_use]
pub fn advice(reminder: &Reminder) -> Option<Diagnostic> {
    let is_once = matches!(reminder.schedule.kind, ScheduleKind::Oneshot);
    if !is_once || !reminder.active || reminder.delivery != ReminderDelivery::Ephemeral {
        return None;
    }
    let advice = kinds::ADVICE.diagnostic(
        "fires once and is not in the next request; if the model should keep it in context, set \
         delivery: persistent",
    );
    Some(match &reminder.source {
        ReminderSource::Plugin { path } => advice.at(Location::new(path).line(1)),
        _ => advice,
    })
}
