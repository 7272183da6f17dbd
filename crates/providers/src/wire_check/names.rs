//! The forms of names that the servers accept. A value that is no string is not reported
//! here.

use super::finder::Finder;
use super::node::Node;
use super::table::WireRule;

/// The maximum length of a function name at OpenAI; its characters are all of one byte.
const MAX_NAME_BYTES: usize = 64;

/// Reports a function name that OpenAI's servers refuse: `[a-zA-Z0-9_-]{1,64}` is
/// accepted.
pub(super) fn openai(finder: &mut Finder, rule: &'static WireRule, name: &Node<'_>) {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_name =
        |name: &str| !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_fine);
    if name.text().is_some_and(|name| !is_name(name)) {
        finder.add(rule, name.path.clone(), name.excerpt());
    }
}

/// Reports a function name that Gemini refuses: it begins with a letter or `_`. The other
/// characters are not checked.
pub(super) fn gemini(finder: &mut Finder, rule: &'static WireRule, name: &Node<'_>) {
    let is_name =
        |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if name.text().is_some_and(|name| !is_name(name)) {
        finder.add(rule, name.path.clone(), name.excerpt());
    }
}
