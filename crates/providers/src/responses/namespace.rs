//! Names of tools in a `namespace`.

/// Returns the one name that a tool in a namespace has in the Anthropic form, and so do its calls.
///
/// ```
/// assert_eq!(aside_providers::in_namespace("mcp__fs", "read"), "mcp__fs__read");
/// assert_eq!(aside_providers::in_namespace("mcp__fs__", "read"), "mcp__fs__read");
/// ```
#[must_use]
pub fn in_namespace(namespace: &str, name: &str) -> String {
    let separator = if namespace.ends_with("__") { "" } else { "__" };
    format!("{namespace}{separator}{name}")
}
