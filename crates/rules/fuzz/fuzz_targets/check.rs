//! Checks any bytes on every wire: `cargo +nightly fuzz run check`.

#![no_main]

use aside_rules::{Context, Wire, check, find};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for wire in [Wire::Messages, Wire::ChatCompletions, Wire::Responses, Wire::GenerateContent] {
        let checked = check(bytes, wire, &Context::default());
        for finding in &checked.findings {
            assert!(find(finding.rule).is_some());
            assert!(!finding.to_string().contains('\n'));
        }
        assert_eq!(checked, check(bytes, wire, &Context::default()));
    }
});
