//! Runs a server until it is stopped.
//!
//! Both servers end in the same way: they stop accepting connections, and a stream that is still
//! open has two seconds to finish.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::admission::{HEAD_TIME, MAX_CONNECTIONS, MAX_HEAD_BYTES, MAX_HEADERS};
use crate::repoll::Repoll;

/// How long open responses have after the server was stopped.
const GRACE: Duration = Duration::from_secs(2);

/// When to try again if the system has no descriptor left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(200);

/// How many requests one HTTP/2 connection may have at a time.
const MAX_STREAMS: u32 = 64;

/// What ends a server. Boxed, so that the server is compiled once and not by each caller.
pub(crate) type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves until `shutdown` is ready. Responses that are still open then end after a grace period:
/// what they hold is dropped before this returns.
pub(crate) async fn until(
    listener: TcpListener,
    app: Router,
    mut shutdown: Shutdown,
) -> io::Result<()> {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut shutdown => break,
        };
        // This client may be gone, or the system out of descriptors: others are not.
        let Ok((stream, _)) = accepted else {
            sleep(ACCEPT_AGAIN).await;
            continue;
        };
        let connection = connection(stream, app.clone(), graceful.watcher());
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = sleep(GRACE) => {}
    }
    connections.shutdown().await;
    Ok(())
}

/// Serves one connection. It is closed if no request arrives in time.
async fn connection(stream: TcpStream, app: Router, watcher: Watcher) {
    // Send small events at once.
    let _ = stream.set_nodelay(true);
    let has_request = AtomicBool::new(false);
    let app = TowerToHyperService::new(app);
    let service = service_fn(|request| {
        has_request.store(true, Ordering::Relaxed);
        app.call(request)
    });
    let mut builder = Builder::new(TokioExecutor::new());
    let http1 = &mut builder.http1();
    http1.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD_BYTES);
    http1.max_headers(MAX_HEADERS);
    let head_bytes = u32::try_from(MAX_HEAD_BYTES).unwrap_or(u32::MAX);
    builder.http2().max_header_list_size(head_bytes).max_concurrent_streams(MAX_STREAMS);
    let served = builder.serve_connection(TokioIo::new(stream), service);
    let mut served = Repoll::new(watcher.watch(served));
    tokio::select! {
        _ = &mut served => return,
        () = sleep(HEAD_TIME) => {}
    }
    if has_request.load(Ordering::Relaxed) {
        let _ = served.await;
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    /// Sends bytes and returns the response up to the connection's end, and how long this took.
    async fn sent(address: std::net::SocketAddr, bytes: &str) -> (String, Duration) {
        let begun = Instant::now();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response).await;
        (response, begun.elapsed())
    }

    /// The clock moves on when every task waits.
    #[tokio::test(start_paused = true)]
    async fn connections_without_a_whole_head_are_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().route("/", get(|| async { "served" }));
        tokio::spawn(until(listener, app, Box::pin(std::future::pending())));
        for begin in ["", "P", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nHost: "] {
            let (response, elapsed) = sent(address, begin).await;
            assert!(!response.contains("served"), "{begin:?}: {response}");
            assert!(elapsed <= HEAD_TIME + Duration::from_secs(1), "{begin:?}: {elapsed:?}");
        }
        let whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let (response, elapsed) = sent(address, whole).await;
        assert!(response.ends_with("served"), "{response}");
        assert!(elapsed <= 2 * HEAD_TIME, "{elapsed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_while_all_places_are_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().route("/", get(|| async { "served" }));
        tokio::spawn(until(listener, app, Box::pin(std::future::pending())));
        let mut silent = Vec::new();
        for _ in 0..MAX_CONNECTIONS {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let whole = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        let (response, elapsed) = sent(address, whole).await;
        assert!(response.ends_with("served"), "{response}");
        assert!(elapsed >= HEAD_TIME / 2, "{elapsed:?}");
    }
}
