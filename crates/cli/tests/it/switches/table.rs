//! Compares the table in docs/settings.md to the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aside_host::{SETTINGS, Variables};

use super::clean;

/// Returns the code spans in a column of the docs/settings.md tables.
fn column(number: usize) -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| switch"));
    let mut spans = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        assert_eq!(cells.len(), 6, "{row}");
        assert!(cells[5].contains("::"), "no test: {row}");
        spans.extend(cells[number].split('`').skip(1).step_by(2).map(str::to_owned));
    }
    spans
}

/// Returns a command's flags below some headings in its help.
pub(crate) fn flags(command: &str, headings: &[&str]) -> BTreeSet<String> {
    let place = tempfile::tempdir().unwrap();
    let output =
        clean::aside(place.path(), place.path()).args([command, "--help"]).output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let mut flags = BTreeSet::new();
    let mut is_listed = false;
    for line in help.lines() {
        if !line.starts_with(' ') && line.ends_with(':') {
            is_listed = headings.contains(&line.trim_end_matches(':'));
        }
        let flag = line.trim_start();
        let flag = flag.split_once("-C, ").or(flag.split_once("-h, ")).map_or(flag, |it| it.1);
        if is_listed
            && line.starts_with("  ")
            && flag.starts_with("--")
            && line.len() - line.trim_start().len() <= 6
        {
            let name = flag.split([' ', '=', '[']).next().unwrap();
            flags.insert(name.to_owned());
        }
    }
    flags
}

#[test]
fn the_table_of_settings_is_complete() {
    let headings = ["Session", "Request", "System prompt"];
    let (render, run) = (flags("render", &headings), flags("run", &headings));
    let of_code: BTreeSet<String> = render.intersection(&run).cloned().collect();
    assert!(of_code.len() > 30, "{of_code:?}");
    assert_eq!(column(1), of_code);
    let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(column(2), names(&Variables::NAMES));
    assert_eq!(column(3), names(SETTINGS));
}
