//! Requests that both servers refuse before they read them.

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
            assert!(
                !response
                    .headers()
                    .contains_key("access-control-allow-origin")
            );
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
    let check = |argument| {
        Upstreams::from_arguments([argument])
            .err()
            .map(|it| it.kind())
    };
    assert_eq!(check("messages=http://127.0.0.1:1"), None);
    assert_eq!(check("messages=http://[::1]:1"), None);
    assert_eq!(check("messages=https://example.com/base"), None);
    let plain = Some(UpstreamErrorKind::PlainHttp);
    assert_eq!(check("messages=http://example.com"), plain);
    assert_eq!(check("messages=http://127.0.0.1.example.com"), plain);
    let unreadable = Some(UpstreamErrorKind::Unreadable);
    for argument in [
        "messages",
        "other=https://a",
        "messages=ftp://a",
        "messages=/etc/passwd",
    ] {
        assert_eq!(check(argument), unreadable, "{argument}");
    }
}

#[tokio::test]
async fn unknown_paths_end_here() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    for path in [
        "/",
        "/report",
        "/v1/messagesx",
        "/v2/messages",
        "/admin",
        "/v1/messages//x",
    ] {
        let response = client().get(proxy.url(path)).send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
    assert_eq!(upstream.requests(), 0);
    for path in [
        "/v1/messages",
        "/v1/messages/batches",
        "/v1/models?limit=1",
        "/v1/responses",
        "/v1/chat/completions",
        "/v1beta/models/gemini:generateContent",
    ] {
        let response = client().get(proxy.url(path)).send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
    }
    proxy.stop().await;
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
    assert!(
        response
            .text()
            .await
            .unwrap()
            .contains("longer than 1000 bytes")
    );
    assert_eq!(upstream.requests(), 0);
    proxy.stop().await;
}

#[tokio::test]
async fn an_unreachable_upstream_is_a_502_without_secrets() {
    let upstream = Upstream::answering("").await;
    let proxy = proxy(upstream.address, |_| {}).await;
    let url = proxy.url("/v1beta/models/g:generateContent?key=canary-query");
    let request = client()
        .post(url)
        .header("x-goog-api-key", "canary-header")
        .body("{}");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 502);
    assert!(!response.text().await.unwrap().contains("canary"));
    let summary = proxy.stop().await;
    assert_eq!(summary.aborted, 1);
}
