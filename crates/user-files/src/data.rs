use serde::de::DeserializeOwned;

use crate::outline::{Fault, Outline, may_repeat, outline};
use crate::{DocumentError, DocumentErrorKind, bounds, messages, unquoted};

/// Reads a whole YAML text, as leniently as front matter.
///
/// An empty text is YAML's null: if yours may be empty, use an `Option`.
///
/// ```
/// #[derive(Debug, PartialEq, serde::Deserialize)]
/// struct Rule {
///     paths: String,
/// }
///
/// let rule: Rule = aside_user_files::yaml("paths: **/*.ts\n")?;
/// assert_eq!(rule.paths, "**/*.ts");
///
/// let error = aside_user_files::yaml::<Rule>("paths: a\npaths: b\n").unwrap_err();
/// assert_eq!(error.kind(), aside_user_files::DocumentErrorKind::Data);
/// # Ok::<(), aside_user_files::DocumentError>(())
/// ```
///
/// # Errors
///
/// [`DocumentErrorKind::Data`] if `text` is not YAML or not a `T`;
/// [`DocumentErrorKind::Limit`] if it exceeds a limit.
pub fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    read(text.strip_prefix('\u{feff}').unwrap_or(text), 1)
}

/// Reads a whole YAML text strictly: quotes no value.
///
/// # Errors
///
/// Those of [`yaml`].
pub fn strict_yaml<T: DeserializeOwned>(text: &str) -> Result<T, DocumentError> {
    read_strictly(text.strip_prefix('\u{feff}').unwrap_or(text), 1)
}

pub(crate) fn read_strictly<T: DeserializeOwned>(
    yaml: &str,
    first_line: usize,
) -> Result<T, DocumentError> {
    bounds::check(yaml, first_line)?;
    parse(yaml, first_line)
}

pub(crate) fn read_quoted<T: DeserializeOwned>(
    yaml: &str,
    first_line: usize,
) -> Result<T, DocumentError> {
    bounds::check(yaml, first_line)?;
    let quoted = unquoted::quote(yaml).filter(|it| bounds::readable(it).is_ok());
    parse(quoted.as_deref().unwrap_or(yaml), first_line)
}

pub(crate) fn read<T: DeserializeOwned>(yaml: &str, first_line: usize) -> Result<T, DocumentError> {
    bounds::check(yaml, first_line)?;
    let strict = match parse(yaml, first_line) {
        Err(error) if error.kind() != DocumentErrorKind::Limit => error,
        result => return result,
    };
    let Some(quoted) = unquoted::quote(yaml).filter(|it| bounds::readable(it).is_ok()) else {
        return Err(strict);
    };
    parse(&quoted, first_line).map_err(|lenient| {
        // If quoting repaired the syntax, the fault is in the data.
        let helped = outline(yaml).is_err() && outline(&quoted).is_ok();
        if helped { lenient } else { strict }
    })
}

/// Reads a text within the limits. One with aliases is first read without
/// keeping anything, to count repetitions.
fn parse<T: DeserializeOwned>(yaml: &str, first_line: usize) -> Result<T, DocumentError> {
    if may_repeat(yaml) {
        outline(yaml).map_err(|fault| match fault {
            Fault::Repeats(error) => {
                let message = "expected aliases that make it at most 16 times as long";
                DocumentError::new(DocumentErrorKind::Limit, line(&error, first_line), message)
            }
            Fault::Data(error) => convert(&error, yaml, first_line),
        })?;
    }
    serde_yaml::from_str(yaml).map_err(|error| convert(&error, yaml, first_line))
}

/// Returns true if a text within the limits holds data other than a mapping.
pub(crate) fn is_not_a_mapping(yaml: &str) -> bool {
    matches!(outline(yaml), Ok(Outline::Other))
}

fn convert(error: &serde_yaml::Error, yaml: &str, first_line: usize) -> DocumentError {
    let line = line(error, first_line);
    let text = error.to_string();
    if let Some((line, message)) = refused_character(yaml, &text) {
        return DocumentError::new(DocumentErrorKind::Data, line, message);
    }
    // The line is reported separately, so it is removed from the message.
    let message = match text.rsplit_once(" at line ") {
        Some((message, place)) if is_place(place) => message,
        _ => &text,
    };
    let line = line_of_doubled(yaml, message, line).unwrap_or(line);
    let message = messages::plain_with_path(message, messages::YAML);
    DocumentError::new(DocumentErrorKind::Data, line, message)
}

/// Returns the line of a character that YAML does not allow, and a message with it. libyaml reports
/// only its offset in bytes.
fn refused_character(yaml: &str, text: &str) -> Option<(usize, String)> {
    let (problem, offset) = text.rsplit_once(" at position ")?;
    let (before, rest) = yaml.split_at_checked(offset.parse().ok()?)?;
    let found = u32::from(rest.chars().next()?);
    Some((1 + before.matches('\n').count(), format!("{problem}: found U+{found:04X}")))
}

fn line(error: &serde_yaml::Error, first_line: usize) -> usize {
    let location = error.location();
    location.map_or(first_line, |location| location.line())
}

/// Returns the line on which a key is written again. serde reports it where its mapping begins.
fn line_of_doubled(yaml: &str, message: &str, from: usize) -> Option<usize> {
    let (_, key) = message.strip_suffix('`')?.rsplit_once("duplicate field `")?;
    let column = |line: &str| {
        let rest = line.trim_start_matches([' ', '-', '"', '\'']);
        let behind = rest.strip_prefix(key)?.trim_start_matches(['"', '\'']);
        let is_key = behind.trim_start().starts_with(':');
        is_key.then_some(line.len() - rest.len())
    };
    let lines = yaml.lines().enumerate().skip(from.saturating_sub(1));
    let mut found = lines.filter_map(|(index, line)| Some((index + 1, column(line)?)));
    let (_, first) = found.next()?;
    found.find(|(_, it)| *it == first).map(|(line, _)| line)
}

fn is_place(text: &str) -> bool {
    text.split_once(" column ").is_some_and(|(line, column)| {
        [line, column].iter().all(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}
