//! Quoting values that people leave unquoted. They write `paths: **/*.ts` and
//! mean a string; in YAML the star is an alias, a brace a mapping, an
//! exclamation mark a type. They write `description: how to: a guide`, in which
//! YAML sees a second key.
//!
//! ```yaml
//! paths: **/*.ts            # paths: '**/*.ts'
//! globs: [*.rs, src/{a,b}]  # globs: ['*.rs', 'src/{a,b}']
//! description: how to: x    # description: 'how to: x'
//! ```

use std::borrow::Cow;

use crate::outline::outline;
use crate::split_outside_braces;

/// Quotes the values that YAML does not read as text; `None` if there are none.
/// Lines stay in place.
pub(crate) fn quote(yaml: &str) -> Option<String> {
    let mut changed = false;
    let mut quoted = String::with_capacity(yaml.len() + 16);
    // How far the entry with the current block text (`|`, `>`) is indented.
    let mut block_text: Option<usize> = None;
    for line in yaml.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if block_text.is_some_and(|outer| line.trim().is_empty() || indent > outer) {
            quoted.push_str(line);
            continue;
        }
        block_text = None;
        let (prefix, value) = entry(line);
        if value.starts_with(['|', '>']) && !prefix.trim().is_empty() {
            block_text = Some(indent);
        }
        let is_of_key = prefix.trim_end().ends_with(':');
        match quoted_value(value).or_else(|| sentence(value).filter(|_| is_of_key)) {
            Some(text) if !prefix.trim().is_empty() && !is_data(value) => {
                changed = true;
                quoted.push_str(prefix);
                quoted.push_str(&text);
                quoted.push_str(&line[line.trim_end().len()..]);
            }
            _ => quoted.push_str(line),
        }
    }
    changed.then_some(quoted)
}

/// Splits a line into dashes and key, and the value after them.
///
/// `- name: a` gives `- name: ` and `a`. A line without a key gives its dashes
/// and the rest.
fn entry(line: &str) -> (&str, &str) {
    let mut value = line.trim_start();
    while let Some(item) = value.strip_prefix("- ") {
        value = item.trim_start();
    }
    if let Some((key, after)) = value.split_once(": ") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        if !key.is_empty() && key.chars().all(is_name) {
            value = after.trim_start();
        }
    }
    (&line[..line.len() - value.len()], value.trim_end())
}

/// Returns true for data that no pattern looks like: a mapping with a colon and a space, a list in
/// a list, and a text in quotes with a tag.
fn is_data(value: &str) -> bool {
    let has_form = match value.as_bytes() {
        [b'{', ..] => value.contains(": "),
        [b'[', rest @ ..] => rest.contains(&b'['),
        [b'!', ..] => value
            .split_once(' ')
            .is_some_and(|(_, text)| text.trim_start().starts_with(['"', '\''])),
        _ => false,
    };
    has_form && outline(value).is_ok()
}

/// Quotes a value whose first character means something in YAML, and the items
/// of a list in brackets. Returns `None` for other values.
fn quoted_value(value: &str) -> Option<String> {
    let value = without_comment(value);
    if let Some(items) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'))
        && !items.contains(['[', ']'])
    {
        let items: Vec<_> = split_outside_braces(items).map(item).collect();
        return Some(format!("[{}]", items.join(", ")));
    }
    value.starts_with(['*', '{', '[', '!', '&', '@', '`', '%']).then(|| single_quoted(value))
}

/// Quotes a value with colons. YAML has no such text without quotes.
fn sentence(value: &str) -> Option<String> {
    let value = without_comment(value);
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '#']);
    let has_colon = value.contains(": ") || value.ends_with(':');
    (is_plain && has_colon).then(|| single_quoted(value))
}

fn item(item: &str) -> Cow<'_, str> {
    let item = item.trim();
    if item.is_empty() || item.starts_with(['"', '\'']) || is_data(item) {
        Cow::Borrowed(item)
    } else {
        Cow::Owned(single_quoted(item))
    }
}

/// Within single quotes, only the quote itself is special.
fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Cuts a value at ` #`, where a YAML comment begins.
fn without_comment(value: &str) -> &str {
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}
