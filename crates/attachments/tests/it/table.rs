//! The README's table of wire texts is generated from the examples, which are complete.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::PathBuf;

use aside_attachments::{Attachment, Detail, FileContent, Media, QueuedOrigin, TaskState};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::examples::examples;
use crate::wire::{blocks, shown};

const START: &str = "<!-- the table of wire texts is generated from tests/it/examples.rs -->\n";
const END: &str = "<!-- end of the table of wire texts -->\n";

/// Longer texts are truncated in the table.
const MAX_CELL_CHARS: usize = 600;

fn in_crate(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Run with `ASIDE_BLESS_DOCS=1` to write the table.
#[test]
fn the_table_of_wire_texts_is_up_to_date() {
    let path = in_crate("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(START).unwrap();
    let (found, after) = rest.split_once(END).unwrap();
    let expected = table();
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        fs::write(&path, format!("{before}{START}{expected}{END}{after}")).unwrap();
        return;
    }
    let stale = found.lines().zip(expected.lines()).find(|(it, row)| it != row);
    let command = "the table of README.md is stale: run this test with ASIDE_BLESS_DOCS=1";
    assert_eq!(stale, None, "{command}");
    assert_eq!(found.len(), expected.len(), "{command}");
}

fn table() -> String {
    let mut table = "\n| attachment | wire text |\n|---|---|\n".to_owned();
    for (name, attachment) in examples() {
        table.push_str(&format!("| {name} | {} |\n", cell(attachment)));
    }
    table.push('\n');
    table
}

/// Returns an attachment's blocks; reminders come without their tags.
fn cell(attachment: Attachment) -> String {
    let blocks: Vec<String> = blocks(attachment)
        .iter()
        .map(|block| {
            let text = shown(block);
            let body = text
                .strip_prefix("<system-reminder>\n")
                .and_then(|it| it.strip_suffix("\n</system-reminder>"));
            code(body.unwrap_or(&text))
        })
        .collect();
    if blocks.is_empty() {
        return "nothing".to_owned();
    }
    blocks.join("<br>")
}

fn code(text: &str) -> String {
    let line = text.replace('\n', "\\n").replace('\t', "\\t");
    let mut shown: String = line.chars().take(MAX_CELL_CHARS).collect();
    if shown.len() < line.len() {
        shown.push_str(" […]");
    }
    let shown = shown.replace('|', "\\|");
    if shown.contains('`') { format!("`` {shown} ``") } else { format!("`{shown}`") }
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
        assert_eq!(forms_with_example("/detail", kind), named_in(&error.to_string()));
    }
    let error = serde_json::from_value::<Media>(json!({"type": "?"})).unwrap_err();
    assert_eq!(named_in(&error.to_string()).len(), 3);
}

/// serde's error about an unknown form lists all forms.
fn check_forms<T: DeserializeOwned + Debug>(tag: &str, pointer: &str, kind: &str) {
    let error = serde_json::from_value::<T>(json!({ tag: "?" })).unwrap_err();
    assert_eq!(forms_with_example(pointer, kind), named_in(&error.to_string()));
}

fn forms_with_example(pointer: &str, kind: &str) -> BTreeSet<String> {
    let examples = examples().into_iter().filter(|(_, it)| it.kind() == kind);
    let form = |(_, attachment)| -> Option<String> {
        let json: Value = serde_json::to_value(attachment).unwrap();
        json.pointer(pointer).and_then(Value::as_str).map(Into::into)
    };
    examples.filter_map(form).collect()
}

/// Returns the names that a serde error lists as expected.
pub(crate) fn named_in(error: &str) -> BTreeSet<String> {
    let (_, expected) = error.split_once("expected").unwrap();
    expected.split('`').skip(1).step_by(2).map(Into::into).collect()
}
