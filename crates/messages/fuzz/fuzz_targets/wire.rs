//! Reads any bytes as wire JSON: `cargo +nightly fuzz run wire`.

#![no_main]

use aside_messages::wire::Request;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &[u8]| {
    let Ok(parsed) = Request::parse(json) else {
        return;
    };
    // What was read can be written, and reads back the same.
    let written = serde_json::to_vec(&parsed.value).expect("a request serializes");
    let again = Request::parse(&written).expect("what was written can be read");
    assert_eq!(again.value, parsed.value);
    assert_eq!(again.diagnostics, []);
    assert_eq!(serde_json::to_vec(&again.value).ok(), Some(written));
});
