//! The signals of `aside proxy` and `aside serve`, which end in order: what was
//! recorded is written first.

use std::future::Future;

use anyhow::Context;

use super::{ending_signal, runtime};
use crate::Failure;

/// The number of the signal of Ctrl-C.
const INTERRUPT: u8 = 2;

/// Runs a server, which handles signals itself.
pub(crate) fn serve<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    Ok(runtime().context("failed to start")?.block_on(future))
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
