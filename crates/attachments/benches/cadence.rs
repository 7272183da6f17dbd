//! What the cadence costs per turn in a conversation with N entries: to add the
//! new entries and compute what is due, against a scan of the whole
//! conversation.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_attachments::cadence::{CadenceInputs, CadenceState};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use uuid::Uuid;

const ROUNDS: usize = 60;

fn main() {
    // `cargo test --all-targets` runs this without `--bench`.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("entries       turn        scan   scan/turn");
    for entries in [100, 1_000, 10_000] {
        measure(entries);
    }
}

fn measure(entries: usize) {
    let mut conversation = Conversation::new(Uuid::nil());
    let mut state = CadenceState::new();
    while conversation.entries().len() < entries {
        turn(&mut conversation);
    }
    state.extend(conversation.entries());
    let mut inputs = CadenceInputs::default();
    inputs.todos = Some(Vec::new());
    inputs.tools = Some((0..50).map(|index| format!("tool_{index}")).collect());
    inputs.snip_tool = true;
    let (mut turns, mut scans) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let seen = conversation.entries().len();
        turn(&mut conversation);
        let start = Instant::now();
        state.extend(&conversation.entries()[seen..]);
        black_box(state.due(&inputs));
        turns.push(start.elapsed());

        let start = Instant::now();
        let mut scan = CadenceState::new();
        scan.extend(conversation.entries());
        black_box(scan.due(&inputs));
        scans.push(start.elapsed());
    }
    let (turn, scan) = (median(turns), median(scans));
    let ratio = scan.as_secs_f64() / turn.as_secs_f64();
    println!("{entries:>7} {turn:>10.2?} {scan:>11.2?} {ratio:>11.1}");
}

fn turn(conversation: &mut Conversation) {
    let id = conversation.entries().len().to_string();
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    let call = Part::tool_use(id.as_str(), "Read", r#"{"file_path":"src/main.rs"}"#);
    let result = Part::tool_result(id, "fn main() {}\n".repeat(40));
    conversation.push(EntryDraft::human("And this one?"));
    conversation.push(EntryDraft::message(Role::Assistant, model, vec![call]));
    conversation.push(EntryDraft::message(Role::User, Origin::Human, vec![result]));
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
