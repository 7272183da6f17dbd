//! Which file describes a skill or an agent that a change is about.

use crate::changes::Change;
use crate::pin::{AGENTS, SKILLS};
use crate::play::DescribedFile;

/// Splits each change in a list of skills or agents by the files that describe
/// these. Other lines of the list keep its label.
pub(super) fn by_file(changes: Vec<Change>, described: &[DescribedFile]) -> Vec<Change> {
    let mut all = Vec::new();
    for change in changes {
        if ![SKILLS, AGENTS].contains(&&*change.source) {
            all.push(change);
            continue;
        }
        let source = |line: &String| {
            let file = described.iter().find(|it| is_of(line, &it.name));
            file.map_or(&change.source, |it| &it.path)
        };
        let mut sources: Vec<&String> = Vec::new();
        for source in change.before.iter().chain(&change.after).map(source) {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        all.extend(sources.into_iter().map(|it| {
            let lines = |lines: &[String]| -> Vec<String> {
                lines.iter().filter(|line| source(line) == it).cloned().collect()
            };
            let (before, after) = (lines(&change.before), lines(&change.after));
            Change { source: it.clone(), before, after, ..change.clone() }
        }));
    }
    all
}

/// Returns true if a line lists what has this name: `| - release: Cuts a release.`
fn is_of(line: &str, name: &str) -> bool {
    let rest = line.strip_prefix("| - ").and_then(|it| it.strip_prefix(name));
    rest.is_some_and(|it| it.is_empty() || it.starts_with([':', ' ']))
}
