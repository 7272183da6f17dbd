//! Splits any body into parts: `cargo +nightly fuzz run report`.

#![no_main]

use aside_inspect::cache_model::Body;
use aside_inspect::{PageOptions, TextOptions, report};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(request) = Body::parse(bytes) else {
        return;
    };
    let found = report(&request, None, None);
    found.root.walk(&mut |part| {
        let children = &part.children;
        if !children.is_empty() {
            assert_eq!(children.iter().map(|it| it.bytes).sum::<usize>(), part.bytes);
            assert_eq!(children.iter().map(|it| it.tokens()).sum::<u64>(), part.tokens());
        }
    });
    let text = found.to_text(&TextOptions::default());
    assert!(!text.chars().any(|it| it.is_control() && it != '\n'));
    assert!(!found.to_html(&request, &PageOptions::default()).contains("<script>alert"));
});
