//! The laws for the Responses wire: pairing, an unchanged prefix, and streams in any order that the
//! types allow.

mod interleavings;
mod pairing;
mod server;
mod session;

use aside_providers::{Answer, Collector, Names, Stream, WireDialect};

/// Reads a stream in pieces of this size.
fn read(wire: WireDialect, stream: &str, cut: usize) -> Answer {
    let mut reader = Stream::on(wire, Names::default());
    let mut events = Vec::new();
    for piece in stream.as_bytes().chunks(cut) {
        reader.push(piece, &mut events).unwrap();
    }
    reader.finish(&mut events).unwrap();
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    collector.finish()
}
