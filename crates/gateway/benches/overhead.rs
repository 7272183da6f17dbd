//! The time to the first byte of a response through the proxy, against that of
//! a direct connection to an upstream that responds after 20 ms.
//!
//! `cargo bench -p aside-gateway` prints the ratio, which is at most 1.2, and
//! the time that the proxy adds.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails on the spot")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use aside_gateway::proxy::{Proxy, ProxyOptions, Upstreams};
use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const ROUNDS: usize = 200;
/// The size of a request of a session in its middle.
const BODY_BYTES: usize = 200_000;
const MAX_RATIO: f64 = 1.2;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let upstream = upstream().await;
        let folder = tempfile::tempdir().unwrap();
        let mut options = ProxyOptions::default();
        let upstreams = format!("messages=http://{upstream}");
        options.upstreams = Upstreams::from_arguments([&*upstreams]).unwrap();
        options.record = Some(folder.path().join("records"));
        let proxy = Proxy::bind(options, Box::new(|_| {})).await.unwrap();
        let through = proxy.address();
        tokio::spawn(proxy.run(std::future::pending()));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let (mut direct, mut proxied) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            direct.push(first_byte(&client, upstream).await);
            proxied.push(first_byte(&client, through).await);
        }
        let (direct, proxied) = (median(direct), median(proxied));
        let ratio = proxied.as_secs_f64() / direct.as_secs_f64();
        let added = proxied.saturating_sub(direct).as_micros();
        println!("first byte: direct {direct:?}, through the proxy {proxied:?}");
        println!("ratio {ratio:.3} (at most {MAX_RATIO}), {added} µs added");
        assert!(ratio <= MAX_RATIO, "the proxy holds responses back");
    });
}

async fn first_byte(client: &reqwest::Client, address: SocketAddr) -> Duration {
    let text = "x".repeat(BODY_BYTES);
    let body = format!(
        r#"{{"model":"claude-opus-5","max_tokens":9,"messages":[{{"role":"user","content":"{text}"}}]}}"#
    );
    let request = client
        .post(format!("http://{address}/v1/messages"))
        .body(body);
    let start = Instant::now();
    let mut chunks = request.send().await.unwrap().bytes_stream();
    chunks.next().await.unwrap().unwrap();
    let time = start.elapsed();
    while chunks.next().await.is_some() {}
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// An upstream that reads a request, waits 20 ms and streams two events, on
/// connections that stay open.
async fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let mut buffer = vec![0; 1 << 16];
                let mut request = Vec::new();
                while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                    request.extend_from_slice(&buffer[..read]);
                    if !request.ends_with(b"\"}]}") {
                        continue;
                    }
                    request.clear();
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
                    let event = "11\r\nevent: ping\ndata\n\r\n";
                    for part in [head, event, event, "0\r\n\r\n"] {
                        if stream.write_all(part.as_bytes()).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    address
}
