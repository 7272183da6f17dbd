//! What one turn costs in a conversation that grows from N messages by a
//! response and a tool result in each of 60 rounds: to lower it, which must not
//! depend on N, and to write the body, against both a copy of its bytes and
//! serde.
//!
//! In an optimised build on a busy machine, a turn with its body in one piece
//! took 3.0 times the copy at 200 messages (0.4 MB) and 1.7 times at 800 (1.2
//! MB), and 0.18 and 0.02 of serde. The goal is 2: below about 500 messages the
//! code itself, which is not in the processor's caches either, counts more than
//! the bytes; lowering took 0.1 ms at both sizes.
//!
//! Arguments are the sizes N. `--count` is for counting instructions: it leaves
//! out serde and does not cool the processor's caches.
//!
//! ```text
//! cargo bench -p aside-messages --no-run
//! valgrind --tool=callgrind --toggle-collect='*prepare_turn*' BINARY --bench --count 1000
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "turn/rounds.rs"]
mod rounds;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_messages::conversation::Conversation;
use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{CacheControl, Request};
use uuid::Uuid;

use rounds::push_round;

const ROUNDS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    // `cargo test --all-targets` runs this too, without the argument.
    if !has("--bench") {
        return Ok(());
    }
    let sizes: Vec<usize> = arguments.iter().filter_map(|it| it.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10, 100, 1_000, 10_000] } else { sizes };
    println!("body/copy and body/serde are with lowering");
    println!("messages      bytes    lower     body     copy    serde   body/copy  body/serde");
    for messages in sizes {
        measure(messages, has("--count"))?;
    }
    Ok(())
}

/// What stays the same in every turn.
struct Fixed {
    parameters: Arc<Request>,
    tools: Arc<Encoded>,
    system: Arc<Encoded>,
}

fn measure(messages: usize, is_count: bool) -> Result<(), Box<dyn Error>> {
    let mut conversation = Conversation::new(Uuid::nil());
    let mut lowerer = Lowerer::new(LowerOptions::default());
    while conversation.entries().len() < messages {
        push_round(&mut conversation);
    }
    lowerer.extend(&conversation);
    let fixed = Fixed {
        parameters: Arc::new(Request {
            model: "m".into(),
            max_tokens: Some(1),
            ..Request::default()
        }),
        tools: Arc::new(Encoded::tools(Vec::new())),
        system: Arc::new(Encoded::system(Vec::new(), Vec::new())),
    };
    let mut times: [Vec<Duration>; 4] = Default::default();
    let (mut out, mut flat, mut copy) = (Vec::new(), Vec::new(), Vec::new());
    let mut caches = Caches::new(is_count);
    for _ in 0..ROUNDS {
        push_round(&mut conversation);
        out.clear();
        caches.cool();
        let turn = prepare_turn(&mut lowerer, &conversation, &fixed, &mut out)?;
        times[0].push(turn.lower);
        times[1].push(turn.body);

        flat.clone_from(&out);
        copy.resize(out.len(), 0);
        caches.cool();
        times[2].push(copy_bytes(&mut copy, &flat));

        if is_count {
            times[3].push(Duration::ZERO);
            continue;
        }
        let request = Request::parse(&out)?.value;
        caches.cool();
        let start = Instant::now();
        black_box(serde_json::to_vec(&request)?);
        times[3].push(start.elapsed());
    }
    let [lower, body, copy, serde] = times.map(median);
    let ratio = |other: Duration| (lower + body).as_secs_f64() / other.as_secs_f64();
    println!(
        "{messages:>8} {:>10} {lower:>8.1?} {body:>8.1?} {copy:>8.1?} {serde:>8.1?} {:>11.2} {:>11.2}",
        out.len(),
        ratio(copy),
        ratio(serde)
    );
    Ok(())
}

struct Turn {
    lower: Duration,
    body: Duration,
}

/// Everything that a turn costs in this crate: lowering, the body with one
/// marker, and its bytes in one piece.
#[inline(never)]
fn prepare_turn(
    lowerer: &mut Lowerer,
    conversation: &Conversation,
    fixed: &Fixed,
    out: &mut Vec<u8>,
) -> Result<Turn, Box<dyn Error>> {
    let start = Instant::now();
    let lowered = lowerer.lower(conversation, Tail::default())?;
    let lower = start.elapsed();
    let message = lowered.len() - 1;
    let start = Instant::now();
    let body = Body::new(BodyParts {
        parameters: &fixed.parameters,
        tools: &fixed.tools,
        system: &fixed.system,
        history: lowered.history(),
        tail: lowered.tail(),
        markers: &[Marker {
            at: BlockRef::Message { message, block: 0 },
            control: CacheControl::EPHEMERAL,
        }],
    })?;
    body.write_into(out);
    Ok(Turn { lower, body: start.elapsed() })
}

#[inline(never)]
fn copy_bytes(copy: &mut [u8], bytes: &[u8]) -> Duration {
    let start = Instant::now();
    copy.copy_from_slice(black_box(bytes));
    black_box(copy);
    start.elapsed()
}

/// An agent does other work between two turns, so a turn's bytes are not in the
/// processor's caches, neither for this crate nor for the comparisons.
struct Caches(Vec<u8>);

impl Caches {
    fn new(is_count: bool) -> Self {
        Self(if is_count { Vec::new() } else { vec![1; 64 << 20] })
    }

    fn cool(&mut self) {
        for byte in self.0.iter_mut().step_by(64) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&self.0);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
