//! Type names that are public in two or more crates. A search for a name
//! should find one meaning.

use std::collections::{BTreeMap, BTreeSet};

/// Names that two crates give to the same concept, with the reason.
///
/// They are left out of the list.
const SAME_CONCEPT: &[(&str, &str)] = &[
    ("OutputStyle", "the section of the prompt, and the attachment that repeats its name"),
    ("Tool", "the type of the API, as the SDKs call it, and the trait that implements one"),
];

/// Which crates define each public type name.
#[derive(Debug, Default)]
pub(super) struct TypeNames(BTreeMap<String, BTreeSet<String>>);

impl TypeNames {
    /// Adds the public types that a source file in `crate_name` defines.
    pub(super) fn add(&mut self, crate_name: &str, text: &str) {
        for name in text.lines().filter_map(defined) {
            let crates = self.0.entry(name.to_owned()).or_default();
            crates.insert(crate_name.to_owned());
        }
    }

    /// Returns a line for each name that several crates define with different
    /// meanings.
    pub(super) fn ambiguous(&self) -> String {
        let is_known = |name: &str| SAME_CONCEPT.iter().any(|it| it.0 == name);
        self.0
            .iter()
            .filter(|(name, crates)| crates.len() > 1 && !is_known(name))
            .map(|(name, crates)| {
                let crates: Vec<_> = crates.iter().map(String::as_str).collect();
                format!("{name:<16} {}\n", crates.join(", "))
            })
            .collect()
    }
}

/// Returns the name of the public type that a line defines, if any.
fn defined(line: &str) -> Option<&str> {
    let item = line.trim_start().strip_prefix("pub ")?;
    let name = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|keyword| item.strip_prefix(keyword))?;
    let end = name.find(|it: char| !it.is_alphanumeric() && it != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

#[cfg(test)]
mod tests {
    use super::TypeNames;

    #[test]
    fn a_name_of_two_crates_is_listed() {
        let mut names = TypeNames::default();
        names.add("text", "pub struct Line<'a> {\n");
        names.add("text", "    pub enum Line;\npub(crate) struct Row;\n");
        assert_eq!(names.ambiguous(), "");
        names.add("models", "pub type Line = u8;\nstruct Row;\npub trait Tool {}\n");
        names.add("agent", "pub trait Tool {}\n");
        assert_eq!(names.ambiguous(), "Line             models, text\n");
    }
}
