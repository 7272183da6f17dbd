//! Session arguments, for commands that make no request.
//!
//! These commands accept every session argument, so that you can pass one list
//! of arguments to any command. Arguments without an effect are still checked.

use aside_claudemd::Loader;
use aside_diagnostic::Diagnostic;
use aside_host::Invocation;
use aside_session::SessionConfig;

use crate::Failure;
use crate::arguments::CommonArgs;
use crate::request;
use crate::session;

/// Checks all of them: an invalid argument is a usage error for every command.
/// This drops the configuration that it builds to check them.
pub(crate) fn check(arguments: &CommonArgs) -> Result<Invocation, Failure> {
    let invocation = session::look(&arguments.session)?;
    let (cwd, platform) = (invocation.command_line.cwd.clone(), invocation.host.platform.clone());
    let memory = Loader::new(invocation.host.dirs());
    // Used to check the arguments; no session is opened.
    let mut config = SessionConfig::new(cwd, platform, memory, invocation.host.today);
    request::fill(&mut config, &arguments.request)?;
    Ok(invocation)
}

/// Builds a session's configuration, for commands that show no reminders: the diagnostics have no
/// faults in them.
pub(crate) fn without_reminders(invocation: &Invocation) -> (SessionConfig, Vec<Diagnostic>) {
    let (config, mut faults) = invocation.session();
    let is_of_reminders =
        |it: &Diagnostic| aside_reminder::DIAGNOSTICS.iter().any(|kind| kind.is(it));
    faults.retain(|it| !is_of_reminders(it));
    (config, faults)
}
