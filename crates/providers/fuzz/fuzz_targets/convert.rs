//! Any request that can be read, on every wire: `cargo +nightly fuzz run convert`.

#![no_main]

use aside_messages::wire::Request;
use aside_providers::{Options, Provider, answer, convert};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(parsed) = Request::parse(bytes) {
        for provider in Provider::ALL {
            if let Ok(converted) = convert(&parsed.value, provider, &Options::default()) {
                let again = convert(&parsed.value, provider, &Options::default());
                assert_eq!(Ok(converted), again);
            }
        }
    }
    for provider in Provider::ALL {
        let _ = answer(provider.spec().wire("").wire, bytes, &Default::default());
    }
});
