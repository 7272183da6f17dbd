//! Parses mentions in any text: `cargo +nightly fuzz run mentions`.

#![no_main]

use aside_attachments::{Mention, mentions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for mention in mentions(text) {
        let written = match &mention {
            Mention::Path { path, .. } => path,
            Mention::Resource { uri, .. } => uri,
            Mention::Agent { agent_type } => agent_type,
            _ => continue,
        };
        assert!(!written.is_empty() && text.contains(written.as_str()));
    }
    // An `@` after a letter is not a mention.
    let without = text.replace('@', "x@");
    assert_eq!(mentions(&without), []);
});
