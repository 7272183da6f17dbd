//! Reads any bytes as JSON: `cargo +nightly fuzz run tape`.

#![no_main]

use aside_json::{Tape, scan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let end = scan::value_end(bytes, scan::skip_space(bytes, 0));
    let Ok(tape) = Tape::parse(bytes) else {
        return;
    };
    assert!(end.is_ok_and(|end| scan::skip_space(bytes, end) == bytes.len()));
    assert!(tape.root().is_equal(tape.root()));
    for value in tape.values() {
        assert_eq!(value.raw().as_bytes(), &bytes[value.range()]);
        // Each value is JSON itself.
        assert!(Tape::parse(value.raw().as_bytes()).is_ok());
    }
});
