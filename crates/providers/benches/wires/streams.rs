//! Reading a stream of each wire.

use std::error::Error;
use std::process::Command;

use aside_providers::{Names, Provider, Stream};

use crate::counted::Counter;
use crate::wire_name::Wire;
use crate::{time, typed};

/// Makes this the program that reads one stream once.
pub(crate) const READ: &str = "--read";

/// The size of a stream, in bytes.
const STREAM_BYTES: usize = 8 << 20;

impl Wire {
    /// Returns the provider whose stream it is.
    fn provider(self) -> Provider {
        match self {
            Self::Messages => Provider::FirstParty,
            Self::Responses | Self::Chat => Provider::OpenAi,
            Self::Gemini => Provider::Gemini,
        }
    }

    /// Returns the events: the first ones, a delta of this text, the last ones.
    fn events(self, text: &str) -> [Vec<String>; 3] {
        let owned = |events: &[&str]| events.iter().map(|event| (*event).to_owned()).collect();
        match self {
            Self::Messages => [
                owned(&[
                    r#"{"type":"message_start","message":{"id":"m","model":"c","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}"#,
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                ]),
                vec![format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":{text}}}}}"#
                )],
                owned(&[
                    r#"{"type":"content_block_stop","index":0}"#,
                    r#"{"type":"message_stop"}"#,
                ]),
            ],
            Self::Responses => [
                owned(&[
                    r#"{"type":"response.created","response":{"id":"r","model":"g","status":"in_progress","output":[]}}"#,
                    r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i","role":"assistant","status":"in_progress","content":[]}}"#,
                    r#"{"type":"response.content_part.added","item_id":"i","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}"#,
                ]),
                vec![format!(
                    r#"{{"type":"response.output_text.delta","sequence_number":7,"item_id":"i","output_index":0,"content_index":0,"delta":{text},"logprobs":[]}}"#
                )],
                owned(&[
                    r#"{"type":"response.completed","response":{"id":"r","model":"g","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}"#,
                ]),
            ],
            Self::Chat => [
                owned(&[
                    r#"{"id":"c","model":"g","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
                ]),
                vec![format!(
                    r#"{{"id":"chatcmpl-123","object":"chat.completion.chunk","created":1694268190,"model":"gpt-5.5","system_fingerprint":"fp_44709d6fcb","choices":[{{"index":0,"delta":{{"content":{text}}},"logprobs":null,"finish_reason":null}}]}}"#
                )],
                owned(&[
                    r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
                    "[DONE]",
                ]),
            ],
            Self::Gemini => [
                owned(&[
                    r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"responseId":"r"}"#,
                ]),
                vec![format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"text":{text}}}],"role":"model"}},"index":0}}],"usageMetadata":{{"promptTokenCount":8,"totalTokenCount":8}},"modelVersion":"gemini-3-pro","responseId":"r"}}"#
                )],
                owned(&[r#"{"candidates":[{"finishReason":"STOP"}]}"#]),
            ],
        }
    }
}

/// A stream in memory.
struct Recorded {
    wire: Wire,
    data: Vec<String>,
    bytes: String,
}

impl Recorded {
    /// Makes a stream whose deltas have this length, in words.
    fn new(wire: Wire, words: usize) -> Result<Self, Box<dyn Error>> {
        let text = serde_json::to_string(&"word \n".repeat(words))?;
        let [mut data, delta, last] = wire.events(&text);
        let count = STREAM_BYTES / (text.len() + 200);
        data.extend(std::iter::repeat_n(delta.concat(), count));
        data.extend(last);
        let bytes = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        Ok(Self { wire, data, bytes })
    }

    /// Converts it, in pieces as of a socket. Returns the number of events.
    fn convert(&self) -> Result<usize, Box<dyn Error>> {
        let mut reader = Stream::new(self.wire.provider(), Names::default());
        let (mut events, mut count) = (Vec::new(), 0);
        for bytes in self.bytes.as_bytes().chunks(16 << 10) {
            reader.push(bytes, &mut events)?;
            count += events.len();
            events.clear();
        }
        reader.finish(&mut events)?;
        Ok(count + events.len())
    }

    /// Does what no reader can leave out: cuts such pieces into lines, checks that these are UTF-8,
    /// and deserializes them.
    fn frame(&self) -> Result<(), Box<dyn Error>> {
        let read = |line: &[u8]| -> Result<(), Box<dyn Error>> {
            match line.strip_prefix(b"data: ") {
                Some(data) if data.starts_with(b"{") => {
                    Ok(typed::read(self.wire, std::str::from_utf8(data)?)?)
                }
                _ => Ok(()),
            }
        };
        let mut begun = Vec::new();
        for bytes in self.bytes.as_bytes().chunks(16 << 10) {
            let mut start = 0;
            for end in memchr::memchr_iter(b'\n', bytes) {
                let line = &bytes[start..end];
                if begun.is_empty() {
                    read(line)?;
                } else {
                    begun.extend_from_slice(line);
                    read(&begun)?;
                    begun.clear();
                }
                start = end + 1;
            }
            begun.extend_from_slice(&bytes[start..]);
        }
        Ok(())
    }

    fn deserialize(&self) -> serde_json::Result<()> {
        let mut json = self.data.iter().filter(|data| data.starts_with('{'));
        json.try_for_each(|data| typed::read(self.wire, data))
    }
}

/// Makes a stream and does one thing with it.
pub(crate) fn run(wire: &str, words: usize, work: &str) -> Result<(), Box<dyn Error>> {
    let wire = Wire::ALL.into_iter().find(|it| it.name() == wire);
    let recorded = Recorded::new(wire.ok_or("an unknown wire")?, words)?;
    match work {
        "convert" => drop(recorded.convert()?),
        "frame" => recorded.frame()?,
        "deserialize" => recorded.deserialize()?,
        _ => {}
    }
    Ok(())
}

/// Prints the speed and the instructions of every wire.
pub(crate) fn measure() -> Result<(), Box<dyn Error>> {
    let counter = Counter::find();
    println!("streams, MB/s; instructions per byte, by {counter}");
    println!(
        "     words   events     ours   framed    typed  of typed     ours   framed    typed  of typed"
    );
    for wire in Wire::ALL {
        for words in [8, 80] {
            let recorded = Recorded::new(wire, words)?;
            let count = recorded.convert()?;
            let bytes = recorded.bytes.len() as f64;
            let speed = |time: std::time::Duration| bytes / 1e6 / time.as_secs_f64();
            let ours = speed(time(|| recorded.convert()));
            let framed = speed(time(|| recorded.frame()));
            let typed = speed(time(|| recorded.deserialize()));
            let name = wire.name();
            print!("{name:<9} {words:>5} {count:>8}{}", row([ours, framed, typed], ours / typed));
            let count_of = |work: &str| {
                let mut command = Command::new(std::env::current_exe()?);
                command.args([READ, name, &words.to_string(), work]);
                counter.instructions(&command)
            };
            let counts = ["nothing", "convert", "frame", "deserialize"].map(count_of);
            match counts {
                [Ok(made), Ok(ours), Ok(framed), Ok(typed)] => {
                    let each = [ours, framed, typed].map(|it| (it - made) / bytes);
                    println!("{}", row(each, each[2] / each[0]));
                }
                _ => println!(),
            }
        }
    }
    Ok(())
}

fn row([ours, framed, typed]: [f64; 3], ratio: f64) -> String {
    format!(" {ours:>8.1} {framed:>8.1} {typed:>8.1}  {ratio:>8.2}")
}
