//! `aside cache`: how requests in a log use the prompt cache, and where to put
//! markers in a body.
//!
//! | command | output | exit code 1 |
//! |---|---|---|
//! | `explain LOG` | the tokens that each request reads and writes; the misses | (1) |
//! | `simulate LOG` | the cost of the same requests with other markers | (1) |
//! | `lint LOG` | wasteful uses of the cache | (1), or a denied finding |
//! | `plan BODY` | the body with the markers of Aside | no plan is possible |
//!
//! (1) The log has faults and no readable request.
//!
//! `crate::logs` reads the logs, and `aside-cache-model` decides the verdicts.
//! `diff`, `context` and `gateway` use the functions exported here to print a
//! difference or a finding.

mod explain;
mod figures;
mod lint;
mod plan;
mod simulate;
mod summary;

use crate::Failure;
use crate::arguments::{Cache, CacheCommand};

pub(crate) use lint::line as finding;

/// Runs one of the four subcommands. When a file cannot be opened, this is a
/// usage error with exit code 2.
pub(crate) fn run(arguments: &Cache) -> Result<(), Failure> {
    match &arguments.command {
        CacheCommand::Explain(arguments) => explain::run(arguments),
        CacheCommand::Simulate(arguments) => simulate::run(arguments),
        CacheCommand::Lint(arguments) => lint::run(arguments),
        CacheCommand::Plan(arguments) => plan::run(arguments),
    }
}
