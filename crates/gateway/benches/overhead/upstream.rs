//! An upstream that streams a message.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How many deltas a response has.
const DELTAS: usize = 96;
const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Starts a server that reads a request, waits and streams a message, on
/// connections that stay open.
pub(crate) async fn start(wait: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(respond(stream, wait));
        }
    });
    address
}

async fn respond(mut stream: TcpStream, wait: Duration) {
    let _ = stream.set_nodelay(true);
    let mut buffer = vec![0; 1 << 16];
    let mut request = Vec::new();
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        request.extend_from_slice(&buffer[..read]);
        if !request.ends_with(b"\"}]}]}") && !request.ends_with(b"}}]}]}") {
            continue;
        }
        request.clear();
        if wait > Duration::ZERO {
            tokio::time::sleep(wait).await;
        }
        if stream.write_all(HEAD.as_bytes()).await.is_err() {
            return;
        }
        for event in events() {
            let chunk = format!("{:x}\r\n{event}\r\n", event.len());
            if stream.write_all(chunk.as_bytes()).await.is_err() {
                return;
            }
        }
        if stream.write_all(b"0\r\n\r\n").await.is_err() {
            return;
        }
    }
}

fn events() -> Vec<String> {
    let event =
        |kind: &str, rest: &str| format!("event: {kind}\ndata: {{\"type\":\"{kind}\"{rest}}}\n\n");
    let start = r#","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[],"usage":{"input_tokens":50000,"output_tokens":1}}"#;
    let block = r#","index":0,"content_block":{"type":"text","text":""}"#;
    let delta = r#","index":0,"delta":{"type":"text_delta","text":"A few words, as they come. "}"#;
    let end = r#","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":600}"#;
    let mut events = vec![event("message_start", start), event("content_block_start", block)];
    events.extend((0..DELTAS).map(|_| event("content_block_delta", delta)));
    events.push(event("content_block_stop", r#","index":0"#));
    events.push(event("message_delta", end));
    events.push(event("message_stop", ""));
    events
}
