//! What a turn costs in a conversation that grows from N messages by two in
//! each of 60 rounds: lowering, which must not depend on N, and the body against a copy of its bytes and against serde.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{CacheControl, Request, Role};
use uuid::Uuid;

const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --all-targets` runs this too, and wants no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!("messages      bytes    lower     body     copy    serde   body/copy  body/serde");
    for messages in [10, 100, 1_000, 10_000] {
        measure(messages)?;
    }
    Ok(())
}

fn measure(messages: usize) -> Result<(), Box<dyn Error>> {
    let mut conversation = Conversation::new(Uuid::nil());
    let mut lowerer = Lowerer::new(LowerOptions::default());
    for index in 0..messages {
        conversation.push(entry(index));
    }
    lowerer.extend(&conversation);
    let parameters = Request {
        model: "m".into(),
        max_tokens: 1,
        ..Request::default()
    };
    let nothing = (
        Arc::new(Encoded::tools(Vec::new())),
        Arc::new(Encoded::system(Vec::new(), Vec::new())),
    );
    let mut times: [Vec<Duration>; 4] = Default::default();
    let mut len = 0;
    let (mut out, mut flat, mut copy) = (Vec::new(), Vec::new(), Vec::new());
    let mut caches = Caches::default();
    for _ in 0..ROUNDS {
        // A turn: an answer, and what the user says to it.
        for _ in 0..2 {
            conversation.push(entry(conversation.entries().len()));
        }
        if conversation.entries().len().is_multiple_of(2) {
            conversation.push(entry(conversation.entries().len()));
        }
        let start = Instant::now();
        let lowered = lowerer.lower(&conversation, Tail::default())?;
        times[0].push(start.elapsed());

        let message = lowered.len() - 1;
        let at = BlockRef::Message { message, block: 0 };
        let markers = [Marker {
            at,
            control: CacheControl::EPHEMERAL,
        }];
        out.clear();
        caches.cool();
        let start = Instant::now();
        let body = Body::new(BodyParts {
            parameters: &parameters,
            tools: &nothing.0,
            system: &nothing.1,
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &markers,
        })?;
        body.write_into(&mut out);
        times[1].push(start.elapsed());
        len = out.len();

        flat.clone_from(&out);
        copy.resize(len, 0);
        caches.cool();
        let start = Instant::now();
        copy.copy_from_slice(black_box(&flat));
        times[2].push(start.elapsed());
        black_box(&copy);

        let request = body.to_request()?;
        caches.cool();
        let start = Instant::now();
        black_box(serde_json::to_vec(&request)?);
        times[3].push(start.elapsed());
    }
    let [lower, body, copy, serde] = times.map(median);
    let ratio = |other: Duration| body.as_secs_f64() / other.as_secs_f64();
    println!(
        "{messages:>8} {len:>10} {lower:>8.1?} {body:>8.1?} {copy:>8.1?} {serde:>8.1?} {:>11.2} {:>11.2}",
        ratio(copy),
        ratio(serde)
    );
    Ok(())
}

/// Between two turns an agent does other things: what a turn copies is not in
/// the processor's caches, neither for us nor for those whom we compare with.
struct Caches(Vec<u8>);

impl Default for Caches {
    fn default() -> Self {
        Self(vec![1; 64 << 20])
    }
}

impl Caches {
    fn cool(&mut self) {
        for byte in self.0.iter_mut().step_by(64) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&self.0);
    }
}

/// The user and the model by turns, about 1 KB each.
fn entry(index: usize) -> EntryDraft {
    let text = format!("{index} \"quoted\" and\nbroken ").repeat(40);
    if index.is_multiple_of(2) {
        return EntryDraft::human(text);
    }
    let model = Origin::Model {
        provider: "p".into(),
        name: "m".into(),
    };
    EntryDraft::message(Role::Assistant, model, vec![Part::text(text)])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
