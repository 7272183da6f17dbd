//! Signals for `aside proxy` and `aside serve`, which end in order: they write
//! what was recorded first.

use std::future::Future;

use anyhow::Context;
use tokio::runtime::Builder;

use super::{ending_signal, has_descriptors};
use crate::Failure;

/// The signal number for Ctrl-C.
const INTERRUPT: u8 = 2;

/// Runs a server, which handles signals itself, on one thread per core.
pub(crate) fn serve<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    has_descriptors().context("failed to start")?;
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("failed to start")?;
    let result = runtime.block_on(future);
    // Do not wait for connections that are still open.
    runtime.shutdown_background();
    Ok(result)
}

/// Waits for a signal to end the program.
///
/// On Unix this is a hangup, an interrupt or a termination; elsewhere, Ctrl-C.
pub(crate) async fn signalled() {
    ending_signal().await;
}

/// Waits for a signal to end the program, other than an interrupt: a terminal
/// sends an interrupt to every program in front, and another one handles it.
pub(crate) async fn terminated() {
    while ending_signal().await == INTERRUPT {}
}
