//! Upstreams of raw bytes.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server that keeps the bytes of each request.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Upstream {
    /// Responds to every request with these bytes, and closes the connection.
    pub(crate) async fn answering(response: &'static str) -> Self {
        Self::running(vec![(Duration::ZERO, response.as_bytes().to_vec())]).await
    }

    /// Responds to every request with these parts, each after a pause.
    pub(crate) async fn running(parts: Vec<(Duration, Vec<u8>)>) -> Self {
        Self::with(move |_| parts.clone()).await
    }

    /// Responds to each request with the parts that `respond` returns for its
    /// bytes.
    pub(crate) async fn with(
        parts: impl Fn(&[u8]) -> Vec<(Duration, Vec<u8>)> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
        let kept = seen.clone();
        let parts = Arc::new(parts);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (kept, parts) = (kept.clone(), parts.clone());
                tokio::spawn(async move {
                    let request = read(&mut stream).await;
                    let parts = parts(&request);
                    kept.lock().unwrap().push(request);
                    for (pause, part) in parts {
                        tokio::time::sleep(pause).await;
                        if stream.write_all(&part).await.is_err() {
                            break;
                        }
                        let _ = stream.flush().await;
                    }
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, seen }
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// The bytes of the last request.
    pub(crate) fn last(&self) -> Vec<u8> {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

/// Reads a request with the length in its header.
pub(crate) async fn read(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut chunk = [0; 1 << 16];
    let mut end = None;
    while end.is_none_or(|end| request.len() < end) {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
        if end.is_some() {
            continue;
        }
        if let Some(head) = request.windows(4).position(|it| it == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
            let length: usize = text
                .split("content-length: ")
                .nth(1)
                .and_then(|it| it.split("\r\n").next())
                .and_then(|it| it.parse().ok())
                .unwrap_or(0);
            end = Some(head + 4 + length);
        }
    }
    request
}
