//! Clients and upstreams that are slow, endless, broken off or malicious.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::upstream::Upstream;
use super::*;
use crate::cases::all_or;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
const LIMIT: Duration = Duration::from_secs(10);

/// Sends raw bytes, and returns the response, up to its end or a long
/// silence.
async fn raw(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server may respond and close before it has read everything.
    let _ = stream.write_all(request).await;
    let mut response = Vec::new();
    let mut chunk = [0; 4_096];
    while let Ok(Ok(read @ 1..)) = tokio::time::timeout(LIMIT, stream.read(&mut chunk)).await {
        response.extend_from_slice(&chunk[..read]);
    }
    String::from_utf8_lossy(&response).into_owned()
}

fn status(response: &str) -> &str {
    response.split(' ').nth(1).unwrap_or_default()
}

#[tokio::test]
async fn idle_and_slow_clients_do_not_block_others() {
    let server = serve(|_| {}).await;
    let proxy = proxy(server.address, |_| {}).await;
    let mut open = Vec::new();
    for address in [proxy.address, server.address] {
        for begin in ["", "POST ", "POST /v1/messages HTTP/1.1\r\nHost: "] {
            for _ in 0..30 {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(begin.as_bytes()).await.unwrap();
                open.push(stream);
            }
        }
        // The head is complete, but the body never arrives.
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head =
            format!("POST /v1/messages HTTP/1.1\r\nHost: {address}\r\nContent-Length: 9\r\n\r\n{{");
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    let start = Instant::now();
    for _ in 0..10 {
        assert_eq!(message(&proxy, HI).send().await.unwrap().status(), 200);
    }
    // They do not keep the servers from ending, either.
    let summary = proxy.stop().await;
    assert_eq!(summary.requests, 10);
    assert_eq!(server.stop().await.requests, 10);
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
}

#[tokio::test]
async fn huge_and_broken_heads_are_refused() {
    let server = serve(|_| {}).await;
    let upstream = Upstream::answering(OK).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    for address in [proxy.address, server.address] {
        let post = format!("POST /v1/messages HTTP/1.1\r\nHost: {address}\r\n");
        let huge = "x".repeat(2 << 20);
        let many = "x-a: 1\r\n".repeat(10_000);
        for (request, expected) in [
            (format!("{post}x-huge: {huge}\r\n\r\n"), "431"),
            (format!("{post}{many}\r\n"), "431"),
            (format!("POST /{huge} HTTP/1.1\r\nHost: {address}\r\n\r\n"), "414 431"),
            (format!("{post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}x"), "400"),
            (format!("{post}Content-Length: -1\r\n\r\n"), "400"),
            (format!("{post}x y: 1\r\n\r\n"), "400"),
            (format!("{post}x: a\0b\r\n\r\n"), "400"),
            ("GARBAGE\r\n\r\n".to_owned(), "400"),
        ] {
            let response = raw(address, request.as_bytes()).await;
            let found = status(&response);
            // A connection that is closed is a refusal too.
            assert!(
                found.is_empty() || expected.contains(found),
                "{:?}: {response}",
                &request[..request.len().min(120)]
            );
        }
    }
    assert_eq!(upstream.requests(), 0);
    assert_eq!(message(&proxy, HI).send().await.unwrap().status(), 200);
    proxy.stop().await;
    server.stop().await;
}

/// A length and chunks together are one request, not two.
#[tokio::test]
async fn requests_cannot_be_smuggled() {
    let upstream = Upstream::answering(OK).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let host = proxy.address;
    let inner = format!("POST /v1/files HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n");
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: {host}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"
    );
    raw(host, request.as_bytes()).await;
    // Whichever way they are read, the upstream gets requests with one framing.
    for _ in 0..upstream.requests() {
        let seen = String::from_utf8(upstream.last()).unwrap().to_lowercase();
        let framings = ["content-length:", "transfer-encoding:"];
        let count: usize = framings.iter().map(|it| seen.matches(it).count()).sum();
        assert!(count <= 1, "{seen}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_body_that_breaks_off_or_never_ends_is_not_forwarded() {
    let upstream = Upstream::answering(OK).await;
    let proxy = proxy(upstream.address, |options| {
        options.max_request_bytes = 1 << 20;
    })
    .await;
    let host = proxy.address;
    let mut stream = TcpStream::connect(host).await.unwrap();
    let head = format!("POST /v1/messages HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(b"{\"model\":").await.unwrap();
    drop(stream);
    let endless =
        futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b'x'; 1 << 16]));
    let body = reqwest::Body::wrap_stream(endless.take(1_000));
    let request = client().post(proxy.url("/v1/messages")).body(body);
    // The refusal, or the end of the connection while the client still sends.
    if let Ok(response) = request.send().await {
        assert_eq!(response.status(), 413);
    }
    assert_eq!(message(&proxy, HI).send().await.unwrap().status(), 200);
    assert_eq!(upstream.requests(), 1);
    assert_eq!(proxy.stop().await.requests, 1);
}

/// The proxy forwards to its upstreams only, and a path stays below their base.
#[tokio::test]
async fn paths_cannot_leave_the_upstream() {
    let upstream = Upstream::answering(OK).await;
    let base = format!("messages=http://{}/base", upstream.address);
    let proxy = proxy(upstream.address, |options| {
        options.upstreams = Upstreams::from_arguments([&*base]).unwrap();
    })
    .await;
    let host = proxy.address;
    for line in [
        "GET http://evil.example/v1/messages",
        "CONNECT evil.example:443",
        "GET /v1/messages/../../admin",
        "GET /v1/messages/%2e%2e/%2e%2e/admin",
        "GET /v1/messages/.%2E/%2e./admin",
        "GET /v1/messages/%2e/x",
        "GET //evil.example/v1/messages",
        "GET /v1/messages\\..\\admin",
        "OPTIONS *",
    ] {
        let request = format!("{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let response = raw(host, request.as_bytes()).await;
        assert!(["400", "404", "405", "421"].contains(&status(&response)), "{line}: {response}");
    }
    assert_eq!(upstream.requests(), 0);
    proxy.stop().await;
}

/// Deep nesting in requests and responses, which a reader must not follow.
/// An upstream reports a usage that no sum of it fits into a number.
#[tokio::test]
async fn any_usage_is_added_up() {
    let usage =
        ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
            .map(|key| format!(r#""{key}":{}"#, u64::MAX));
    let body = format!(
        r#"{{"id":"m","type":"message","model":"claude-opus-5","content":[],"usage":{{{}}}}}"#,
        usage.join(",")
    );
    let length = body.len();
    let response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    let upstream = Upstream::running(vec![(Duration::ZERO, response.into_bytes())]).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let asked =
        r#"{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    for _ in 0..2 {
        let response = message(&proxy, asked).send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), body);
    }
    let summary = proxy.stop().await;
    assert_eq!(summary.requests, 2);
    assert_eq!(summary.totals.input_tokens, u64::MAX);
}

#[tokio::test]
async fn deep_bodies_are_passed_on() {
    let depth = all_or(10_000, 100_000);
    let lists = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = format!("{}1{}", r#"{"response":{"other":"#.repeat(depth / 2), "}".repeat(depth));
    let results = format!(
        r#"{{"model":"claude-opus-5","messages":[{{"role":"user","content":[{}{}]}}]}}"#,
        r#"{"type":"tool_result","content":["#.repeat(depth),
        "]}".repeat(depth)
    );
    let bodies = [lists, objects, results];
    let answers = bodies.clone();
    let upstream = Upstream::with(move |request| {
        let number = String::from_utf8_lossy(request)
            .split("n=")
            .nth(1)
            .and_then(|it| it[..1].parse::<usize>().ok())
            .unwrap();
        let body = &answers[number];
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        vec![(Duration::ZERO, [head.as_bytes(), body.as_bytes()].concat())]
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    for markers in [Markers::AsSent, Markers::Aside] {
        let proxy = proxy(upstream.address, |options| {
            options.record = Some(folder.path().join("r"));
            options.texts = Texts::Redacted;
            options.markers = markers;
        })
        .await;
        for path in ["/v1/messages", "/v1/responses", "/v1beta/models/g:generateContent"] {
            for (number, body) in bodies.iter().enumerate() {
                let url = proxy.url(&format!("{path}?n={number}"));
                let response = client().post(url).body(body.clone()).send().await.unwrap();
                assert_eq!(response.bytes().await.unwrap().len(), body.len());
            }
        }
        assert_eq!(proxy.stop().await.requests, 9);
    }
}

/// A recursive schema without a smallest value gets a finite one.
#[tokio::test]
async fn a_recursive_schema_gets_a_finite_value() {
    let server = serve(|options| {
        let script = r#"{"version":1,"answers":[{"content":[{"type":"tool_use"}]}],"repeat":true}"#;
        options.script = Some(aside_gateway::serve::Script::parse("script", script).unwrap());
    })
    .await;
    let wide: Vec<String> = (0..40).map(|it| format!("k{it}")).collect();
    let keys: Vec<String> = wide.iter().map(|it| format!(r##""{it}":{{"$ref":"#"}}"##)).collect();
    let keys = keys.join(",");
    let required = serde_json::to_string(&wide).unwrap();
    for schema in [
        format!(r#"{{"type":"object","properties":{{{keys}}},"required":{required}}}"#),
        r##"{"type":"object","properties":{"a":{"type":"array","minItems":64,"items":{"$ref":"#/properties/a"}}},"required":["a"]}"##.to_owned(),
    ] {
        let body = format!(
            r#"{{"model":"claude-opus-5","max_tokens":64,"tools":[{{"name":"t","input_schema":{schema}}}],"messages":[{{"role":"user","content":"x"}}]}}"#
        );
        let start = Instant::now();
        let response = message(&server, &body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.bytes().await.unwrap();
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    }
    server.stop().await;
}
