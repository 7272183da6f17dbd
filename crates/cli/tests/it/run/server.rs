//! A server that accepts what the API accepts.

use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use aside_gateway::strict::{Strict, StrictOptions, StrictRequest};
use aside_messages::wire::Request;

use super::{Place, judge};

/// Streams responses to requests, and is as strict as the API.
pub(crate) struct Server {
    listener: TcpListener,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// Returns the next Messages API request, and the connection to respond on.
    pub(crate) fn request(&self) -> (Vec<u8>, TcpStream) {
        let (body, betas, stream) = self.head_and_body();
        check(&body, &betas);
        (body, stream)
    }

    /// Returns the next request's body, and the connection to respond on.
    pub(crate) fn body(&self) -> (Vec<u8>, TcpStream) {
        let (body, _, stream) = self.head_and_body();
        (body, stream)
    }

    fn head_and_body(&self) -> (Vec<u8>, String, TcpStream) {
        let (stream, _) = self.listener.accept().unwrap();
        let (body, betas) = judge::request(&mut BufReader::new(stream.try_clone().unwrap()));
        (body, betas, stream)
    }
}

/// Checks that the API accepts the request with the betas in its header, that
/// it asks for a stream, and that its keys are in wire order.
fn check(body: &[u8], betas: &str) {
    let mut api = Strict::new(StrictOptions::default());
    let answer = api.answer(&StrictRequest::new(body).betas(betas));
    let is_stream = answer.map(|it| it.is_stream());
    assert_eq!(is_stream, Ok(true));
    let request = Request::parse(body).unwrap().value;
    let again = serde_json::to_vec(&request).unwrap();
    assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(body));
}

#[test]
#[should_panic(expected = "Extra inputs are not permitted")]
fn a_key_that_the_api_does_not_know_is_refused() {
    check(
        br#"{"model":"claude-opus-5","max_tokens":1,"stream":true,"unknown":1,"messages":[{"role":"user","content":"x"}]}"#,
        "",
    );
}

/// Starts a stream with the text `text`.
pub(crate) fn begin(stream: &mut TcpStream, text: &str) {
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
         data: {{\"type\":\"message_start\",\"message\":{{\"id\":\"m\",\"model\":\"x\",\"role\":\"assistant\",\"content\":[],\"usage\":{{\"input_tokens\":1}}}}}}\n\n\
         data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n\
         data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{text}\"}}}}\n\n"
    )
    .unwrap();
    stream.flush().unwrap();
}

/// Sends the rest.
pub(crate) fn end(stream: &mut TcpStream) {
    end_with(stream, 0, "end_turn");
}

/// Sends the rest of a stream, from the end of this block. It ends for this
/// reason.
pub(crate) fn end_with(stream: &mut TcpStream, block: usize, reason: &str) {
    write!(
        stream,
        "data: {{\"type\":\"content_block_stop\",\"index\":{block}}}\n\n\
         data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}},\"usage\":{{\"output_tokens\":1}}}}\n\n\
         data: {{\"type\":\"message_stop\"}}\n\n"
    )
    .unwrap();
}

/// Streams calls to two tools, one of which fails.
pub(crate) fn call(stream: &mut TcpStream, turn: usize) {
    let start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n";
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{start}"
    )
    .unwrap();
    for (index, file) in ["a.md", "gone.md"].iter().enumerate() {
        write!(
            stream,
            "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t{turn}x{index}\",\"name\":\"Read\",\"input\":{{}}}}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"file_path\\\":\\\"{file}\\\"}}\"}}}}\n\n\
             data: {{\"type\":\"content_block_stop\",\"index\":{index}}}\n\n"
        )
        .unwrap();
    }
    let rest = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":1}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";
    stream.write_all(rest.as_bytes()).unwrap();
}

pub(crate) fn with_server(place: &Place, server: &Server, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    command
        .env("ANTHROPIC_API_KEY", "sk-of-nobody")
        .env("ANTHROPIC_BASE_URL", &server.url)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Checks that the second request starts with the first one's cached prefix:
/// everything but its ephemeral texts. Markers may move.
pub(crate) fn assert_continues(first: &[u8], second: &[u8]) {
    const MARKERS: [&str; 2] = [
        r#","cache_control":{"type":"ephemeral"}"#,
        r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
    ];
    let text = |body: &[u8]| String::from_utf8(body.to_vec()).unwrap();
    let unmarked = |body: &str| {
        let [short, long] = MARKERS;
        body.replace(long, "").replace(short, "")
    };
    let first = text(first);
    let ends = MARKERS.iter().filter_map(|marker| first.rfind(marker));
    let end = ends.max().unwrap();
    let messages = first.find(r#""messages":["#).unwrap();
    assert!(messages < end, "a message is marked: {first}");
    let stable = unmarked(&first[..end]);
    let second = unmarked(&text(second));
    assert!(second.starts_with(&stable), "{stable}\n{second}");
}
