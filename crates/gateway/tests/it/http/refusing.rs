//! Requests that both servers refuse before they read them.

use std::time::Duration;

use aside_gateway::proxy::{ProxyError, UpstreamErrorKind};
use aside_gateway::{Access, BindErrorKind};

use super::upstream::Upstream;
use super::*;

#[tokio::test]
async fn web_pages_and_other_hosts_are_refused() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let server = serve(|_| {}).await;
    for url in [proxy.url("/v1/messages"), server.url("/v1/messages")] {
        for (name, value, status) in [
            ("origin", "https://evil.example", 403),
            ("host", "evil.example", 421),
            ("upgrade", "websocket", 426),
        ] {
            let request = client().post(&url).header(name, value).body(HI);
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), status, "{name} {url}");
            assert!(!response.headers().contains_key("access-control-allow-origin"));
        }
    }
    assert_eq!(upstream.requests(), 0);
    server.stop().await;
    proxy.stop().await;
}

#[tokio::test]
async fn only_loopback_is_bound_unless_it_is_allowed() {
    let mut options = ServeOptions::default();
    options.listen = "0.0.0.0:0".parse().unwrap();
    let refused = Server::bind(options.clone()).await.unwrap_err();
    assert_eq!(refused.kind(), BindErrorKind::NotLoopback);
    let mut proxied = ProxyOptions::default();
    proxied.listen = options.listen;
    let refused = Proxy::bind(proxied, Box::new(|_| {})).await.unwrap_err();
    assert!(matches!(refused, ProxyError::Bind(_)));
    options.access = Access::Remote;
    assert!(Server::bind(options).await.is_ok());
}

#[test]
fn plain_http_is_limited_to_local_upstreams() {
    let check = |argument| Upstreams::from_arguments([argument]).err().map(|it| it.kind());
    assert_eq!(check("messages=http://127.0.0.1:1"), None);
    assert_eq!(check("messages=http://[::1]:1"), None);
    assert_eq!(check("messages=https://example.com/base"), None);
    let plain = Some(UpstreamErrorKind::PlainHttp);
    assert_eq!(check("messages=http://example.com"), plain);
    assert_eq!(check("messages=http://127.0.0.1.example.com"), plain);
    let unreadable = Some(UpstreamErrorKind::Unreadable);
    for argument in ["messages", "other=https://a", "messages=ftp://a", "messages=/etc/passwd"] {
        assert_eq!(check(argument), unreadable, "{argument}");
    }
}

#[test]
fn a_wire_has_one_upstream() {
    let upstreams = ["chat=https://a", "messages=https://a", "responses=https://a"];
    assert!(Upstreams::from_arguments(upstreams).is_ok());
    let two = ["messages=https://a", "chat=https://a", "messages=https://b"];
    let error = Upstreams::from_arguments(two).unwrap_err();
    assert_eq!(error.kind(), UpstreamErrorKind::Doubled);
    assert!(error.to_string().contains("two for messages"), "{error}");
}

/// One line for each refusal; agents try WebSocket for each connection, and its
/// line comes once.
#[tokio::test]
async fn refusals_are_reported() {
    let upstream = Upstream::answering("").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let url = proxy.url("/v1/responses?api_key=canary");
    for (name, value) in
        [("origin", "https://evil.example"), ("upgrade", "websocket"), ("upgrade", "websocket")]
    {
        let request = client().get(&url).header(name, value);
        request.send().await.unwrap();
    }
    let models = client().get(proxy.url("/v1/models"));
    assert_eq!(models.send().await.unwrap().status(), 502);
    let refusals = proxy.refusals.clone();
    let summary = proxy.stop().await;
    assert_eq!((summary.refused, summary.aborted, summary.unrecorded), (4, 0, 0));
    let refusals = refusals.lock().unwrap();
    assert_eq!(
        refusals[..2],
        [
            "refused GET /v1/responses 403: requests of web pages are refused",
            "refused GET /v1/responses 426: WebSocket is not supported; use HTTP",
        ]
    );
    assert!(
        refusals[2].starts_with("refused GET /v1/models 502: the upstream did not answer"),
        "{refusals:?}"
    );
    assert_eq!(refusals.len(), 3);
}

/// The API's own message is in the line, without the keys that it quotes.
#[tokio::test]
async fn the_message_of_the_api_is_reported() {
    let body = r#"{"error":{"type":"authentication_error","message":"bad key canary-key, portkey-12345 or query-12345 at 3"}}"#;
    let response = format!(
        "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let upstream = Upstream::running(vec![(Duration::ZERO, response.into_bytes())]).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let request = client()
        .post(proxy.url("/v1/messages?subscription-key=query-12345"))
        .header("anthropic-version", "2023-06-01")
        .header("x-api-key", "canary-key")
        .header("x-portkey-api-key", "portkey-12345")
        .body(HI);
    request.send().await.unwrap().bytes().await.unwrap();
    let lines = proxy.lines.clone();
    proxy.stop().await;
    let message = "bad key ***, *** or *** at 3";
    assert_eq!(lines.lock().unwrap()[0].notes, ["authentication_error", message]);
}

#[tokio::test]
async fn a_long_request_is_refused_with_the_limit() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    let proxy = proxy(upstream.address, |options| {
        options.max_request_bytes = 1_000;
    })
    .await;
    let response = message(&proxy, &"x".repeat(1_001)).send().await.unwrap();
    assert_eq!(response.status(), 413);
    assert!(response.text().await.unwrap().contains("longer than 1000 bytes"));
    assert_eq!(upstream.requests(), 0);
    proxy.stop().await;
}

#[tokio::test]
async fn an_unreachable_upstream_is_a_502_without_secrets() {
    unreachable(Texts::Kept).await;
    unreachable(Texts::Redacted).await;
}

async fn unreachable(texts: Texts) {
    let upstream = Upstream::answering("").await;
    let directory = tempfile::tempdir().unwrap();
    let proxy = proxy(upstream.address, |options| {
        options.record = Some(directory.path().to_owned());
        options.texts = texts;
    })
    .await;
    let url = proxy.url("/v1beta/models/g:generateContent?key=canary-query");
    let request = client().post(url).header("x-goog-api-key", "canary-header").body("{}");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 502);
    assert!(!response.text().await.unwrap().contains("canary"));
    // One line, one record and one count.
    let (lines, refusals) = (proxy.lines.clone(), proxy.refusals.clone());
    let summary = proxy.stop().await;
    assert_eq!((summary.requests, summary.aborted, summary.refused), (1, 1, 0));
    assert!(refusals.lock().unwrap().is_empty());
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].notes[0], "proxy_error");
    assert!(lines[0].notes[1].starts_with("the upstream did not answer: "), "{:?}", lines[0]);
    let entry = std::fs::read_dir(directory.path()).unwrap().next().unwrap().unwrap();
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(entry.path()).unwrap()).unwrap();
    let error = record["error"].as_str().unwrap();
    assert!(error.starts_with("proxy_error: the upstream did not answer: "), "{error}");
    assert!(!error.contains("canary"), "{error}");
}
