//! The budget file: lines of code for each crate, seconds for each step of CI.
//!
//! ```toml
//! [lines]
//! agent = 2520    # a reason, if it was raised
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

/// Reads the numbers in a section.
///
/// # Errors
/// The file cannot be read, or a line is not `name = number`.
pub(crate) fn read(path: &Path, section: &str) -> Result<BTreeMap<String, usize>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let mut budgets = BTreeMap::new();
    let mut is_in = false;
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[') {
            is_in = name.strip_suffix(']') == Some(section);
        } else if !line.is_empty() {
            let failed = || anyhow!("{}:{}: expected `name = number`", path.display(), index + 1);
            let (name, number) = line.split_once('=').ok_or_else(failed)?;
            let number = number.trim().parse().map_err(|_| failed())?;
            let name = name.trim().trim_matches('"').to_owned();
            budgets.extend(is_in.then_some((name, number)));
        }
    }
    Ok(budgets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_section_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let write = |text: &str| fs::write(file.path(), text).unwrap();
        write("# x\n[lines]\na = 1 # why\n\n[seconds]\n\"a b\" = 20\n");
        let read = |section: &str| read(file.path(), section).map(Vec::from_iter);
        assert_eq!(read("lines").unwrap(), [("a".to_owned(), 1)]);
        assert_eq!(read("seconds").unwrap(), [("a b".to_owned(), 20)]);
        write("[lines]\na: 1\n");
        assert!(read("lines").unwrap_err().to_string().ends_with(":2: expected `name = number`"));
    }
}
