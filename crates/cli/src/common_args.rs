//! The arguments of a session, for commands that make no request.
//!
//! Those commands accept all arguments of a session, so that one list of arguments fits
//! every command; those without effect are checked all the same.

use aside_claudemd::Loader;
use aside_session::SessionConfig;

use crate::Failure;
use crate::arguments::CommonArgs;
use crate::request;
use crate::session::Invocation;

/// Checks all of them: an invalid argument is a usage error for every command. The
/// configuration that they are checked with is dropped.
pub(crate) fn check(arguments: &CommonArgs) -> Result<Invocation, Failure> {
    let invocation = Invocation::look(&arguments.session)?;
    let (cwd, platform) = (
        invocation.command_line.cwd.clone(),
        invocation.host.platform.clone(),
    );
    let memory = Loader::new(invocation.host.dirs());
    // The configuration of a session that is never opened.
    let mut config = SessionConfig::new(cwd, platform, memory, invocation.host.today);
    request::fill(&mut config, &arguments.request)?;
    Ok(invocation)
}
