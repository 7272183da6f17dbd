//! What the arguments of a session say to commands that make no request.

use aside_agent::SessionConfig;
use aside_claudemd::Loader;

use crate::Failure;
use crate::arguments::Everywhere;
use crate::request;
use crate::session::Here;

/// Looks at all of them: what is wrong is wrong for every command.
pub(crate) fn look(arguments: &Everywhere) -> Result<Here, Failure> {
    let here = Here::look(&arguments.session)?;
    let (cwd, platform) = (here.command_line.cwd.clone(), here.host.platform.clone());
    let memory = Loader::new(here.host.dirs());
    // Of a session that nobody opens.
    let mut config = SessionConfig::new(cwd, platform, memory, here.host.today);
    request::fill(&mut config, &arguments.request)?;
    Ok(here)
}
