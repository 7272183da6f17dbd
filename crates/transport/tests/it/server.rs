//! A server with one scripted act per connection.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What to do on a connection.
#[derive(Clone)]
pub(crate) struct Act {
    pieces: Option<Vec<Vec<u8>>>,
    kind: &'static str,
    gap: Duration,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum End {
    Close,
    Hang,
    PrefixReset,
}

impl Act {
    pub(crate) fn stream(pieces: &[&str]) -> Self {
        Self::bytes(
            "text/event-stream",
            pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect(),
        )
    }

    pub(crate) fn bytes(kind: &'static str, pieces: Vec<Vec<u8>>) -> Self {
        Self { pieces: Some(pieces), kind, gap: Duration::ZERO, end: End::Close }
    }

    pub(crate) fn hang() -> Self {
        Self { pieces: None, kind: "", gap: Duration::ZERO, end: End::Hang }
    }

    pub(crate) fn reset() -> Self {
        Self { pieces: None, kind: "", gap: Duration::ZERO, end: End::PrefixReset }
    }

    pub(crate) fn then_hang(self) -> Self {
        Self { end: End::Hang, ..self }
    }

    pub(crate) fn then_reset(self) -> Self {
        Self { end: End::PrefixReset, ..self }
    }

    pub(crate) fn slowly(self, gap: Duration) -> Self {
        Self { gap, ..self }
    }
}

#[derive(Default)]
struct Seen {
    requests: Vec<String>,
    closed: usize,
}

pub(crate) struct Server {
    port: u16,
    seen: Arc<Mutex<Seen>>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server that does these things, one per connection.
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            for act in acts {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, act, Arc::clone(&shared)));
            }
            // The port remains in use without further responses.
            std::future::pending::<()>().await;
        });
        Self { port, seen, task }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().requests.clone()
    }

    /// Waits until this many requests have come.
    pub(crate) async fn asked(&self, count: usize) {
        while self.requests().len() < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits until clients have closed this many connections.
    pub(crate) async fn closed(&self, count: usize) {
        while self.seen.lock().unwrap().closed < count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

async fn serve(mut stream: TcpStream, act: Act, seen: Arc<Mutex<Seen>>) {
    let request = read_request(&mut stream).await;
    seen.lock().unwrap().requests.push(request);
    if let Some(pieces) = &act.pieces {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\n\r\n",
            act.kind
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        for piece in pieces {
            let size = format!("{:x}\r\n", piece.len());
            let frame = [size.as_bytes(), piece, b"\r\n"].concat();
            if stream.write_all(&frame).await.is_err() {
                break;
            }
            tokio::time::sleep(act.gap).await;
        }
    }
    match act.end {
        End::Close => {
            let _ = stream.write_all(b"0\r\n\r\n").await;
        }
        End::Hang => {
            // Until the client goes away.
            let _ = stream.read(&mut [0; 1]).await;
            seen.lock().unwrap().closed += 1;
        }
        End::PrefixReset => {
            // Gives the written bytes time to arrive before the reset.
            tokio::time::sleep(Duration::from_millis(20)).await;
            stream.set_zero_linger().unwrap();
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return text;
            }
        }
        let length = stream.read(&mut buffer).await.unwrap();
        if length == 0 {
            return text;
        }
        bytes.extend_from_slice(&buffer[..length]);
    }
}
