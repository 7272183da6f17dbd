//! Reads any text as a document: `cargo +nightly fuzz run documents`.

#![no_main]

use std::collections::BTreeMap;

use aside_user_files::{split, strict_yaml, yaml};
use libfuzzer_sys::fuzz_target;

#[derive(serde::Deserialize)]
struct Header {
    _paths: Option<Vec<String>>,
    _name: Option<String>,
    _n: Option<u32>,
}

fuzz_target!(|text: &str| {
    // In YAML these end a line as well, and an error at the end is on the line
    // after it.
    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = 1 + text.split(breaks).count();
    if let Err(error) = yaml::<Option<BTreeMap<String, Vec<String>>>>(text) {
        assert!((1..=lines).contains(&error.line()));
    }
    // The limit on repetition by aliases holds for every target type.
    if let Ok(data) = strict_yaml::<Option<BTreeMap<String, Vec<String>>>>(text) {
        let lists = data.iter().flat_map(BTreeMap::values);
        let bytes: usize = lists.flatten().map(|item| 16 + item.len()).sum();
        assert!(bytes <= 16 * text.len() + 1024 * 1024);
    }
    let document = match split(text) {
        Ok(document) => document,
        Err(error) => {
            assert!((1..=lines).contains(&error.line()));
            return;
        }
    };
    // Every byte is in the block or in the body, and none in both.
    let body = document.body();
    assert!(text.ends_with(body));
    match document.header() {
        None => assert_eq!(body, text.strip_prefix('\u{feff}').unwrap_or(text)),
        Some(header) => assert!(header.len() + body.len() < text.len()),
    }
    let before = &text[..text.len() - body.len()];
    if !body.is_empty() {
        assert_eq!(document.body_line(), 1 + before.matches('\n').count());
    }
    if let Err(error) = document.data::<Header>() {
        assert!((1..=lines).contains(&error.line()));
    }
});
