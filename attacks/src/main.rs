//! The program behind `cargo xtask attack`, which builds the command under
//! attack and passes its path:
//!
//! ```text
//! aside-attacks PROGRAM [--short] [NAME]
//! aside-attacks PROGRAM fuzz [--seconds N]
//! ```
//!
//! It reports on stderr. Its exit code is 0 if every attack held, and 1 for a
//! finding or an error. Links, sockets and terminals are Unix ones, so
//! elsewhere there is nothing to run.

#[cfg(unix)]
mod attack;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    attack::main()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
