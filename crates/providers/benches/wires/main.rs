//! The cost of a wire: converting a conversation against writing it in its own
//! form, and reading a stream against typed serde.
//!
//! Reading a stream is [`Stream`] on pieces of 16 KB, from the bytes to events
//! of the Anthropic form: it includes the framing of server-sent events, UTF-8,
//! the order of events, and the text of every event as a string of its own.
//! Typed serde deserializes the data of each line, which is at hand, into
//! structs with the fields of the official SDKs, with borrowed strings where
//! they have no escapes. It does no framing and makes no events. Instructions
//! are those of a process that reads the stream once, less those of one that
//! only makes it.
//!
//!
//! Framed is the same with what no reader can leave out, and no events: the
//! pieces are cut into lines, which are checked to be UTF-8. The goal is 0.9 of
//! typed serde; framed is the most that can be reached.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

#[path = "../../../cli/benches/turns/counted.rs"]
#[expect(dead_code, reason = "only the instructions are of use for one process")]
mod counted;
#[path = "../../../messages/benches/turn/rounds.rs"]
mod rounds;
mod sending;
mod streams;
mod typed;
#[path = "../../../cli/benches/turns/wire_name.rs"]
mod wire_name;

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_messages::wire::{ContentBlock, Message, RawJson, Request, Role, Tool};
use aside_providers::{Options, Provider, convert};

const ROUNDS: usize = 31;
const MESSAGES: usize = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [first, stream, length, work] = &arguments[..]
        && first == streams::READ
    {
        return streams::run(stream, length.parse()?, work);
    }
    if let [first, work, count] = &arguments[..]
        && first == sending::SEND
    {
        return sending::run(work, count.parse()?);
    }
    // `cargo test --all-targets` runs this too, and wants no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!("converting {MESSAGES} messages    time   own form    ratio");
    for provider in Provider::ALL {
        converting(provider)?;
    }
    sending::measure()?;
    streams::measure()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn time<T>(mut work: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    median((0..ROUNDS).map(once).collect())
}

fn converting(provider: Provider) -> Result<(), Box<dyn Error>> {
    let request = conversation()?;
    let options = if provider.spec().platform.is_anthropic() {
        Options::default()
    } else {
        Options::for_model("a-model")
    };
    let own = time(|| serde_json::to_vec(&request));
    let other = time(|| convert(&request, provider, &options));
    // What was timed is no refusal.
    convert(&request, provider, &options)?;
    let ratio = other.as_secs_f64() / own.as_secs_f64();
    println!("{provider:>24} {other:>8.1?} {own:>8.1?} {ratio:>8.2}");
    Ok(())
}

/// A question, then calls with text and their results by turns.
fn conversation() -> Result<Request, Box<dyn Error>> {
    let mut messages = vec![Message::new(Role::User, vec![ContentBlock::text("Begin.")])];
    for index in 0..MESSAGES / 2 {
        let text = format!("{index} \"quoted\" and\nbroken ").repeat(20);
        let text = serde_json::to_string(&text)?;
        let pair = [
            format!(
                r#"{{"role":"assistant","content":[{{"type":"text","text":{text}}},{{"type":"tool_use","id":"toolu_{index}","name":"Read","input":{{"path":"a/b/c.rs","text":{text}}}}}]}}"#
            ),
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{index}","content":[{{"type":"text","text":{text}}}]}}]}}"#
            ),
        ];
        for message in pair {
            messages.push(Message::parse(message.as_bytes())?.value);
        }
    }
    let schema = RawJson::parse(r#"{"type":"object","properties":{"path":{"type":"string"}}}"#)?;
    Ok(Request {
        model: "claude-sonnet-5-5".into(),
        max_tokens: Some(1_024),
        tools: vec![Tool::new("Read", "Reads.", schema)],
        messages,
        ..Request::default()
    })
}
