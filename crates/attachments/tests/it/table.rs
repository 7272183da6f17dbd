//! The table in the manual is made of the snapshots, and nothing is missing
//! in it.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;

use aside_attachments::{Attachment, Detail, FileContent, Media, QueuedOrigin, TaskState};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::examples::examples;
use crate::wire::snapshot_name;

const START: &str = "<!-- the table is generated from tests/it/snapshots -->\n";
const END: &str = "<!-- the end of what is generated -->\n";

/// Longer texts are cut in the table; the snapshot has them whole.
const CELL_CHARACTERS: usize = 600;

fn in_crate(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Run with `ASIDE_BLESS_DOCS=1` to write the table.
#[test]
fn the_table_of_the_manual_is_that_of_the_snapshots() {
    let path = in_crate("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(START).unwrap();
    let (found, behind) = rest.split_once(END).unwrap();
    let expected = table();
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        fs::write(&path, format!("{before}{START}{expected}{END}{behind}")).unwrap();
        return;
    }
    let stale = found
        .lines()
        .zip(expected.lines())
        .find(|(it, row)| it != row);
    let command = "the table of README.md is stale: run this test with ASIDE_BLESS_DOCS=1";
    assert_eq!(stale, None, "{command}");
    assert_eq!(found.len(), expected.len(), "{command}");
}

fn table() -> String {
    let mut table = "\n| attachment | wire text |\n|---|---|\n".to_owned();
    for (name, _) in examples() {
        let path = format!("tests/it/snapshots/it__wire__{}.snap", snapshot_name(name));
        let snapshot = fs::read_to_string(in_crate(&path)).unwrap();
        // The header of a snapshot stands between two lines of dashes.
        let text = snapshot.splitn(3, "---\n").nth(2).unwrap().trim_end();
        table.push_str(&format!("| {name} | {} |\n", cell(text)));
    }
    table.push('\n');
    table
}

/// The blocks of a snapshot: reminders without their tags, others as they
/// are.
fn cell(text: &str) -> String {
    let blocks = text.replace("\n</system-reminder>\n", "\n</system-reminder>\0");
    let blocks = blocks.split('\0').filter(|block| !block.is_empty());
    let shown: Vec<String> = blocks
        .map(|block| {
            let body = block
                .strip_prefix("<system-reminder>\n")
                .and_then(|it| it.strip_suffix("\n</system-reminder>"));
            body.map_or_else(|| code(block), code)
        })
        .collect();
    if shown.is_empty() {
        return "nothing".to_owned();
    }
    shown.join("<br>")
}

/// A text on one line, as code.
fn code(text: &str) -> String {
    let line = text.replace('\n', "\\n").replace('\t', "\\t");
    let mut shown: String = line.chars().take(CELL_CHARACTERS).collect();
    if shown.len() < line.len() {
        shown.push_str(" […]");
    }
    let shown = shown.replace('|', "\\|");
    if shown.contains('`') {
        format!("`` {shown} ``")
    } else {
        format!("`{shown}`")
    }
}

#[test]
fn every_kind_has_an_example() {
    let with_example: BTreeSet<&str> = examples().iter().map(|(_, it)| it.kind()).collect();
    let kinds: BTreeSet<&str> = Attachment::KINDS.iter().copied().collect();
    assert_eq!(with_example, kinds);
    for (name, attachment) in examples() {
        assert!(name.starts_with(attachment.kind()), "{name}");
    }
}

#[test]
fn every_form_of_a_kind_has_an_example() {
    check_forms::<FileContent>("type", "/content/type", "file");
    check_forms::<TaskState>("state", "/status/state", "task_status");
    check_forms::<QueuedOrigin>("type", "/origin/type", "queued_command");
    for kind in ["plan_mode", "auto_mode"] {
        let error = serde_json::from_value::<Detail>(json!("?")).unwrap_err();
        assert_eq!(
            forms_with_example("/detail", kind),
            named_in(&error.to_string())
        );
    }
    let error = serde_json::from_value::<Media>(json!({"type": "?"})).unwrap_err();
    assert_eq!(named_in(&error.to_string()).len(), 3);
}

/// serde names every form in its error about one that does not exist.
fn check_forms<T: DeserializeOwned + Debug>(tag: &str, pointer: &str, kind: &str) {
    let error = serde_json::from_value::<T>(json!({ tag: "?" })).unwrap_err();
    assert_eq!(
        forms_with_example(pointer, kind),
        named_in(&error.to_string())
    );
}

fn forms_with_example(pointer: &str, kind: &str) -> BTreeSet<String> {
    let examples = examples().into_iter().filter(|(_, it)| it.kind() == kind);
    let form = |(_, attachment)| -> Option<String> {
        let json: Value = serde_json::to_value(attachment).unwrap();
        json.pointer(pointer)
            .and_then(Value::as_str)
            .map(Into::into)
    };
    examples.filter_map(form).collect()
}

fn named_in(error: &str) -> BTreeSet<String> {
    let (_, expected) = error.split_once("expected").unwrap();
    expected
        .split('`')
        .skip(1)
        .step_by(2)
        .map(Into::into)
        .collect()
}
