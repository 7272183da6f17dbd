use std::fs;
use std::path::Path;

use super::{Attachment, Kind, documentation};

const START: &str = "<!-- the table of kinds is generated from src/attachment.rs -->\n";
const END: &str = "<!-- end of the table of kinds -->\n";

/// Run with `ASIDE_BLESS_DOCS=1` to write the table.
#[test]
fn the_table_of_kinds_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(START).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    let mut expected =
        "\n| kind | meaning | trust | due | text |\n|---|---|---|---|---|\n".to_owned();
    for [kind, summary, trust, cadence, text] in documentation() {
        let summary = summary.trim_end_matches('.');
        expected.push_str(&format!("| `{kind}` | {summary} | {trust} | {cadence} | {text} |\n"));
    }
    expected.push('\n');
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        fs::write(&path, format!("{before}{START}{expected}{END}{after}")).unwrap();
        return;
    }
    let command = "README.md is stale: run the tests named `table` with ASIDE_BLESS_DOCS=1";
    assert!(found == expected, "{command}");
}

#[test]
fn every_name_is_that_of_a_kind() {
    for name in Attachment::KINDS {
        assert!(Kind::from_name(name).is_some(), "{name}");
    }
    assert_eq!(Kind::from_name("a_later_kind"), None);
}
