//! Compares two bodies and sends both: `cargo +nightly fuzz run compare`.
//!
//! The first line end separates them.

#![no_main]

use std::time::Duration;

use aside_cache_model::{Body, CacheModel, CacheRules, Relation, compare};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let at = bytes.iter().position(|it| *it == b'\n').unwrap_or(0);
    let (Ok(before), Ok(after)) = (Body::parse(&bytes[..at]), Body::parse(&bytes[at..])) else {
        return;
    };
    let rules = CacheRules::anthropic();
    assert_eq!(compare(&after, &after, &rules).relation, Relation::Identical);
    if let Some(difference) = compare(&before, &after, &rules).difference {
        assert!(difference.byte_offset.is_none_or(|it| it <= after.as_bytes().len()));
        assert!(difference.byte_offset_before.is_none_or(|it| it <= before.as_bytes().len()));
    }
    let mut model = CacheModel::new(rules);
    for (second, body) in [&before, &after, &after].into_iter().enumerate() {
        let at = Duration::from_secs(second as u64);
        let usage = model.send(body, at).usage;
        assert!(usage.read <= usage.input());
    }
});
