//! `aside cache`: the use of the prompt cache by the requests of a log.

mod explain;
mod lint;
mod log;
mod plan;
mod simulate;
mod summary;
mod text;

use crate::Failure;
use crate::arguments::{Cache, CacheCommand};

#[cfg(feature = "network")]
pub(crate) use lint::line as finding;
pub(crate) use log::{Caches, Item, Logged, each_of, rules_of};
pub(crate) use text::{difference_lines, since};

pub(crate) fn run(arguments: &Cache) -> Result<(), Failure> {
    match &arguments.command {
        CacheCommand::Explain(arguments) => explain::run(arguments),
        CacheCommand::Simulate(arguments) => simulate::run(arguments),
        CacheCommand::Lint(arguments) => lint::run(arguments),
        CacheCommand::Plan(arguments) => plan::run(arguments),
    }
}
