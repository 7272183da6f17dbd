//! What a turn costs here (resolving sections, splitting the prompt, planning
//! markers), against serialising the same request once with serde.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_cache_split::{Layout, PlanInput, PlanOptions, SplitBlock, SplitInputs, plan, split};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::{Body, BodyParts, Encoded};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{Request, Role};
use aside_prompt_sections::{
    ASIDE, BuiltinTools, CodingInstructions, Environment, Model, OsKind, Registry, StaticBoundary,
    StaticInputs,
};
use uuid::Uuid;

const ROUNDS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --all-targets` runs this without `--bench`.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!("messages      bytes    resolve     split      plan     serde   sum/serde");
    for messages in [10, 100, 1_000, 10_000] {
        measure(messages)?;
    }
    Ok(())
}

fn measure(messages: usize) -> Result<(), Box<dyn Error>> {
    let registry = registry()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let mut conversation = Conversation::new(Uuid::nil());
    // The last message is a user's.
    for index in 0..=messages {
        conversation.push(entry(index));
    }
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let lowered = lowerer.lower(&conversation, Tail::default())?;
    let tools = Arc::new(Encoded::tools(Vec::new()));
    let inputs = SplitInputs { identity: Some(ASIDE.identity), ..SplitInputs::default() };
    let mut times: [Vec<Duration>; 4] = Default::default();
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let resolved = runtime.block_on(registry.resolve());
        times[0].push(start.elapsed());

        let start = Instant::now();
        let split = split(&resolved.prompt(StaticBoundary::Marked), inputs);
        times[1].push(start.elapsed());

        let start = Instant::now();
        let plan = black_box(plan(PlanInput {
            layout: Layout::Layered,
            split: &split,
            tools: &tools,
            messages: &lowered,
            options: PlanOptions::default(),
        })?);
        times[2].push(start.elapsed());

        if times[3].len() < ROUNDS / 10 {
            let (system, sources): (Vec<_>, Vec<_>) =
                split.blocks.iter().map(SplitBlock::to_wire).unzip();
            let body = Body::new(BodyParts {
                parameters: &Arc::new(Request {
                    model: "m".into(),
                    max_tokens: Some(1),
                    ..Request::default()
                }),
                tools: &tools,
                system: &Encoded::system(system, sources).into(),
                history: lowered.history(),
                tail: lowered.tail(),
                markers: &plan.markers(),
            })?;
            let request = body.to_request();
            let start = Instant::now();
            bytes = black_box(serde_json::to_vec(&request)?).len();
            times[3].push(start.elapsed());
        }
    }
    let [resolve, split, plan, serde] = times.map(median);
    let ratio = (resolve + split + plan).as_secs_f64() / serde.as_secs_f64();
    println!(
        "{messages:>8} {bytes:>10} {resolve:>10.1?} {split:>9.1?} {plan:>9.1?} {serde:>9.1?} {ratio:>11.3}"
    );
    Ok(())
}

fn registry() -> Result<Registry, Box<dyn Error>> {
    let mut registry = Registry::standard(StaticInputs {
        product: &ASIDE,
        tools: BuiltinTools::ALL,
        coding: CodingInstructions::Included,
    });
    registry.provide(Environment {
        working_directory: "/home/mia/shop".into(),
        is_git_repository: true,
        additional_directories: Vec::new(),
        platform: OsKind::Linux,
        shell: Some("bash".into()),
        os_version: Some("Linux 6.8.0".into()),
        model: Some(Model::from_id("claude-sonnet-5-5".to_owned())),
    })?;
    Ok(registry)
}

/// User and model messages in turn, about 1 KB each.
fn entry(index: usize) -> EntryDraft {
    let text = format!("{index} \"quoted\" and\nbroken ").repeat(40);
    if index.is_multiple_of(2) {
        return EntryDraft::human(text);
    }
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    EntryDraft::message(Role::Assistant, model, vec![Part::text(text)])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
