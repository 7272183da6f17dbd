//! The stream of this wire on any bytes: `cargo +nightly fuzz run gemini`.

#![no_main]

mod stream;

use aside_providers::Provider;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| stream::check(Provider::Gemini, bytes));
