//! The frames of AWS on any bytes: `cargo +nightly fuzz run event_stream`.

#![no_main]

use aside_transport::{AwsEventStream, TransportErrorKind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&at, bytes)) = bytes.split_first() else {
        return;
    };
    let (before, after) = bytes.split_at(usize::from(at).min(bytes.len()));
    assert_eq!(read(&[bytes]), read(&[before, after]));
});

fn read(pieces: &[&[u8]]) -> (Vec<String>, Result<(), TransportErrorKind>) {
    let mut stream = AwsEventStream::default();
    let mut found = Vec::new();
    let result = pieces.iter().try_for_each(|piece| {
        stream.push(piece, |json| {
            found.push(json.to_owned());
            Ok(())
        })
    });
    (found, result)
}
