//! Reads any text as JSON Lines: `cargo +nightly fuzz run lines`.

#![no_main]

use aside_messages::conversation::Conversation;
use aside_messages::lower::{LowerOptions, Tail, lower};
use libfuzzer_sys::fuzz_target;
use uuid::Uuid;

fuzz_target!(|text: &str| {
    let Ok(parsed) = Conversation::from_json_lines(Uuid::nil(), text) else {
        return;
    };
    let lines = parsed.value.to_json_lines();
    let again = Conversation::from_json_lines(Uuid::nil(), &lines);
    assert_eq!(again.expect("what was written can be read").value, parsed.value);
    // Whatever the text holds, it can be lowered or leaves nothing to answer.
    let _ = lower(&parsed.value, Tail::default(), &LowerOptions::default());
});
