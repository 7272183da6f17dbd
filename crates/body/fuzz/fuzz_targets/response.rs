//! Reads any bytes as a response: `cargo +nightly fuzz run response`.

#![no_main]

use aside_body::models::usage::Messages;
use aside_body::response::Facts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut facts = Facts::default();
    facts.add_text(bytes);
    let kept: usize = facts.call_ids.iter().map(String::len).sum();
    assert!(kept + facts.text().map_or(0, str::len) <= bytes.len());
    // Merged usage is JSON.
    assert_eq!(facts.usage_as::<Messages>().is_some(), facts.merged_usage().is_some());
    if let Some(usage) = facts.usage() {
        assert!(usage.total() >= usage.output);
    }
});
