//! Scans any text for imports: `cargo +nightly fuzz run imports`.

#![no_main]

use aside_claudemd::scan_imports;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lines = text.split('\n').count();
    for import in scan_imports(text) {
        assert!(!import.path.is_empty());
        assert!((1..=lines).contains(&import.line));
    }
    // In a fence longer than any fence in the text, nothing is an import.
    let fence = "~".repeat(3 + text.split(|c| c != '~').map(str::len).max().unwrap_or(0));
    assert_eq!(scan_imports(&format!("{fence}\n{text}\n{fence}\n")), []);
});
