//! What the arguments of a session say to commands that make no request.

use aside_claudemd::Loader;
use aside_session::SessionConfig;

use crate::Failure;
use crate::arguments::CommonArgs;
use crate::request;
use crate::session::Invocation;

/// Looks at all of them: what is wrong is wrong for every command.
pub(crate) fn look(arguments: &CommonArgs) -> Result<Invocation, Failure> {
    let here = Invocation::look(&arguments.session)?;
    let (cwd, platform) = (here.command_line.cwd.clone(), here.host.platform.clone());
    let memory = Loader::new(here.host.dirs());
    // Of a session that nobody opens.
    let mut config = SessionConfig::new(cwd, platform, memory, here.host.today);
    request::fill(&mut config, &arguments.request)?;
    Ok(here)
}
