//! The forms of names and ids that the servers take.

use super::finder::Finder;
use super::node::Node;
use super::table::WireRule;

/// The longest name of a function.
const MAX_NAME_BYTES: usize = 64;

/// Reports a function name that OpenAI's servers refuse.
pub(super) fn openai(finder: &mut Finder, rule: &'static WireRule, name: &Node<'_>) {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_name =
        |name: &str| !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.bytes().all(is_fine);
    if name.text().is_some_and(|name| !is_name(name)) {
        finder.add(rule, name.path.clone(), name.excerpt());
    }
}

/// Reports a function name that Gemini refuses.
pub(super) fn gemini(finder: &mut Finder, rule: &'static WireRule, name: &Node<'_>) {
    let is_name =
        |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if name.text().is_some_and(|name| !is_name(name)) {
        finder.add(rule, name.path.clone(), name.excerpt());
    }
}
