//! The arguments of a session, for commands that make no request.

use aside_claudemd::Loader;
use aside_session::SessionConfig;

use crate::Failure;
use crate::arguments::CommonArgs;
use crate::request;
use crate::session::Invocation;

/// Checks all of them: an invalid argument is an error for every command.
pub(crate) fn look(arguments: &CommonArgs) -> Result<Invocation, Failure> {
    let here = Invocation::look(&arguments.session)?;
    let (cwd, platform) = (here.command_line.cwd.clone(), here.host.platform.clone());
    let memory = Loader::new(here.host.dirs());
    // The configuration of a session that is never opened.
    let mut config = SessionConfig::new(cwd, platform, memory, here.host.today);
    request::fill(&mut config, &arguments.request)?;
    Ok(here)
}
