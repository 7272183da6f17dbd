//! Judges any bytes and places markers in them: `cargo +nightly fuzz run judge`.

#![no_main]

use aside_gateway::place::place;
use aside_gateway::strict::{Strict, StrictOptions, StrictRequest};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut api = Strict::new(StrictOptions::default());
    let is_accepted = api.answer(&StrictRequest::new(bytes)).is_ok();
    if let Ok(placed) = place(bytes)
        && is_accepted
    {
        // Markers change nothing that the API refuses.
        let mut api = Strict::new(StrictOptions::default());
        assert!(api.answer(&StrictRequest::new(&placed.body())).is_ok());
    }
});
