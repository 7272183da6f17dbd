//! What the proxy costs.
//!
//! `cargo bench -p aside-gateway` prints these; `-- placing`, `-- added` and `-- throughput` each
//! print one of the first three:
//!
//! - the time to place markers in a request with 100 kB, 1 MB and 5 MB, the next of its session, which
//!   adds 2 kB each time: the first grows to 220 kB;
//! - what the copy, the bare forwarder, the proxy, the one that records and the one that also places markers add to the
//!   first byte of requests with 100 kB, 1 MB and 5 MB, each the next of its session, against a
//!   direct connection to an upstream that responds at once;
//! - how many of these requests, with 200 kB, go through on 8 connections at once, against direct
//!   connections. Client, upstream and proxy share the machine;
//! - the time to a response's first byte through the proxy, against a direct
//!   connection to an upstream that responds after 20 ms: the ratio is at most
//!   1.2;
//! - the CPU time, user and system, that a process needs for one request: one
//!   that only copies the connection's bytes, one that only forwards requests with
//!   the same HTTP libraries, and the proxy without a record,
//!   with one, and with planned markers. A request has about 200 kB, and is its
//!   session's next; its response is a stream with 100 events. Connections stay
//!   open. Since these are CPU times, other programs on the machine change them
//!   little;
//! - the memory peak after 400 requests and after 1,400, each in its own
//!   session, 32 at a time: the proxy keeps the newest body of 256
//!   conversations, so later requests add next to nothing. After every 100
//!   requests the proxy gets time to record them: those that wait for this (at
//!   most 256 MB) are not measured.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails on the spot")]

#[path = "overhead/server.rs"]
mod server;
#[path = "overhead/upstream.rs"]
mod upstream;

use std::net::SocketAddr;
use std::ops::Range;
use std::time::{Duration, Instant};

use std::hint::black_box;

use aside_gateway::place::Placer;
use bytes::Bytes;
use futures_util::StreamExt;
use server::{Kind, Server};

const ROUNDS: usize = 100;
const CPU_ROUNDS: usize = 500;
/// How many requests each size has, and how many go through on all connections.
const SIZE_ROUNDS: usize = 60;
const THROUGHPUT_ROUNDS: usize = 1_200;
const CONNECTIONS: usize = 8;
/// How many messages a request has, and how many bytes each: a session in its
/// middle.
const MESSAGES: usize = 40;
const MESSAGE_BYTES: usize = 5_000;
/// How many bytes each of the two messages has that a session adds in a turn.
const ADDED_BYTES: usize = 1_000;
const MAX_RATIO: f64 = 1.2;
/// How many requests fill the proxy's memory, and how many follow.
const FIRST_REQUESTS: usize = 400;
const MORE_REQUESTS: usize = 1_000;
const AT_A_TIME: usize = 32;
/// After how many requests the proxy records what waits.
const GROUP: usize = 100;
/// How much later requests may add for each body that is kept, in KiB. With
/// planned markers there are two: as sent and as placed.
const MAX_GROWTH_KIB: u64 = 32 << 10;

fn main() {
    if let Some(kind) = Kind::of_this_process() {
        return server::run(kind);
    }
    let has = |name: &str| std::env::args().any(|it| it == name);
    let is_one = ["placing", "added", "throughput"].into_iter().any(has);
    let runs = |name: &str| !is_one || has(name);
    if runs("placing") {
        placing();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        if runs("added") {
            added().await;
        }
        if runs("throughput") {
            throughput().await;
        }
        if !is_one {
            first_bytes().await;
            cpu_times().await;
            memory().await;
        }
    });
}

async fn first_bytes() {
    let upstream = upstream::start(Duration::from_millis(20)).await;
    let proxy = Server::start(Kind::Record, upstream);
    let client = client();
    let (mut direct, mut proxied) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        direct.push(first_byte(&client, upstream, round).await);
        proxied.push(first_byte(&client, proxy.address, round).await);
    }
    let (direct, proxied) = (median(direct), median(proxied));
    let ratio = proxied.as_secs_f64() / direct.as_secs_f64();
    let added = proxied.saturating_sub(direct).as_micros();
    println!("first byte: direct {direct:?}, through the proxy {proxied:?}");
    println!("ratio {ratio:.3} (at most {MAX_RATIO}), {added} µs added");
    assert!(ratio <= MAX_RATIO, "the proxy holds responses back");
}

async fn added() {
    let upstream = upstream::start(Duration::ZERO).await;
    let client = client();
    for messages in [20, 200, 1_000] {
        for kind in Kind::ALL {
            let server = Server::start(kind, upstream);
            let (mut direct, mut through) = (Vec::new(), Vec::new());
            for round in 0..SIZE_ROUNDS {
                let body = || body_of((messages, 2 * round), 0, round);
                direct.push(exchange(&client, upstream, body()).await);
                through.push(exchange(&client, server.address, body()).await);
            }
            // The first requests open connections.
            let at = |times: &[Duration], part: usize| {
                let mut times = times[5..].to_vec();
                times.sort();
                times[times.len() * part / 10]
            };
            let added = |part| at(&through, part).saturating_sub(at(&direct, part));
            println!(
                "added to the first byte of {} kB, {:?}: {:?}, 90th percentile {:?}; direct {:?}",
                messages * MESSAGE_BYTES / 1_000,
                kind,
                added(5),
                added(9),
                at(&direct, 5)
            );
        }
    }
}

/// Prints what of that is the placement itself.
fn placing() {
    for messages in [20, 200, 1_000] {
        let placer = Placer::default();
        let mut times = Vec::new();
        for round in 0..SIZE_ROUNDS {
            let body = Bytes::from(body_of((messages, 2 * round), 0, round));
            let at = Duration::from_secs(round as u64);
            let start = Instant::now();
            black_box(placer.place(&body, at).placed.is_ok());
            times.push(start.elapsed());
        }
        let kilobytes = messages * MESSAGE_BYTES / 1_000;
        println!("placing in {kilobytes} kB: {:?}", median(times));
    }
}

async fn throughput() {
    let upstream = upstream::start(Duration::ZERO).await;
    let client = client();
    let mut direct = None;
    for kind in Kind::ALL {
        let server = Server::start(kind, upstream);
        let address = if matches!(kind, Kind::Copy) { upstream } else { server.address };
        let time = async |rounds: Range<usize>| {
            let start = Instant::now();
            let sent = futures_util::stream::iter(rounds)
                .map(|round| exchange(&client, address, body(round % CONNECTIONS, round)));
            { sent }.buffer_unordered(CONNECTIONS).count().await;
            start.elapsed()
        };
        time(0..CONNECTIONS * 4).await;
        let time = time(0..THROUGHPUT_ROUNDS).await.as_secs_f64();
        let direct = *direct.get_or_insert(time);
        let name = if matches!(kind, Kind::Copy) { "direct".into() } else { format!("{kind:?}") };
        let each_second = THROUGHPUT_ROUNDS as f64 / time;
        println!(
            "{CONNECTIONS} connections, {name}: {each_second:.0} requests a second, {:.2} of direct",
            direct / time
        );
    }
}

async fn cpu_times() {
    let upstream = upstream::start(Duration::ZERO).await;
    let client = client();
    let mut copied = None;
    for kind in Kind::ALL {
        let mut server = Server::start(kind, upstream);
        // The first requests open connections and fill caches.
        for round in 0..20 {
            first_byte(&client, server.address, round).await;
        }
        let before = server.figures().cpu_time;
        for round in 20..20 + CPU_ROUNDS {
            first_byte(&client, server.address, round).await;
        }
        let each = (server.figures().cpu_time - before) / u32::try_from(CPU_ROUNDS).unwrap();
        let copy = *copied.get_or_insert(each);
        let ratio = each.as_secs_f64() / copy.as_secs_f64();
        println!("CPU of one request: {kind:?} {each:?}, {ratio:.1} times a copy");
    }
}

async fn memory() {
    let upstream = upstream::start(Duration::ZERO).await;
    let client = client();
    for kind in [Kind::Proxy, Kind::Record, Kind::Place] {
        let mut server = Server::start(kind, upstream);
        let address = server.address;
        let send = async |sessions: Range<usize>, server: &mut Server| {
            for start in sessions.clone().step_by(GROUP) {
                let group = start..sessions.end.min(start + GROUP);
                let sent = futures_util::stream::iter(group)
                    .map(|session| exchange(&client, address, body(session, 0)));
                sent.buffer_unordered(AT_A_TIME).collect::<Vec<_>>().await;
                settle(server).await;
            }
        };
        let all = FIRST_REQUESTS + MORE_REQUESTS;
        send(0..FIRST_REQUESTS, &mut server).await;
        let before = server.figures().peak_kib;
        send(FIRST_REQUESTS..all, &mut server).await;
        let after = server.figures().peak_kib;
        println!(
            "memory: {kind:?} {} MiB after {FIRST_REQUESTS} sessions, {} MiB after {all}",
            before >> 10,
            after >> 10
        );
        let bodies = if matches!(kind, Kind::Place) { 2 } else { 1 };
        assert!(
            after.saturating_sub(before) <= bodies * MAX_GROWTH_KIB,
            "memory grows with sessions"
        );
    }
}

/// Waits until the server is idle.
async fn settle(server: &mut Server) {
    let mut before = server.figures().cpu_time;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = server.figures().cpu_time;
        if now == before {
            return;
        }
        before = now;
    }
}

fn client() -> reqwest::Client {
    // A cryptography provider that was already installed stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Sends a request in the only session, and returns how long its response takes
/// to begin.
async fn first_byte(client: &reqwest::Client, address: SocketAddr, round: usize) -> Duration {
    exchange(client, address, body(0, round)).await
}

async fn exchange(client: &reqwest::Client, address: SocketAddr, body: String) -> Duration {
    let request = client
        .post(format!("http://{address}/v1/messages"))
        .header("content-type", "application/json")
        .header("anthropic-version", "2023-06-01")
        .body(body);
    let start = Instant::now();
    let mut chunks = request.send().await.unwrap().bytes_stream();
    chunks.next().await.unwrap().unwrap();
    let time = start.elapsed();
    while chunks.next().await.is_some() {}
    time
}

/// Returns a request's body: a session's messages, and a last one.
fn body(session: usize, round: usize) -> String {
    body_of((MESSAGES, 0), session, round)
}

/// Returns a body with `first` long messages, and `more` shorter ones after them.
fn body_of((first, more): (usize, usize), session: usize, round: usize) -> String {
    let text = |number: usize| {
        let bytes = if number < first { MESSAGE_BYTES } else { ADDED_BYTES };
        let words = format!("word{session}-{number} ");
        words.repeat(bytes / words.len())
    };
    let messages = (0..first + more).map(|number| {
        let role = ["user", "assistant"][number % 2];
        let text = text(number);
        format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}},"#)
    });
    let messages: String = messages.collect();
    format!(
        r#"{{"model":"claude-opus-5","max_tokens":9,"stream":true,"messages":[{messages}{{"role":"user","content":[{{"type":"text","text":"Turn {round}."}}]}}]}}"#
    )
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
