//! Quoting values that people leave unquoted. They write `paths: **/*.ts` and
//! mean a string; in YAML the star is an alias, a brace a mapping, an
//! exclamation mark a type. They write `description: how to: a guide`, in which
//! YAML sees a second key.
//!
//! ```yaml
//! paths: **/*.ts            # paths: '**/*.ts'
//! globs: [*.rs, app/[id]/**] # globs: ['*.rs', 'app/[id]/**']
//! description: how to: x    # description: 'how to: x'
//! ```

use std::borrow::Cow;

use crate::outline::outline;

/// How many bytes to search for the end of a list in brackets: a block of front matter has no more.
const MAX_LIST_BYTES: usize = 64 * 1024;

/// Quotes the values that YAML does not read as text; `None` if there are none.
/// Lines stay in place.
pub(crate) fn quote(yaml: &str) -> Option<String> {
    let mut changed = false;
    let mut quoted = String::with_capacity(yaml.len() + 16);
    // How far the entry with the current block text (`|`, `>`) is indented.
    let mut block_text: Option<usize> = None;
    let mut rest = yaml;
    while let Some(line) = rest.split_inclusive('\n').next() {
        let start = rest;
        rest = &rest[line.len()..];
        let indent = indent(line);
        if block_text.is_some_and(|outer| line.trim().is_empty() || indent > outer) {
            quoted.push_str(line);
            continue;
        }
        block_text = None;
        let (prefix, value) = entry(line);
        if value.starts_with(['|', '>']) && !prefix.trim().is_empty() {
            block_text = Some(indent);
        }
        if prefix.trim().is_empty() || is_data(value) {
            quoted.push_str(line);
            continue;
        }
        let is_of_key = prefix.trim_end().ends_with(':');
        quoted.push_str(prefix);
        if let Some((list, after)) = quoted_list(&start[prefix.len()..], indent) {
            changed = true;
            quoted.push_str(&list);
            rest = after;
        } else if let Some(text) =
            quoted_value(value).or_else(|| sentence(value).filter(|_| is_of_key))
        {
            changed = true;
            quoted.push_str(&text);
            quoted.push_str(&line[line.trim_end().len()..]);
        } else {
            quoted.push_str(&line[prefix.len()..]);
        }
    }
    changed.then_some(quoted)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
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

/// Quotes a value whose first character means something in YAML, and several texts in quotes.
/// Returns `None` for other values.
fn quoted_value(value: &str) -> Option<String> {
    let value = without_comment(value);
    let is_special = value.starts_with(['*', '{', '[', '!', '&', '@', '`', '%']);
    let has_comma = |quote| {
        let (_, after) = value.strip_prefix(quote)?.split_once(quote)?;
        after.trim_start().strip_prefix(',')
    };
    let is_several = || ['"', '\''].into_iter().find_map(has_comma).is_some();
    (is_special || is_several()).then(|| single_quoted(value))
}

/// Quotes the items of a list in brackets that `text` begins with, and returns the list and the
/// text after it. The list may go on in lines that are indented by more than `indent`.
///
/// Returns `None` if the list never ends, or if a pattern begins with the brackets: `[a-z]*.rs`.
fn quoted_list(text: &str, indent: usize) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('[')?;
    let mut quoted = "[".to_owned();
    while let Some(line) = rest.split_inclusive('\n').next() {
        let (items, end) = list_items(without_comment(line));
        let items: Vec<_> = items.into_iter().map(item).collect();
        quoted.push_str(&items.join(", "));
        if let Some(end) = end {
            quoted.push(']');
            let is_end = without_comment(&line[end..]).trim() == "]";
            return is_end.then_some((quoted, &rest[end + 1..]));
        }
        quoted.push_str(&line[line.trim_end().len()..]);
        rest = &rest[line.len()..];
        let is_inside = self::indent(rest) > indent || rest.starts_with([']', '\r', '\n']);
        if !is_inside || text.len() - rest.len() > MAX_LIST_BYTES {
            return None;
        }
    }
    None
}

/// Splits a line of a list at its commas. Returns the position of the bracket that ends the list,
/// too, if it is on the line.
fn list_items(line: &str) -> (Vec<&str>, Option<usize>) {
    let mut items = Vec::new();
    let (mut start, mut depth, mut quote, mut is_first) = (0, 0usize, None, true);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => drop(chars.next()),
            // A doubled one stands for itself.
            (Some('\''), '\'') if chars.next_if(|it| it.1 == '\'').is_some() => {}
            (Some(open), _) => quote = quote.filter(|_| open != c),
            (None, '"' | '\'') if is_first => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']') if depth == 0 => {
                items.push(&line[start..at]);
                return (items, Some(at));
            }
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                items.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        is_first = start == at + 1 || (is_first && c.is_whitespace());
    }
    items.push(&line[start..]);
    (items, None)
}

/// Quotes a value with colons. YAML has no such text without quotes.
fn sentence(value: &str) -> Option<String> {
    let value = without_comment(value);
    let is_plain = !value.starts_with(['"', '\'', '|', '>', '#']);
    let has_colon = value.contains(": ") || value.ends_with(':');
    (is_plain && has_colon).then(|| single_quoted(value))
}

/// Quotes an item of a list, unless it is quoted or data. No pattern is empty, `null` or a boolean.
fn item(item: &str) -> Cow<'_, str> {
    let item = item.trim();
    let is_list = item.starts_with('[') && outline(item).is_ok();
    let is_other =
        || is_list || is_data(item) || serde_yaml::from_str::<Option<bool>>(item).is_ok();
    if item.starts_with(['"', '\'']) || is_other() {
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
