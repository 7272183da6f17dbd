//! Long bodies, which are sent on while they arrive.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::record::lines;
use super::upstream::read;
use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
const WAIT: Duration = Duration::from_secs(20);

/// A request of 300 kB, in two halves.
fn halves() -> [String; 2] {
    let text = "word ".repeat(30_000);
    let message = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let first =
        format!(r#"{{"model":"claude-opus-5","max_tokens":8,"messages":[{},"#, message(&text));
    [first, format!("{}]}}", message(&text))]
}

/// Begins a request, and sends its first half.
async fn begun<T>(proxy: &Running<T>) -> (TcpStream, usize) {
    begun_at(proxy, "/v1/messages").await
}

async fn begun_at<T>(proxy: &Running<T>, path: &str) -> (TcpStream, usize) {
    let [first, second] = halves();
    let mut client = TcpStream::connect(proxy.address).await.unwrap();
    let length = first.len() + second.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n",
        proxy.address
    );
    client.write_all(head.as_bytes()).await.unwrap();
    client.write_all(first.as_bytes()).await.unwrap();
    (client, length)
}

/// Accepts a connection, and reads a request until the text of the first half is there.
async fn first_half(listener: &TcpListener) -> (TcpStream, String) {
    let (mut upstream, _) = listener.accept().await.unwrap();
    let [first, _] = halves();
    let mut seen = Vec::new();
    while !seen.ends_with(first.as_bytes()) {
        assert_ne!(upstream.read_buf(&mut seen).await.unwrap(), 0, "it ends");
    }
    (upstream, String::from_utf8(seen).unwrap())
}

async fn response(client: &mut TcpStream) -> String {
    let mut response = String::new();
    let read = client.read_to_string(&mut response);
    tokio::time::timeout(WAIT, read).await.unwrap().unwrap();
    response
}

async fn send_second_half(client: &mut TcpStream) {
    let [_, second] = halves();
    client.write_all(second.as_bytes()).await.unwrap();
}

async fn recording(folder: &std::path::Path) -> (TcpListener, Running<Summary>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = proxy(listener.local_addr().unwrap(), |options| {
        options.record = Some(folder.join("records"));
    });
    let proxy = proxy.await;
    (listener, proxy)
}

fn record(folder: &std::path::Path) -> Vec<serde_json::Value> {
    lines(&folder.join("records"))
}

#[tokio::test]
async fn a_slow_body_is_sent_on_and_recorded_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, proxy) = recording(folder.path()).await;
    let (mut client, length) = begun(&proxy).await;
    let half = tokio::time::timeout(WAIT, first_half(&listener));
    let (mut upstream, first) = half.await.expect("the first half before the second is sent");
    assert!(first.contains(&format!("content-length: {length}\r\n")));
    send_second_half(&mut client).await;
    let [_, expected] = halves();
    let mut second = vec![0; expected.len()];
    upstream.read_exact(&mut second).await.unwrap();
    assert_eq!(second, expected.as_bytes());
    upstream.write_all(OK.as_bytes()).await.unwrap();
    drop(upstream);
    assert!(response(&mut client).await.starts_with("HTTP/1.1 200 "));
    assert_eq!(proxy.stop().await.requests, 1);
    let expected: serde_json::Value = serde_json::from_str(&halves().concat()).unwrap();
    assert_eq!(record(folder.path())[0]["body"], expected);
}

/// The upstream's connection ends before the body, so the upstream has no request to bill.
#[tokio::test]
async fn a_body_that_is_cut_ends_the_upstream_and_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, proxy) = recording(folder.path()).await;
    let (client, length) = begun(&proxy).await;
    let (mut upstream, first) = first_half(&listener).await;
    drop(client);
    let mut rest = Vec::new();
    let end = tokio::time::timeout(WAIT, upstream.read_to_end(&mut rest));
    // The end of the connection, or its reset.
    let _ = end.await.expect("an end");
    assert!(rest.is_empty() && first.len() < length);
    let (_, written) = tokio::join!(read_and_respond(&listener), async {
        message(&proxy, HI).send().await.unwrap().status()
    });
    assert_eq!(written, 200);
    let refusals = proxy.refusals.clone();
    assert_eq!(proxy.stop().await.requests, 1);
    let refusals = refusals.lock().unwrap();
    assert!(refusals[0].contains("broke off"), "{refusals:?}");
    assert_eq!(record(folder.path()).len(), 1);
}

/// A refusal that comes before the body has ended reaches the client, and the record has the body.
#[tokio::test]
async fn an_early_response_reaches_the_client() {
    for status in ["401 Unauthorized", "413 Payload Too Large"] {
        let folder = tempfile::tempdir().unwrap();
        let (listener, proxy) = recording(folder.path()).await;
        let (mut client, _) = begun(&proxy).await;
        let (mut upstream, _) = first_half(&listener).await;
        let early = format!("HTTP/1.1 {status}\r\ncontent-length: 5\r\n\r\nearly");
        upstream.write_all(early.as_bytes()).await.unwrap();
        send_second_half(&mut client).await;
        let response = response(&mut client).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{response}");
        assert!(response.ends_with("early"), "{response}");
        drop(upstream);
        proxy.stop().await;
        let expected: serde_json::Value = serde_json::from_str(&halves().concat()).unwrap();
        let record = &record(folder.path())[0];
        assert_eq!(record["body"], expected);
        assert_eq!(record["status"], status[..3].parse::<u16>().unwrap());
    }
}

/// Reads the response to a request whose body has not ended.
async fn early_response(client: &mut TcpStream) -> String {
    let mut response = Vec::new();
    while !response.ends_with(b"early") {
        let read = tokio::time::timeout(WAIT, client.read_buf(&mut response)).await;
        assert_ne!(read.expect("a response before the body's end").unwrap(), 0);
    }
    String::from_utf8(response).unwrap()
}

const EARLY: &str = "HTTP/1.1 413 Payload Too Large\r\ncontent-length: 5\r\n\r\nearly";

/// A client that sends the rest only once it has the response, and one that never does.
#[tokio::test]
async fn a_response_does_not_wait_for_the_body() {
    for is_sent in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (listener, proxy) = recording(folder.path()).await;
        let (mut client, _) = begun(&proxy).await;
        let (mut upstream, _) = first_half(&listener).await;
        upstream.write_all(EARLY.as_bytes()).await.unwrap();
        let response = early_response(&mut client).await;
        assert!(response.starts_with("HTTP/1.1 413"), "{response}");
        if is_sent {
            send_second_half(&mut client).await;
            assert_eq!(self::response(&mut client).await, "");
        }
        drop(client);
        let lines = proxy.lines.clone();
        let summary = proxy.stop().await;
        assert_eq!((summary.requests, summary.failed), (1, 1));
        let record = &record(folder.path())[0];
        assert_eq!(record["status"], 413);
        let whole: serde_json::Value = serde_json::from_str(&halves().concat()).unwrap();
        assert_eq!(record["body"] == whole, is_sent);
        let line = lines.lock().unwrap()[0].to_string();
        assert_eq!(line.contains("broke off"), !is_sent, "{line}");
    }
}

/// A path that belongs to no wire.
#[tokio::test]
async fn an_unrecorded_body_is_sent_on_while_it_arrives() {
    for is_early in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = proxy(listener.local_addr().unwrap(), |_| {}).await;
        let (mut client, _) = begun_at(&proxy, "/v1/files").await;
        let half = tokio::time::timeout(WAIT, first_half(&listener));
        let (mut upstream, _) = half.await.expect("the first half before the second is sent");
        if is_early {
            upstream.write_all(EARLY.as_bytes()).await.unwrap();
            let response = early_response(&mut client).await;
            assert!(response.starts_with("HTTP/1.1 413"), "{response}");
        }
        send_second_half(&mut client).await;
        if !is_early {
            let mut second = vec![0; halves()[1].len()];
            upstream.read_exact(&mut second).await.unwrap();
            upstream.write_all(OK.as_bytes()).await.unwrap();
            assert!(response(&mut client).await.starts_with("HTTP/1.1 200 "));
        }
        drop(client);
        let summary = proxy.stop().await;
        assert_eq!((summary.requests, summary.unrecorded), (0, 1));
    }
}

/// With other markers, nothing is sent before the plan for them, which depends on the end.
#[tokio::test]
async fn a_body_for_other_markers_is_kept_until_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = proxy(listener.local_addr().unwrap(), |options| {
        options.markers = Markers::Aside;
    });
    let proxy = proxy.await;
    let (mut client, _) = begun(&proxy).await;
    let early = tokio::time::timeout(Duration::from_millis(300), listener.accept());
    assert!(early.await.is_err(), "a connection before the end");
    send_second_half(&mut client).await;
    read_and_respond(&listener).await;
    assert!(response(&mut client).await.starts_with("HTTP/1.1 200 "));
    proxy.stop().await;
}

async fn read_and_respond(listener: &TcpListener) {
    let (mut upstream, _) = listener.accept().await.unwrap();
    read(&mut upstream).await;
    upstream.write_all(OK.as_bytes()).await.unwrap();
}
