//! The instructions of a request on its way out: a turn of a session, and the conversion of a
//! request that was read.

use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::sync::Arc;

use aside_messages::conversation::Conversation;
use aside_messages::encode::{BlockRef, Body, BodyParts, Encoded, Marker};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{CacheControl, ContentBlock, RawJson, Request, Tool};
use aside_providers::{Converter, Options, Provider, convert};
use uuid::Uuid;

use crate::conversation;
use crate::counted::Counter;
use crate::rounds::push_round;

/// Makes this the program that does one kind of work some times.
pub(crate) const SEND: &str = "--send";

/// The entries of a session before its counted turns.
const ENTRIES: usize = 400;

/// Converts the requests of a session, or one request, `count` times.
pub(crate) fn run(work: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let provider = match work {
        "turn" => return turns(count),
        "own" => None,
        name => Some(name.parse::<Provider>()?),
    };
    let request = conversation()?;
    for _ in 0..count {
        match provider {
            None => drop(black_box(serde_json::to_vec(&request)?)),
            Some(provider) => drop(black_box(convert(&request, provider, &options(provider))?)),
        }
    }
    Ok(())
}

fn options(provider: Provider) -> Options {
    match provider {
        Provider::FirstParty => Options::default(),
        _ => Options::for_model("a-model"),
    }
}

/// Prints the instructions of each kind of work.
pub(crate) fn measure() -> Result<(), Box<dyn Error>> {
    let counter = Counter::find();
    let instructions = |work: &str| -> Result<f64, Box<dyn Error>> {
        let once = |count: usize| {
            let mut command = Command::new(std::env::current_exe()?);
            command.args([SEND, work, &count.to_string()]);
            counter.instructions(&command)
        };
        Ok((once(30)? - once(10)?) / 20.0 / 1e6)
    };
    println!("millions of instructions, by {counter}");
    println!("{:>24} {:>8.3}", "a turn", instructions("turn")?);
    let own = instructions("own")?;
    println!("{:>24} {own:>8.3}", "own form, by serde");
    for provider in Provider::ALL {
        let name = provider.to_string();
        let other = instructions(&name)?;
        println!("{name:>24} {other:>8.3} {:>8.2}", other / own);
    }
    Ok(())
}

/// Sends `count` turns of a session: lowering, the body with its markers, and the outgoing request.
fn turns(count: usize) -> Result<(), Box<dyn Error>> {
    let mut conversation = Conversation::new(Uuid::nil());
    while conversation.entries().len() < ENTRIES {
        push_round(&mut conversation);
    }
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut converter = Converter::of_lowered(Provider::FirstParty, Options::default());
    let schema = RawJson::parse(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#)?;
    let tool = |index| Tool::new(format!("Tool{index}"), "Reads. ".repeat(90), schema.clone());
    let tools = Arc::new(Encoded::tools((0..15).map(tool).collect()));
    let system = vec![ContentBlock::text("You are an agent. ".repeat(1_000))];
    let system = Arc::new(Encoded::system(system, Vec::new()));
    let parameters = Arc::new(Request {
        model: "claude-sonnet-5-5".into(),
        max_tokens: Some(1_024),
        ..Request::default()
    });
    for _ in 0..count {
        push_round(&mut conversation);
        let lowered = lowerer.lower(&conversation, Tail::default())?;
        let message = lowered.len() - 1;
        let places = [BlockRef::System(0), BlockRef::Message { message, block: 0 }];
        let control = CacheControl::EPHEMERAL;
        let markers = places.map(|at| Marker { at, control: control.clone() });
        let body = Body::new(BodyParts {
            parameters: &parameters,
            tools: &tools,
            system: &system,
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &markers,
        })?;
        black_box(converter.outgoing(&body)?);
    }
    Ok(())
}
