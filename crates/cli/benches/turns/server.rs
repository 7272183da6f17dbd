//! A server on loopback that calls a tool so many times, and then is done.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    Messages,
    Chat,
    Gemini,
}

impl Wire {
    pub(crate) const ALL: [Self; 3] = [Self::Messages, Self::Chat, Self::Gemini];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Chat => "chat",
            Self::Gemini => "gemini",
        }
    }

    /// The variables with which `aside run` finds the server.
    pub(crate) fn variables(self, url: &str) -> Vec<(&'static str, String)> {
        let words: [&'static str; 3] = match self {
            Self::Messages => {
                return vec![
                    ("ANTHROPIC_API_KEY", "k".to_owned()),
                    ("ANTHROPIC_BASE_URL", url.to_owned()),
                ];
            }
            Self::Chat => [
                "CLAUDE_CODE_USE_OPENAI",
                "OPENAI_API_KEY",
                "OPENAI_BASE_URL",
            ],
            Self::Gemini => [
                "CLAUDE_CODE_USE_GEMINI",
                "GEMINI_API_KEY",
                "GEMINI_BASE_URL",
            ],
        };
        let values = ["1", "k", url].map(str::to_owned);
        words.into_iter().zip(values).collect()
    }

    /// An answer that calls the tool, or that is the last one.
    fn answer(self, turn: usize, path: Option<String>) -> String {
        let input = path.map(|path| format!(r#"{{"file_path":"{path}"}}"#));
        let events: Vec<String> = match (self, input) {
            (Self::Messages, input) => {
                let (block, delta, reason) = match input {
                    Some(input) => (
                        format!(
                            r#"{{"type":"tool_use","id":"toolu_{turn:024}","name":"Read","input":{{}}}}"#
                        ),
                        format!(
                            r#"{{"type":"input_json_delta","partial_json":{}}}"#,
                            quoted(&input)
                        ),
                        "tool_use",
                    ),
                    None => (
                        r#"{"type":"text","text":""}"#.to_owned(),
                        r#"{"type":"text_delta","text":"Done."}"#.to_owned(),
                        "end_turn",
                    ),
                };
                vec![
                    format!(
                        r#"{{"type":"message_start","message":{{"id":"msg_{turn}","model":"m","content":[],"usage":{{"input_tokens":1,"output_tokens":1}}}}}}"#
                    ),
                    format!(
                        r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#
                    ),
                    format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#),
                    r#"{"type":"content_block_stop","index":0}"#.to_owned(),
                    format!(
                        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":1}}}}"#
                    ),
                    r#"{"type":"message_stop"}"#.to_owned(),
                ]
            }
            (Self::Chat, input) => {
                let (delta, reason) = match input {
                    Some(input) => (
                        format!(
                            r#"{{"tool_calls":[{{"index":0,"id":"call_{turn:024}","type":"function","function":{{"name":"Read","arguments":{}}}}}]}}"#,
                            quoted(&input)
                        ),
                        "tool_calls",
                    ),
                    None => (r#"{"content":"Done."}"#.to_owned(), "stop"),
                };
                vec![
                    format!(
                        r#"{{"id":"c{turn}","model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":"{reason}"}}]}}"#
                    ),
                    "[DONE]".to_owned(),
                ]
            }
            (Self::Gemini, input) => {
                let part = match input {
                    Some(input) => format!(
                        r#"{{"functionCall":{{"name":"Read","args":{input}}},"thoughtSignature":"c2ln"}}"#
                    ),
                    None => r#"{"text":"Done."}"#.to_owned(),
                };
                vec![format!(
                    r#"{{"responseId":"r{turn}","candidates":[{{"content":{{"role":"model","parts":[{part}]}},"finishReason":"STOP"}}]}}"#
                )]
            }
        };
        events
            .iter()
            .map(|event| format!("data: {event}\n\n"))
            .collect()
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

/// The path of a file of the project.
pub(crate) fn path(file: usize) -> String {
    format!("{file}.txt")
}

/// What is in it: 2 KB of lines.
pub(crate) fn text(file: usize) -> String {
    format!("File {file} has \"quotes\" and\ttabs.\n").repeat(60)
}

/// Serves sessions, one after the other.
pub(crate) struct Server {
    url: String,
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    pub(crate) fn start(wire: Wire, turns: usize, files: usize) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let thread = thread::spawn(move || serve(&listener, wire, turns, files));
        Ok(Self { url, thread })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends the server.
    pub(crate) fn finish(self) -> Result<(), Box<dyn Error>> {
        let address = self.url.trim_start_matches("http://");
        TcpStream::connect(address)?.write_all(b"QUIT\r\n\r\n")?;
        Ok(self.thread.join().map_err(|_| "the server panicked")??)
    }
}

fn serve(listener: &TcpListener, wire: Wire, turns: usize, files: usize) -> io::Result<()> {
    let mut turn = 0;
    loop {
        let (stream, _) = listener.accept()?;
        let mut reader = BufReader::with_capacity(256 << 10, stream);
        loop {
            let length = match head(&mut reader)? {
                Head::Request(length) => length,
                Head::Closed => break,
                Head::Quit => return Ok(()),
            };
            io::copy(&mut (&mut reader).take(length), &mut io::sink())?;
            let call = (turn < turns).then(|| path(turn % files));
            // The next session begins behind the last answer.
            let next = if call.is_some() { turn + 1 } else { 0 };
            let body = wire.answer(turn, call);
            turn = next;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let stream = reader.get_mut();
            stream.write_all(format!("{head}{body}").as_bytes())?;
        }
    }
}

/// What comes next on a connection.
enum Head {
    /// The head of a request whose body has this length.
    Request(u64),
    Closed,
    Quit,
}

fn head(reader: &mut impl BufRead) -> io::Result<Head> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(Head::Closed);
        }
        if line.starts_with("QUIT") {
            return Ok(Head::Quit);
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
        if line.is_empty() {
            let missing = || io::Error::other("a request without a length");
            return length.map(Head::Request).ok_or_else(missing);
        }
    }
}
