//! A server that takes what the API takes, and nothing else.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use aside_messages::Rules;
use aside_messages::wire::Request;
use serde_json::Value;

use super::Place;

/// Answers requests with streams, as strictly as the API.
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

    /// The next request, which is one of the Messages API, and where its
    /// answer goes.
    pub(crate) fn request(&self) -> (Vec<u8>, TcpStream) {
        let (body, stream) = self.body();
        check(&body);
        (body, stream)
    }

    /// The body of the next request, and where its answer goes.
    pub(crate) fn body(&self) -> (Vec<u8>, TcpStream) {
        let (stream, _) = self.listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        (body, stream)
    }
}

/// Order, pairing, number and places of markers; no key that the API does not
/// know, and none twice.
fn check(body: &[u8]) {
    let request = Request::parse(body).unwrap().value;
    let checked = request.check(&Rules::default());
    let refused: Vec<_> = checked.refused().collect();
    assert!(refused.is_empty(), "{refused:?}");
    assert_eq!(request.stream, Some(true));
    let again = serde_json::to_vec(&request).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&again),
        String::from_utf8_lossy(body)
    );
    let body: Value = serde_json::from_slice(body).unwrap();
    let unknown = unknown_keys(&body);
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The keys that the API does not know, of all that a session here may send.
fn unknown_keys(body: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let request = "model max_tokens stream thinking tools system messages";
    find_unknown("request", body, request, &mut unknown);
    for tool in items(&body["tools"]) {
        let keys = "name description input_schema cache_control";
        find_unknown("tool", tool, keys, &mut unknown);
    }
    for message in items(&body["messages"]) {
        find_unknown("message", message, "role content clear_at", &mut unknown);
    }
    let messages = items(&body["messages"]);
    let blocks = messages.flat_map(|message| items(&message["content"]));
    let blocks: Vec<_> = items(&body["system"]).chain(blocks).collect();
    let inner = blocks.iter().flat_map(|block| items(&block["content"]));
    for block in blocks.iter().copied().chain(inner) {
        let kind = block["type"].as_str().unwrap_or_default();
        let keys = match kind {
            "text" => "type text cache_control",
            "tool_use" => "type id name input cache_control",
            "tool_result" => "type tool_use_id content is_error cache_control",
            _ => "",
        };
        find_unknown(kind, block, keys, &mut unknown);
        let marker = &block["cache_control"];
        find_unknown("cache_control", marker, "type ttl", &mut unknown);
    }
    unknown
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn find_unknown(kind: &str, object: &Value, known: &str, unknown: &mut Vec<String>) {
    let keys = object.as_object().into_iter().flat_map(|it| it.keys());
    let strange = keys.filter(|key| !known.split(' ').any(|known| known == *key));
    unknown.extend(strange.map(|key| format!("{kind}.{key}")));
}

#[test]
fn the_server_knows_what_is_unknown() {
    let unknown = |body: &str| unknown_keys(&serde_json::from_str(body).unwrap());
    let body = r#"{"a":1,"tools":[{"b":1}],"system":[{"type":"text","c":1}],"messages":[
        {"d":1,"content":[{"type":"tool_result","content":[{"type":"text","e":1}]},
        {"type":"text","cache_control":{"f":1}},{"type":"g"}]}]}"#;
    let found = "request.a tool.b message.d text.c cache_control.f g.type text.e";
    assert_eq!(unknown(body).join(" "), found);
    assert_eq!(unknown("{}"), [""; 0]);
}

/// The beginning of a stream that says `text`.
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

/// The rest of it.
pub(crate) fn end(stream: &mut TcpStream) {
    end_with(stream, 0, "end_turn");
}

/// The rest of a stream, from the end of this block; it ends for this reason.
pub(crate) fn end_with(stream: &mut TcpStream, block: usize, reason: &str) {
    write!(
        stream,
        "data: {{\"type\":\"content_block_stop\",\"index\":{block}}}\n\n\
         data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}},\"usage\":{{\"output_tokens\":1}}}}\n\n\
         data: {{\"type\":\"message_stop\"}}\n\n"
    )
    .unwrap();
}

/// A stream that calls two tools, one of which fails.
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

/// The second request begins with what the first one has cached: all of it
/// but what was told for that one time. Markers move on.
pub(crate) fn assert_continues(first: &[u8], second: &[u8]) {
    const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;
    let text = |body: &[u8]| String::from_utf8(body.to_vec()).unwrap();
    let first = text(first);
    let end = first.rfind(MARKER).unwrap();
    let messages = first.find(r#""messages":["#).unwrap();
    assert!(messages < end, "a message is marked: {first}");
    let stable = first[..end].replace(MARKER, "");
    let second = text(second).replace(MARKER, "");
    assert!(second.starts_with(&stable), "{stable}\n{second}");
}
