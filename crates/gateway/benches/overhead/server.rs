//! A server in its own process, so that its CPU time is its own.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use aside_gateway::proxy::{Markers, Proxy, ProxyOptions, Upstreams};
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use axum::serve::ListenerExt;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};

const KIND: &str = "ASIDE_BENCH_SERVER";
const UPSTREAM: &str = "ASIDE_BENCH_UPSTREAM";
const RECORDS: &str = "ASIDE_BENCH_RECORDS";

/// What a server does with requests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Copies a connection's bytes.
    Copy,
    /// Reads a request, sends it on and passes on the response, with the libraries of the proxy:
    /// the least that it can cost.
    Bare,
    /// The proxy: reads usage, and predicts hits and misses.
    Proxy,
    /// The proxy, which also records.
    Record,
    /// The proxy, which also records and places markers.
    Place,
}

impl Kind {
    /// The copy comes first: the others are compared with it.
    pub(crate) const ALL: [Self; 5] =
        [Self::Copy, Self::Bare, Self::Proxy, Self::Record, Self::Place];

    /// Returns the kind of server that this process was started as.
    pub(crate) fn of_this_process() -> Option<Self> {
        let name = std::env::var(KIND).ok()?;
        Self::ALL.into_iter().find(|kind| format!("{kind:?}") == name)
    }
}

pub(crate) struct Server {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// Has its records, and is removed after it ended.
    _folder: TempDir,
}

/// What a server uses of the machine.
pub(crate) struct Figures {
    /// User and system.
    pub(crate) cpu_time: Duration,
    /// How much memory was in use at most.
    pub(crate) peak_kib: u64,
}

impl Server {
    pub(crate) fn start(kind: Kind, upstream: SocketAddr) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .env(RECORDS, folder.path().join("records"))
            .env(KIND, format!("{kind:?}"))
            .env(UPSTREAM, upstream.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            address: line.trim().parse().unwrap(),
            child,
            stdout,
            _folder: folder,
        }
    }

    pub(crate) fn figures(&mut self) -> Figures {
        self.stdin.write_all(b"\n").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let (nanos, peak) = line.trim().split_once(' ').unwrap();
        Figures {
            cpu_time: Duration::from_nanos(nanos.parse().unwrap()),
            peak_kib: peak.parse().unwrap(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs this process as a server: prints its address, and what it used for each
/// line on stdin.
pub(crate) fn run(kind: Kind) {
    let upstream: SocketAddr = std::env::var(UPSTREAM).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
    let address = runtime.block_on(async {
        match kind {
            Kind::Copy => return copy(upstream).await,
            Kind::Bare => return bare(upstream).await,
            _ => {}
        }
        let mut options = ProxyOptions::default();
        let upstreams = format!("messages=http://{upstream}");
        options.upstreams = Upstreams::from_arguments([&*upstreams]).unwrap();
        if matches!(kind, Kind::Record | Kind::Place) {
            options.record = std::env::var_os(RECORDS).map(Into::into);
        }
        if matches!(kind, Kind::Place) {
            options.markers = Markers::Aside;
        }
        let proxy = Proxy::bind(options, Box::new(|_| {})).await.unwrap();
        let address = proxy.address();
        tokio::spawn(proxy.run(std::future::pending()));
        address
    });
    println!("{address}");
    for _ in std::io::stdin().lines() {
        println!("{} {}", cpu_time().as_nanos(), peak_kib());
    }
}

/// In steps of 10 ms.
fn cpu_time() -> Duration {
    let line = std::fs::read_to_string("/proc/self/stat").unwrap();
    // After the name in brackets: user and system time are the 12th and 13th.
    let fields = line.rsplit(')').next().unwrap().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).map(|it| it.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 10)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let digits = line.and_then(|it| it.split_whitespace().next());
    digits.unwrap().parse().unwrap()
}

async fn copy(upstream: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut server = TcpStream::connect(upstream).await.unwrap();
                let _ = client.set_nodelay(true);
                let _ = server.set_nodelay(true);
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    address
}

async fn bare(upstream: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let client = crate::client();
    let forward = async move |request: Request| {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let url = format!("http://{upstream}{}", parts.uri.path());
        let sent = client.request(parts.method, url).headers(parts.headers).body(body);
        let response = sent.send().await.unwrap();
        Response::new(Body::from_stream(response.bytes_stream()))
    };
    let app = axum::Router::new().fallback(forward);
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}
