//! Bytes that the proxy passes on, and their timing.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::upstream::{Upstream, read};
use super::*;

const MS: Duration = Duration::from_millis(1);

#[tokio::test]
async fn bytes_and_headers_are_forwarded_unchanged() {
    let upstream = Upstream::answering(
        "HTTP/1.1 418 Teapot\r\nx-a: 1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nlocation: /elsewhere\r\nconnection: close\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nnogzp",
    )
    .await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let body = "{ \"model\" : \"m\",\n \"messages\": [ ] , \"x\": 1.0e2 }";
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    let request = format!(
        "POST /v1/messages?beta=true&a=%20b HTTP/1.1\r\nHost: {}\r\nX-Two: 1\r\nX-Two: 2\r\nx-api-key: secret\r\nAccept-Encoding: gzip, br\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nUser-Agent: agent/1\r\nContent-Length: {}\r\n\r\n{body}",
        proxy.address,
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await.unwrap();
    let response = String::from_utf8(response).unwrap();
    assert!(response.starts_with("HTTP/1.1 418 "), "{response}");
    assert!(response.ends_with("\r\n\r\nnogzp"), "{response}");
    for line in [
        "x-a: 1",
        "set-cookie: a=1",
        "set-cookie: b=2",
        "location: /elsewhere",
        "content-encoding: gzip",
        "content-length: 5",
    ] {
        assert!(response.contains(&format!("\r\n{line}\r\n")), "{line}: {response}");
    }
    let seen = String::from_utf8(upstream.last()).unwrap();
    let (head, sent) = seen.split_once("\r\n\r\n").unwrap();
    assert_eq!(sent, body);
    assert!(head.starts_with("POST /v1/messages?beta=true&a=%20b HTTP/1.1\r\n"), "{head}");
    let mut headers: Vec<_> = head.split("\r\n").skip(1).map(str::to_owned).collect();
    headers.sort();
    assert_eq!(
        headers,
        [
            "accept-encoding: gzip, br".to_owned(),
            // The one header that the proxy adds, if the agent has none.
            "accept: */*".to_owned(),
            format!("content-length: {}", body.len()),
            format!("host: {}", upstream.address),
            "user-agent: agent/1".to_owned(),
            "x-api-key: secret".to_owned(),
            "x-two: 1".to_owned(),
            "x-two: 2".to_owned(),
        ]
    );
    proxy.stop().await;
}

/// Sends a request of raw bytes, and returns the response up to the connection's end.
async fn exchanged<T>(proxy: &Running<T>, head: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address).await.unwrap();
    let head = head.replace('@', &proxy.address.to_string());
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn an_empty_body_keeps_its_length() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    for (path, length, is_sent) in [
        ("/v1/messages", "content-length: 0\r\n", true),
        ("/v1/responses/resp_1/cancel", "Content-Length: 0\r\n", true),
        ("/v1/responses/resp_1/cancel", "", false),
    ] {
        let head = format!("POST {path} HTTP/1.1\r\nhost: @\r\nconnection: close\r\n{length}\r\n");
        assert!(exchanged(&proxy, &head).await.starts_with("HTTP/1.1 200"));
        let seen = String::from_utf8(upstream.last()).unwrap();
        assert_eq!(seen.contains("\r\ncontent-length: 0\r\n"), is_sent, "{seen}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn many_headers_are_passed_on() {
    for (count, status) in [(150, "200"), (990, "200"), (1_100, "431")] {
        let headers: String = (0..count).map(|number| format!("x-{number}: 1\r\n")).collect();
        let response = format!("HTTP/1.1 200 OK\r\n{headers}content-length: 0\r\n\r\n");
        let upstream = Upstream::answering(response.leak()).await;
        let proxy = proxy(upstream.address, |_| {}).await;
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: @\r\nconnection: close\r\ncontent-length: 0\r\n{headers}\r\n"
        );
        let response = exchanged(&proxy, &head).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{count}: {response}");
        if status == "200" {
            let last = format!("\r\nx-{}: 1\r\n", count - 1);
            assert!(response.contains(&last), "{response}");
            assert!(String::from_utf8(upstream.last()).unwrap().contains(&last));
        }
        proxy.stop().await;
    }
}

/// The start of a response whose events follow.
const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A stream of events in parts.
fn stream(parts: &[&[u8]], pause: Duration) -> Vec<(Duration, Vec<u8>)> {
    let mut all = vec![(Duration::ZERO, HEAD.to_vec())];
    all.extend(parts.iter().map(|part| (pause, part.to_vec())));
    all
}

const EVENTS: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"claude-opus-5\",\"usage\":{\"input_tokens\":3,\"cache_read_input_tokens\":7}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"T\u{e4}glich\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n\n";

/// The upstream sends an event only once the client has the one before it, so
/// a proxy that keeps a part back gets nothing more.
#[tokio::test]
async fn each_event_is_forwarded_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = proxy(listener.local_addr().unwrap(), |_| {}).await;
    let answering = async {
        let (mut upstream, _) = listener.accept().await.unwrap();
        read(&mut upstream).await;
        upstream.write_all(HEAD).await.unwrap();
        upstream
    };
    let (response, mut upstream) = tokio::join!(message(&proxy, HI).send(), answering);
    let mut chunks = response.unwrap().bytes_stream();
    for event in EVENTS.split_inclusive("\n\n") {
        upstream.write_all(event.as_bytes()).await.unwrap();
        let mut received = Vec::new();
        while received.len() < event.len() {
            let chunk = tokio::time::timeout(10_000 * MS, chunks.next()).await;
            received.extend_from_slice(&chunk.expect("an event").unwrap().unwrap());
        }
        assert_eq!(received, event.as_bytes());
    }
    drop(upstream);
    assert!(chunks.next().await.is_none());
    proxy.stop().await;
}

/// A stream may be cut at any byte: the client sees the same bytes, and the
/// reader of the record never fails.
#[tokio::test]
async fn a_stream_cut_at_any_byte_is_forwarded() {
    let upstream = Upstream::with(|request| {
        let text = String::from_utf8_lossy(request);
        let cut: usize =
            text.split("cut=").nth(1).unwrap().split(['&', ' ']).next().unwrap().parse().unwrap();
        let (one, two) = EVENTS.as_bytes().split_at(cut);
        if text.contains("broken") {
            stream(&[one], Duration::ZERO)
        } else {
            stream(&[one, two], 2 * MS)
        }
    })
    .await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let cuts = (0..EVENTS.len()).flat_map(|cut| [(cut, "whole"), (cut, "broken")]);
    let ask = |(cut, end): (usize, &'static str)| {
        let url = proxy.url(&format!("/v1/messages?cut={cut}&{end}"));
        async move {
            let response = client().post(url).body(HI).send().await.unwrap();
            let expected = if end == "whole" { EVENTS.len() } else { cut };
            assert_eq!(
                response.bytes().await.unwrap(),
                EVENTS.as_bytes()[..expected],
                "{cut} {end}"
            );
        }
    };
    futures_util::stream::iter(cuts).map(ask).buffer_unordered(16).collect::<Vec<_>>().await;
    let lines = proxy.lines.clone();
    proxy.stop().await;
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), EVENTS.len() * 2);
    for line in lines.iter().filter(|line| line.path.ends_with("whole")) {
        assert_eq!((line.read, line.plain), (Some(7), Some(3)), "{}", line.path);
    }
}

#[tokio::test]
async fn a_disconnected_client_ends_the_upstream() {
    let parts: Vec<&[u8]> = vec![b"data: {}\n\n"; 12_000];
    let upstream = Upstream::running(stream(&parts, 10 * MS)).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let response = message(&proxy, HI).send().await.unwrap();
    let mut chunks = response.bytes_stream();
    chunks.next().await.unwrap().unwrap();
    drop(chunks);
    // The upstream would send for two minutes.
    let start = Instant::now();
    while proxy.lines.lock().unwrap().is_empty() {
        assert!(start.elapsed() < 30_000 * MS, "the upstream was not aborted");
        tokio::time::sleep(5 * MS).await;
    }
    assert!(!proxy.lines.lock().unwrap()[0].is_complete);
    assert_eq!(proxy.stop().await.aborted, 1);
}

/// A response that is open when the proxy ends is paid for, too.
#[tokio::test]
async fn an_open_response_is_recorded_when_the_proxy_ends() {
    let parts: Vec<&[u8]> = vec![b"data: {}\n\n"; 12_000];
    let upstream = Upstream::running(stream(&parts, 10 * MS)).await;
    for version in [reqwest::Version::HTTP_11, reqwest::Version::HTTP_2] {
        let proxy = proxy(upstream.address, |_| {}).await;
        let client = reqwest::Client::builder().no_proxy();
        let client = match version {
            reqwest::Version::HTTP_2 => client.http2_prior_knowledge(),
            _ => client,
        };
        let request = client.build().unwrap().post(proxy.url("/v1/messages"));
        let response = request.body(HI).send().await.unwrap();
        let mut chunks = response.bytes_stream();
        chunks.next().await.unwrap().unwrap();
        let summary = proxy.stop().await;
        assert_eq!((summary.requests, summary.aborted), (1, 1), "{version:?}");
    }
}

const END: &str = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

fn events_without_the_last() -> String {
    const STOP: &str =
        "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let end = "event: message_delta";
    EVENTS.replace(end, &format!("{STOP}{end}"))
}

/// An upstream may end a stream with its connection, or with an error.
#[tokio::test]
async fn a_stream_without_its_last_event_is_not_complete() {
    const ERROR: &str = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    const FAILED: &str = "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"Gone\"},\"output\":[],\"usage\":null}}\n\n";
    let events = events_without_the_last();
    let whole = format!("{events}{END}");
    let broken = format!("{events}{ERROR}");
    for (path, events, note, counts) in [
        ("/v1/messages", &events[..], "", (0, 1)),
        ("/v1/messages", &whole, "", (0, 0)),
        ("/v1/messages", &broken, "overloaded_error Overloaded", (1, 0)),
        ("/v1/responses", FAILED, "server_error Gone", (1, 0)),
    ] {
        let events = events.to_owned();
        let upstream = Upstream::with(move |_| stream(&[events.as_bytes()], Duration::ZERO)).await;
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records");
        let proxy = proxy(upstream.address, |it| it.record = Some(records.clone())).await;
        let request = client().post(proxy.url(path)).body(HI);
        request.send().await.unwrap().bytes().await.unwrap();
        let lines = proxy.lines.clone();
        let summary = proxy.stop().await;
        assert_eq!((summary.failed, summary.aborted), counts, "{path} {note}");
        let error = record::lines(&records)[0]["error"].clone();
        assert_eq!(error.as_str().unwrap_or_default().replace(": ", " "), note, "{path}");
        let lines = lines.lock().unwrap();
        assert_eq!(lines[0].notes.join(" "), note);
        assert_eq!(lines[0].is_complete, counts.1 == 0, "{note}");
    }
}

/// A client needs nothing after the last event.
#[tokio::test]
async fn a_client_may_hang_up_after_the_last_event() {
    let events = events_without_the_last();
    for (events, aborted) in [(format!("{events}{END}"), 0), (events, 1)] {
        let mut parts: Vec<&[u8]> = vec![b": open\n\n"; 12_000];
        parts[0] = events.as_bytes();
        let upstream = Upstream::running(stream(&parts, 10 * MS)).await;
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records");
        let proxy = proxy(upstream.address, |it| it.record = Some(records)).await;
        let request = client().post(proxy.url("/v1/messages")).body(HI);
        let mut chunks = request.send().await.unwrap().bytes_stream();
        let mut read = 0;
        while read < events.len() {
            read += chunks.next().await.unwrap().unwrap().len();
        }
        drop(chunks);
        assert_eq!(proxy.stop().await.aborted, aborted, "{events}");
    }
}

/// Nothing follows the head of some responses.
#[tokio::test]
async fn responses_without_a_body_are_complete() {
    let upstream = Upstream::answering("HTTP/1.1 204 No Content\r\n\r\n").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let request = client().post(proxy.url("/v1/messages")).body(HI);
    assert_eq!(request.send().await.unwrap().status(), 204);
    let request = client().post(proxy.url("/v1/embeddings")).body("{}");
    assert_eq!(request.send().await.unwrap().status(), 204);
    let summary = proxy.stop().await;
    let counts = (summary.requests, summary.aborted, summary.unrecorded);
    assert_eq!(counts, (1, 0, 1));
}

/// A client that does not read holds the upstream back: no more than the
/// buffers of the sockets is kept.
#[tokio::test]
async fn a_slow_client_slows_the_upstream() {
    const PART: usize = 1 << 20;
    const PARTS: usize = 64;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let written: Arc<Mutex<usize>> = Arc::default();
    let count = written.clone();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 8_192];
        let _ = stream.read(&mut head).await.unwrap();
        let begin = b"HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(begin).await.unwrap();
        for _ in 0..PARTS {
            stream.write_all(&[b'x'; PART]).await.unwrap();
            *count.lock().unwrap() += PART;
        }
        stream.shutdown().await.unwrap();
    });
    let proxy = proxy(address, |_| {}).await;
    let response = message(&proxy, HI).send().await.unwrap();
    tokio::time::sleep(300 * MS).await;
    let before = *written.lock().unwrap();
    assert!(before < PART * PARTS / 2, "{before} bytes were taken in advance");
    let body = response.bytes().await.unwrap();
    assert_eq!(body.len(), PART * PARTS);
    proxy.stop().await;
}

/// Each of many requests gets its own response.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_requests_are_not_mixed_up() {
    let server = serve(|options| {
        options.script = Some(aside_gateway::serve::Script::parse(
            "script", r#"{"version":1,"answers":[{"content":[{"type":"tool_use","name":"Echo"}]}],"repeat":true}"#,
        )
        .unwrap());
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let proxy = proxy(server.address, |options| {
        options.record = Some(folder.path().join("r"));
    })
    .await;
    let client = client();
    let ask = |number: usize| {
        let body = format!(
            r#"{{"model":"claude-opus-5","max_tokens":64,"stream":{},"tools":[{{"name":"Echo","input_schema":{{"type":"object","properties":{{"n":{{"const":{number}}}}},"required":["n"]}}}}],"messages":[{{"role":"user","content":"{number}"}}]}}"#,
            number.is_multiple_of(2)
        );
        let request = client
            .post(proxy.url("/v1/messages"))
            .header("anthropic-version", "2023-06-01")
            .body(body);
        async move {
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 200);
            let text = response.text().await.unwrap().replace('\\', "");
            assert!(text.contains(&format!(r#"{{"n":{number}}}"#)), "{number}: {text}");
        }
    };
    let asked = futures_util::stream::iter(0..1_000).map(ask);
    asked.buffer_unordered(32).collect::<Vec<_>>().await;
    let summary = proxy.stop().await;
    assert_eq!((summary.requests, summary.failed, summary.aborted), (1_000, 0, 0));
    assert!(summary.faults.is_empty(), "{:?}", summary.faults);
    let files = std::fs::read_dir(folder.path().join("r")).unwrap();
    let lines =
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap().lines().count());
    assert_eq!(lines.sum::<usize>(), 1_000);
    assert_eq!(server.stop().await.answered, 1_000);
}
