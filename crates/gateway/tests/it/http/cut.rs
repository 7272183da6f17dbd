//! Upstreams that break off a response.

use std::time::Duration;

use reqwest::{Client, Version};

use super::upstream::Upstream;
use super::*;

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const CHUNKS: usize = 20;

/// An upstream that sends chunks, and their end if there is one.
async fn upstream(end: &str) -> Upstream {
    let chunks = "9\r\ndata: 1\n\n\r\n".repeat(CHUNKS);
    Upstream::running(vec![(Duration::ZERO, format!("{HEAD}{chunks}{end}").into_bytes())]).await
}

fn of_version(version: Version) -> Client {
    let client = Client::builder().no_proxy().pool_max_idle_per_host(0);
    let client = match version {
        Version::HTTP_2 => client.http2_prior_knowledge(),
        _ => client,
    };
    client.build().unwrap()
}

/// Reads a response. Returns how many events it had, and whether it had an end.
async fn read(client: &Client, url: String) -> (usize, bool) {
    let mut response = client.post(url).body("{}").send().await.unwrap();
    let mut body = Vec::new();
    let is_ended = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break true,
            Err(_) => break false,
        }
    };
    (body.split(|byte| *byte == b'\n').filter(|it| it.starts_with(b"data: ")).count(), is_ended)
}

/// Reads responses through a proxy: what came before the break, and that it broke off.
async fn check(end: &str, reads: usize) {
    let upstream = upstream(end).await;
    for version in [Version::HTTP_11, Version::HTTP_2] {
        let proxy = proxy(upstream.address, |_| {}).await;
        let client = of_version(version);
        for path in ["/v1/messages", "/v1/embeddings"] {
            let reads = (0..reads).map(|_| read(&client, proxy.url(path)));
            for found in futures_util::future::join_all(reads).await {
                assert_eq!(found, (CHUNKS, !end.is_empty()), "{version:?} {path}");
            }
        }
        let summary = proxy.stop().await;
        let broken = if end.is_empty() { reads as u64 } else { 0 };
        assert_eq!((summary.requests, summary.aborted), (reads as u64, broken), "{version:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_came_before_a_break_is_passed_on() {
    check("", 16).await;
    check("0\r\n\r\n", 4).await;
}

#[tokio::test]
async fn what_came_before_a_break_is_passed_on_by_one_thread() {
    check("", 16).await;
}
