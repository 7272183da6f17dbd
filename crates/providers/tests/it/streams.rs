//! Recorded streams and the exact events that each yields, for every way of
//! splitting it.
//!
//! A new case is a new `.sse` file in the folder of its provider, and
//! `ASIDE_BLESS=1 cargo test`; review its output.

use std::fs;
use std::path::{Path, PathBuf};

use aside_messages::wire::ContentBlock;
use aside_providers::{
    Collector, Delta, Event, MAX_LINE_BYTES, Names, Provider, ServerKind, Stream, StreamErrorKind,
    WireDialect,
};

use crate::cases::all_or;

/// A folder of streams, with their provider and server.
const FOLDERS: [(&str, (Provider, ServerKind)); 5] = [
    ("anthropic", (Provider::FirstParty, ServerKind::Own)),
    ("openai", (Provider::OpenAi, ServerKind::Compatible)),
    ("responses", (Provider::OpenAi, ServerKind::Own)),
    ("grok", (Provider::Grok, ServerKind::Compatible)),
    ("gemini", (Provider::Gemini, ServerKind::Own)),
];

fn wire((provider, server): (Provider, ServerKind)) -> WireDialect {
    provider.spec().wire_on("", server).wire
}

/// Above this a file is read whole only.
const MAX_CUT_BYTES: usize = 16 << 10;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "streams", folder].iter().collect();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|it| it == "sse")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The distance between two cuts, in bytes. It has no common factor with the
/// lengths of events, so the files together are cut in each part of an event.
fn stride() -> usize {
    all_or(23, 1)
}

/// The events, and how the stream ends.
fn read(provider: (Provider, ServerKind), pieces: &[&[u8]]) -> (Vec<Event>, String) {
    let mut stream = Stream::on(wire(provider), Names::default());
    let mut events = Vec::new();
    for piece in pieces {
        if let Err(error) = stream.push(piece, &mut events) {
            // It stays broken.
            let before = events.len();
            assert_eq!(stream.push(b"data: {}\n\n", &mut events), Err(error.clone()));
            assert_eq!(stream.finish(&mut events), Err(error.clone()));
            assert_eq!(events.len(), before);
            return (events, format!("error: {error}\n"));
        }
    }
    match stream.finish(&mut events) {
        Ok(()) => (events, String::new()),
        Err(error) => (events, format!("error: {error}\n")),
    }
}

fn lines(events: &[Event]) -> String {
    let line = |event| serde_json::to_string(event).unwrap() + "\n";
    events.iter().map(line).collect()
}

#[test]
fn every_file_gives_its_events() {
    for (folder, provider) in FOLDERS {
        for path in files(folder) {
            let bytes = fs::read(&path).unwrap();
            let (events, end) = read(provider, &[&bytes]);
            laws(&events, &end, &path);
            let found = format!("{}{end}{}\n", lines(&events), answer(&events));
            let expected = path.with_extension("events");
            if std::env::var_os("ASIDE_BLESS").is_some() {
                fs::write(&expected, &found).unwrap();
            }
            let expected = fs::read_to_string(&expected).unwrap_or_default();
            assert_eq!(found, expected, "{}", path.display());
        }
    }
}

/// Returns the response that a collector builds from the events.
fn answer(events: &[Event]) -> String {
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    let answer = collector.finish();
    let mut text = serde_json::to_string(&answer).unwrap();
    for call in &answer.broken_calls {
        text.push_str(&format!("\nbroken: {call:?}"));
    }
    text
}

#[test]
fn a_cut_at_any_byte_changes_nothing() {
    for (folder, provider) in FOLDERS {
        for path in files(folder) {
            let bytes = fs::read(&path).unwrap();
            if bytes.len() >= MAX_CUT_BYTES {
                continue;
            }
            let whole = read(provider, &[&bytes]);
            for cut in (0..=bytes.len()).step_by(stride()) {
                let (before, after) = bytes.split_at(cut);
                assert_eq!(
                    read(provider, &[before, after]),
                    whole,
                    "{} cut at {cut}",
                    path.display()
                );
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(provider, &single), whole, "{} byte by byte", path.display());
        }
    }
}

#[test]
fn every_early_end_is_reported_and_keeps_the_received_part() {
    for (folder, provider) in FOLDERS {
        for path in files(folder) {
            let bytes = fs::read(&path).unwrap();
            let (whole, _) = read(provider, &[&bytes]);
            for cut in (0..bytes.len()).step_by(stride()) {
                let (events, end) = read(provider, &[&bytes[..cut]]);
                laws(&events, &end, &path);
                if !end.is_empty() {
                    assert!(whole.starts_with(&events), "{} ended at {cut}", path.display());
                }
            }
        }
    }
}

/// The order that every stream keeps.
fn laws(events: &[Event], end: &str, path: &Path) {
    let mut open: Option<(usize, &ContentBlock)> = None;
    let mut next = 0;
    for (place, event) in events.iter().enumerate() {
        let at = format!("{}, event {place}: {event:?}", path.display());
        let is_last = |from_end| place + from_end == events.len();
        match event {
            Event::MessageStart(_) => assert_eq!(place, 0, "{at}"),
            Event::BlockStart { index, block } => {
                assert_eq!((open, *index), (None, next), "{at}");
                open = Some((*index, block));
            }
            Event::BlockDelta { index, delta } => {
                let (of, block) = open.unwrap();
                assert_eq!(*index, of, "{at}");
                assert!(fits(delta, block), "{at}");
            }
            Event::BlockStop { index } => {
                assert_eq!(open.take().unwrap().0, *index, "{at}");
                next += 1;
            }
            Event::MessageDelta(_) => assert!(open.is_none() && place > 0, "{at}"),
            Event::MessageStop => assert!(is_last(1) && open.is_none(), "{at}"),
        }
    }
    let is_whole = matches!(events.last(), Some(Event::MessageStop));
    assert_eq!(is_whole, end.is_empty(), "{}", path.display());
}

fn fits(delta: &Delta, block: &ContentBlock) -> bool {
    match (delta, block) {
        (Delta::Text(text), ContentBlock::Text(_))
        | (Delta::Thinking(text) | Delta::Signature(text), ContentBlock::Thinking(_))
        | (Delta::InputJson(text), ContentBlock::ToolUse(_) | ContentBlock::Other(_)) => {
            !text.is_empty()
        }
        (Delta::Other(_), _) => true,
        _ => false,
    }
}

/// The first event decides between the wires of a provider.
#[test]
fn the_wire_of_a_stream_is_inferred() {
    for folder in ["responses/no-types", "responses/text", "openai/text"] {
        let path = format!("{}/tests/streams/{folder}.sse", env!("CARGO_MANIFEST_DIR"));
        let mut stream = Stream::new(Provider::OpenAi, Names::default());
        let mut events = Vec::new();
        stream.push(&fs::read(path).unwrap(), &mut events).unwrap();
        stream.finish(&mut events).unwrap();
        assert!(answer(&events).contains(r#""text":"Hello"#), "{folder}");
    }
}

/// 200 MB without a line end: the reader stops at the limit, and earlier events
/// are kept.
#[test]
fn a_line_without_an_end_is_refused() {
    for (folder, provider) in FOLDERS {
        let path = files(folder).into_iter().find(|path| path.ends_with("text.sse"));
        let Some(path) = path else { continue };
        let bytes = fs::read(path).unwrap();
        let first = bytes
            .windows(2)
            .position(|pair| pair == b"\n\n")
            .or_else(|| bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 2));
        let mut stream = Stream::on(wire(provider), Names::default());
        let mut events = Vec::new();
        stream.push(&bytes[..first.unwrap() + 2], &mut events).unwrap();
        assert!(matches!(events[0], Event::MessageStart(_)));

        let piece = [b'x'; 1 << 16];
        let mut taken = 0;
        stream.push(b"data: ", &mut events).unwrap();
        let error = loop {
            assert!(taken < 200 << 20);
            match stream.push(&piece, &mut events) {
                Ok(()) => taken += piece.len(),
                Err(error) => break error,
            }
        };
        assert_eq!(*error.kind(), StreamErrorKind::TooLong);
        assert!(taken <= MAX_LINE_BYTES);
        assert!(!events.is_empty());
    }
}

/// A long line below the limit is read, and many short ones cannot make one
/// event that is longer.
#[test]
fn the_limit_holds_for_an_event_too() {
    let mut stream = Stream::on(wire((Provider::OpenAi, ServerKind::Compatible)), Names::default());
    let mut events = Vec::new();
    let text = "x".repeat(8 << 20);
    let line = format!(
        r#"data: {{"id":"c","choices":[{{"delta":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#
    );
    stream.push(line.as_bytes(), &mut events).unwrap();
    stream.push(b"\n\n", &mut events).unwrap();
    assert!(
        matches!(&events[2], Event::BlockDelta { delta: Delta::Text(found), .. } if *found == text)
    );

    let line = format!("data: {}\n", "x".repeat(1 << 20));
    let result = (0..40).try_for_each(|_| stream.push(line.as_bytes(), &mut events));
    assert_eq!(*result.unwrap_err().kind(), StreamErrorKind::TooLong);
}

/// Blocks that wait behind a call that never ends are not collected for ever.
#[test]
fn the_queue_is_limited() {
    let mut stream = Stream::on(wire((Provider::OpenAi, ServerKind::Compatible)), Names::default());
    let mut events = Vec::new();
    let chunk =
        |delta: &str| format!("data: {{\"id\":\"c\",\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    let call =
        chunk(r#"{"tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{"}}]}"#);
    stream.push(call.as_bytes(), &mut events).unwrap();
    let both = chunk(r#"{"reasoning_content":"a"}"#) + &chunk(r#"{"content":"b"}"#);
    let result = (0..10_000).try_for_each(|_| stream.push(both.as_bytes(), &mut events));
    assert_eq!(*result.unwrap_err().kind(), StreamErrorKind::TooLong);
    assert_eq!(events.len(), 3);

    let mut stream = Stream::on(wire((Provider::OpenAi, ServerKind::Compatible)), Names::default());
    let result = (0..2_000).try_for_each(|index| {
        let call =
            format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":"x"}}}}]}}"#);
        stream.push(chunk(&call).as_bytes(), &mut events)
    });
    assert!(matches!(result.unwrap_err().kind(), StreamErrorKind::Malformed(_)));
}
