//! Runs futures to completion, or ends them when a signal arrives.
//!
//! | function | a signal |
//! |---|---|
//! | `block_on` | ends the command with 128 and the number of the signal |
//! | `serve` | is left to the server, which waits for `signalled` or `terminated` |
//!
//! The whole process shares one single-threaded runtime; a server has its own,
//! with several threads.

#[cfg(feature = "network")]
mod server;

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::OnceLock;

use anyhow::{Context, anyhow};
use tokio::runtime::{Builder, Runtime};

use crate::Failure;

#[cfg(feature = "network")]
pub(crate) use server::{serve, signalled, terminated};

/// Runs a future that may start processes. They have their own process groups,
/// which a Ctrl-C in the terminal does not reach. So when a signal ends this
/// program, it first drops the future, to end the processes.
///
/// # Errors
/// Fails with exit code 1 when the runtime cannot be created, and with 129, 130
/// or 143 for a signal.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    // Moved here once: it is large, and each block around it would move it again.
    let future = pin!(future);
    let result = runtime().context("failed to start")?.block_on(async {
        tokio::select! {
            // First, to listen for signals before anything is started.
            biased;
            signal = ending_signal() => Err(signal),
            result = future => Ok(result),
        }
    });
    result.map_err(|signal| Failure::new(128 + signal, anyhow!("ended by a signal")))
}

/// Returns this process's runtime. It is never dropped: when the process ends,
/// a thread may still be reading a file.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();

    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    has_descriptors()?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| runtime))
}

/// Checks that enough files can be opened to create a runtime, which panics
/// when it cannot listen for signals.
#[cfg(unix)]
fn has_descriptors() -> io::Result<()> {
    use std::os::unix::net::UnixStream;

    let _six = (UnixStream::pair()?, UnixStream::pair()?, UnixStream::pair()?);
    Ok(())
}

#[cfg(not(unix))]
fn has_descriptors() -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
async fn ending_signal() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};

    let wait = |kind: SignalKind, number| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
                number
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        number = wait(SignalKind::hangup(), 1) => number,
        number = wait(SignalKind::interrupt(), 2) => number,
        number = wait(SignalKind::terminate(), 15) => number,
    }
}

#[cfg(not(unix))]
async fn ending_signal() -> u8 {
    match tokio::signal::ctrl_c().await {
        Ok(()) => 2,
        Err(_) => std::future::pending().await,
    }
}
