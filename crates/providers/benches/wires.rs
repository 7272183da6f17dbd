//! What a wire costs: converting a conversation against writing it in its own
//! form, and reading a stream against serde_json on its data lines alone.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_messages::wire::{ContentBlock, Message, RawJson, Request, Role, Tool};
use aside_providers::{Family, ModelChoice, Names, Options, Provider, Stream, convert};

const ROUNDS: usize = 31;
const MESSAGES: usize = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test --all-targets` runs this too, and wants no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!("converting {MESSAGES} messages    time   own form    ratio");
    for provider in Provider::ALL {
        converting(provider)?;
    }
    println!("reading a stream       MB/s   events   serde_json    of its speed");
    for provider in [Provider::FirstParty, Provider::OpenAi, Provider::Gemini] {
        for length in [8, 80] {
            reading(provider, length)?;
        }
    }
    Ok(())
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
    let options = Options {
        models: ModelChoice {
            outright: (provider.family() != Family::Anthropic).then(|| "a-model".to_owned()),
            ..ModelChoice::default()
        },
        ..Options::default()
    };
    convert(&request, provider, &options)?;
    let own = time(|| serde_json::to_vec(&request));
    let other = time(|| convert(&request, provider, &options));
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
        max_tokens: 1_024,
        tools: vec![Tool::new("Read", "Reads.", schema)],
        messages,
        ..Request::default()
    })
}

/// `length` is the text of a delta, in words.
fn reading(provider: Provider, length: usize) -> Result<(), Box<dyn Error>> {
    let text = serde_json::to_string(&"word \n".repeat(length))?;
    let (head, delta, tail) = pieces(provider, &text);
    let mut data = vec![head];
    data.extend(std::iter::repeat_n(delta, (8 << 20) / (text.len() + 200)));
    data.extend(tail);
    let stream: String = data
        .iter()
        .map(|data| format!("data: {data}\n\n"))
        .collect();

    let mut count = 0;
    let ours = time(|| -> Result<(), Box<dyn Error>> {
        let mut reader = Stream::new(provider, Names::default());
        let mut events = Vec::new();
        count = 0;
        // As a socket would give it.
        for bytes in stream.as_bytes().chunks(16 << 10) {
            reader.push(bytes, &mut events)?;
            count += events.len();
            events.clear();
        }
        Ok(reader.finish(&mut events)?)
    });
    let serde = time(|| -> Result<(), serde_json::Error> {
        for data in data.iter().skip(1).filter(|data| data.starts_with('{')) {
            black_box(serde_json::from_str::<serde_json::Value>(data)?);
        }
        Ok(())
    });
    let speed = |time: Duration| stream.len() as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{provider:>12} {length:>3} words {:>7.0} {count:>8} {:>12.0} {:>15.2}",
        speed(ours),
        speed(serde),
        speed(ours) / speed(serde)
    );
    Ok(())
}

/// How a stream of this provider begins, goes on and ends.
fn pieces(provider: Provider, text: &str) -> (String, String, Vec<String>) {
    let own = |json: &str| json.to_owned();
    match provider.family() {
        Family::Anthropic => (
            // Two events of one line each.
            own(concat!(
                r#"{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
                "\n\ndata: ",
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            )),
            format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}"#
            ),
            vec![
                own(r#"{"type":"content_block_stop","index":0}"#),
                own(r#"{"type":"message_stop"}"#),
            ],
        ),
        Family::OpenAi => (
            own(
                r#"{"id":"c","model":"g","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
            ),
            format!(
                r#"{{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-5.5","system_fingerprint":"fp_44709d6fcb","choices":[{{"index":0,"delta":{{"content":{text}}},"logprobs":null,"finish_reason":null}}]}}"#
            ),
            vec![
                own(r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#),
                own("[DONE]"),
            ],
        ),
        Family::Gemini => (
            own(r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"responseId":"r"}"#),
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":{text}}}],"role":"model"}},"index":0}}],"usageMetadata":{{"promptTokenCount":8,"totalTokenCount":8}},"modelVersion":"gemini-3-pro","responseId":"r"}}"#
            ),
            vec![own(r#"{"candidates":[{"finishReason":"STOP"}]}"#)],
        ),
    }
}
