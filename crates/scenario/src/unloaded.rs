//! Instruction files that a request had and the actual one lacks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::case::Case;
use crate::changes::Change;
use crate::instruction_file::WRAPPERS;
use crate::readable::{ESCAPED_BAR, split_margin};

/// How labels begin that are no paths.
const NO_PATHS: [&str; 6] = ["section ", "tool ", "reminder ", "attachment ", "hook ", "context "];

/// Returns the paths in a readable form's margin.
pub(crate) fn files_of_page(page: &str) -> BTreeSet<String> {
    let margins = page.lines().filter_map(split_margin);
    let labels = margins.map(|(margin, _)| margin.trim_start_matches(['+', '-', ' ']).trim_end());
    let is_path = |it: &&str| it.contains('.') && !NO_PATHS.iter().any(|kind| it.starts_with(kind));
    let paths = labels.filter(is_path);
    paths.map(|it| it.replace(ESCAPED_BAR, "|")).collect()
}

/// Notes in a request's changes which files are no longer loaded. Otherwise a renamed file looks
/// like removed lines.
pub(crate) fn note_unloaded(
    changes: &mut [Change],
    case: &Case,
    before: &BTreeSet<String>,
    after: &BTreeSet<String>,
) {
    for path in before.difference(after) {
        let headers = [format!("{path} ("), format!("{path}:")];
        let is_header = |line: &String| {
            line.starts_with("| Contents of ") && headers.iter().any(|it| line.contains(it))
        };
        let is_of = |it: &&mut Change| it.source == **path || it.before.iter().any(is_header);
        if let Some(change) = changes.iter_mut().find(is_of) {
            if WRAPPERS.contains(&change.source.as_str()) {
                change.source.clone_from(path);
            }
            let note = &mut change.note;
            note.push_str(if note.is_empty() { "" } else { "; " });
            note.push_str(&format!("{path} is no longer loaded{}", reason(case, path)));
        }
    }
}

/// Returns why a file is not loaded, to follow its path.
fn reason(case: &Case, path: &str) -> String {
    let project = match &case.scenario.repository {
        Some(repository) => case.dir.join(repository),
        None => case.tree.join("project"),
    };
    let path = Path::new(path);
    let name = path.file_name().unwrap_or_default();
    let directory = project.join(path.parent().unwrap_or(Path::new("")));
    let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
    let names: Vec<_> = entries.map(|it| it.file_name()).collect();
    if names.iter().any(|it| it == name) {
        return String::new();
    }
    match names.iter().find(|it| it.eq_ignore_ascii_case(name)) {
        Some(other) => format!(
            ": it is named {} now, and letter case counts",
            other.to_string_lossy().escape_debug()
        ),
        None => ": there is no such file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::files_of_page;

    #[test]
    fn labels_that_are_no_paths_are_left_out() {
        let page = "CLAUDE.md                   | a | b.c\n                            | c\n\
                    reminder a.b                | d\nconversation                | e\n\
                    + docs/x.md                   | f\nsection intro               = a.b\n";
        let found: Vec<_> = files_of_page(page).into_iter().collect();
        assert_eq!(found, ["CLAUDE.md", "docs/x.md"]);
    }
}
