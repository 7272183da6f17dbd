//! Reads any bytes as a log in every format: `cargo +nightly fuzz run read`.

#![no_main]

use aside_request_logs::{Format, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for format in [
        None,
        Some(Format::Bodies),
        Some(Format::Plain),
        Some(Format::Proxy),
        Some(Format::Har),
        Some(Format::OpenTelemetry),
        Some(Format::LiteLlm),
        Some(Format::Transcript),
    ] {
        for exchange in read(bytes, format).flatten() {
            let length = exchange.request.as_bytes().map_or(0, <[u8]>::len);
            assert!(length <= bytes.len());
        }
    }
});
