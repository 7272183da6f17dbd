//! Directories of raw bodies.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use super::{aside, docs, text};

#[test]
fn a_directory_of_raw_bodies_is_a_log() {
    let directory = tempfile::tempdir().unwrap();
    let index = |number: u64| {
        format!(
            r#"{{"timestamp":"2026-11-22T00:0{number}:00Z","session_id":"s","request_id":"r{number}","request_file":"{number}.request.json","response_file":"r{number}.response.json"}}"#
        )
    };
    for (number, turn) in [(1, "turn-5.json"), (2, "turn-6.json")] {
        fs::copy(docs(turn), directory.path().join(format!("{number}.request.json"))).unwrap();
        let response = r#"{"type":"message","id":"m","usage":{"input_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":9}}"#;
        fs::write(directory.path().join(format!("r{number}.response.json")), response).unwrap();
    }
    fs::write(directory.path().join("index.jsonl"), format!("{}\n{}\n", index(1), index(2)))
        .unwrap();
    let output = aside(&["cache", "explain", directory.path().to_str().unwrap()], "");
    let found = text(&output);
    assert!(found.contains("system[0].text (byte 34 of the value): date or clock"), "{found}");
    assert!(found.contains("positions are those of the values"), "{found}");
}

/// Claude Code names them by UUIDs.
#[test]
fn raw_bodies_without_an_index_are_in_the_order_in_which_they_were_written() {
    let directory = tempfile::tempdir().unwrap();
    for (first, second) in [("1", "2"), ("2", "1")] {
        for (name, turn, seconds) in [(first, "turn-5.json", 1_000), (second, "turn-6.json", 1_030)]
        {
            let name = format!("{name}f8d3f0e-5c1a-4b7e-9d2a-0b1c2d3e4f50.request.json");
            let path = directory.path().join(name);
            fs::copy(docs(turn), &path).unwrap();
            let written = UNIX_EPOCH + Duration::from_secs(seconds);
            fs::File::options().append(true).open(path).unwrap().set_modified(written).unwrap();
        }
        let found = text(&aside(&["cache", "explain", directory.path().to_str().unwrap()], ""));
        let places = ["10:53", "10:56"].map(|it| found.find(it).unwrap());
        assert!(places.is_sorted(), "{found}");
    }
}
