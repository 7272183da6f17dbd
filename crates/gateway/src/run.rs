//! Runs a server until it is stopped.
//!
//! Both servers end in the same way: they stop accepting connections, and a
//! stream that is still open has two seconds to finish.

use std::future::{Future, IntoFuture};
use std::io;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The time that open responses have after the server was stopped.
const GRACE: Duration = Duration::from_secs(2);

/// What ends a server. Boxed, so that the server is compiled once and not by
/// each caller.
pub(crate) type Shutdown = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves until `shutdown` is ready. Responses that are then still open end
/// after a grace period.
pub(crate) async fn until(
    listener: TcpListener,
    app: Router,
    shutdown: Shutdown,
) -> io::Result<()> {
    let listener = listener.tap_io(|stream| {
        // Small events are sent at once.
        let _ = stream.set_nodelay(true);
    });
    let (stopping, stopped) = oneshot::channel();
    let serve = axum::serve(listener, app).with_graceful_shutdown(async move {
        shutdown.await;
        let _ = stopping.send(());
    });
    let late = async {
        match stopped.await {
            Ok(()) => tokio::time::sleep(GRACE).await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        served = serve.into_future() => served,
        () = late => Ok(()),
    }
}
