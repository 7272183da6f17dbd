//! The signals of `aside proxy` and `aside serve`, which end in order: what was
//! recorded is written first.

use std::future::Future;

use anyhow::Context;
use tokio::runtime::Builder;

use super::{ending_signal, has_descriptors};
use crate::Failure;

/// The number of the signal of Ctrl-C.
const INTERRUPT: u8 = 2;

/// Runs a server, which handles signals itself, on as many threads as there are cores.
pub(crate) fn serve<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    has_descriptors().context("failed to start")?;
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("failed to start")?;
    let result = runtime.block_on(future);
    // A connection that is still open is not waited for.
    runtime.shutdown_background();
    Ok(result)
}

/// Waits for a signal that ends a program.
///
/// That is a hangup, an interrupt or a termination; elsewhere than on Unix, Ctrl-C.
pub(crate) async fn signalled() {
    ending_signal().await;
}

/// Waits for a signal that ends a program, an interrupt aside: a terminal sends
/// that to every program in front, and one of the others handles it.
pub(crate) async fn terminated() {
    while ending_signal().await == INTERRUPT {}
}
