//! The names in the tables: plain ones, and patterns such as `.cursor/rules/**/*.mdc`.

/// Splits `DIR/**/*END`.
///
/// Returns directory and ending: `.cursor/rules` and `.mdc` for
/// `.cursor/rules/**/*.mdc`. `None` for a plain name.
pub(crate) fn recursive(name: &str) -> Option<(&str, &str)> {
    name.split_once("/**/*")
}

/// Returns true if a file's name is this one, or matches this pattern.
pub(crate) fn is_named(known: &str, name: &str) -> bool {
    match recursive(known) {
        Some((dir, ending)) => {
            let below = name.strip_prefix(dir).and_then(|it| it.strip_prefix('/'));
            below.is_some_and(|below| below.ends_with(ending))
        }
        None => known == name,
    }
}
