//! A runtime for one test.

use tokio::runtime::{Builder, Runtime};

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    runtime().block_on(future)
}
