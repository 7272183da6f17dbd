//! `aside cache`: the use of the prompt cache by the requests of a log, and the markers
//! of a body.
//!
//! | command | output | exit code 1 |
//! |---|---|---|
//! | `explain LOG` | the tokens that each request reads and writes; the misses | (1) |
//! | `simulate LOG` | the cost of the same requests with other markers | (1) |
//! | `lint LOG` | wasteful uses of the cache | (1), or a denied finding |
//! | `plan BODY` | the body with the markers of Aside | no plan is possible |
//!
//! (1) The log has faults and no request that can be read.
//!
//! `crate::logs` reads the logs for all of them; the verdicts are those of
//! `aside-cache-model`. `diff`, `context` and `gateway` use what is exported here: the text
//! of a difference or finding.

mod explain;
mod figures;
mod lint;
mod plan;
mod simulate;
mod summary;

use crate::Failure;
use crate::arguments::{Cache, CacheCommand};

#[cfg(feature = "network")]
pub(crate) use lint::line as finding;

/// Runs one of the four subcommands. A file that cannot be opened is a usage error with
/// exit code 2.
pub(crate) fn run(arguments: &Cache) -> Result<(), Failure> {
    match &arguments.command {
        CacheCommand::Explain(arguments) => explain::run(arguments),
        CacheCommand::Simulate(arguments) => simulate::run(arguments),
        CacheCommand::Lint(arguments) => lint::run(arguments),
        CacheCommand::Plan(arguments) => plan::run(arguments),
    }
}
