//! What the arguments of a session say to commands that make no request.

use aside_agent::{Diagnostic, SessionConfig};
use aside_host::Host;

use crate::Failure;
use crate::arguments::Everywhere;
use crate::request;
use crate::session;

/// A session as the arguments want it. All of them are looked at: what is wrong
/// is wrong for every command.
///
/// What is wrong with the settings is added to `faults`.
pub(crate) fn config(
    arguments: &Everywhere,
    host: &Host,
    faults: &mut Vec<Diagnostic>,
) -> Result<SessionConfig, Failure> {
    let mut config = session::config(&arguments.session, host, faults)?;
    request::fill(&mut config, &arguments.request)?;
    Ok(config)
}

/// The same where nothing of it is needed.
pub(crate) fn check(arguments: &Everywhere, host: &Host) -> Result<(), Failure> {
    config(arguments, host, &mut Vec::new()).map(drop)
}
