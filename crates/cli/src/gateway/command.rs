//! The command that the proxy runs: `aside proxy -- agent --flag`.
//!
//! The proxy binds first, to put its address in the command's variables, and
//! ends when the command ends. A Ctrl-C in the terminal reaches the command
//! itself, to decide what to do. Without a command, the proxy prints the
//! variables and runs until a signal.

use std::ffi::OsString;
use std::future::{Future, poll_fn};
use std::process::ExitStatus;
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context, anyhow};
use aside_gateway::proxy::{Event, Proxy, ProxyOptions, Summary};
use aside_host::terminate;
use serde_json::json;
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{bind_failure, hints};
use crate::Failure;
use crate::count::fail_on;
use crate::{interrupt, output};

/// How long the command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How to print lines on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `aside: proxy: …`, one line per request.
    Text,
    /// One JSON object per line, whatever `--diagnostics` says.
    Json,
}

/// Runs the command until it ends or, without one, until a signal.
///
/// # Errors
/// A denied finding fails with exit code 1 and takes precedence over the
/// command's exit code. When a command fails, or a signal kills it, this
/// program ends with the same code.
pub(crate) async fn run(
    options: ProxyOptions,
    command: &[OsString],
    form: Form,
) -> Result<(), Failure> {
    let on_event = move |event: &Event| match form {
        Form::Text => output::progress("proxy", &event.to_string()),
        Form::Json => output::json_line(event),
    };
    let proxy = Proxy::bind(options, Box::new(on_event)).await.map_err(bind_failure)?;
    let Some((program, arguments)) = command.split_first() else {
        for (name, value) in proxy.variables() {
            output::print([format!("{name}={value}\n").as_bytes()])?;
        }
        let summary = proxy.run(interrupt::signalled()).await;
        return conclude(&summary.context("failed to serve")?, form);
    };
    let mut child = Command::new(program);
    child.args(arguments).envs(proxy.variables()).kill_on_drop(true);
    // Listen for signals before it starts: they are for it, too.
    let mut terminated = Box::pin(interrupt::terminated());
    poll_fn(|context| {
        let _ = terminated.as_mut().poll(context);
        Poll::Ready(())
    })
    .await;
    let started = child.spawn();
    let named = || format!("failed to run {}", program.display());
    let mut child = started.with_context(named)?;
    let (ended, stop) = oneshot::channel();
    let serve = proxy.run(async {
        let _ = stop.await;
    });
    let wait = async move {
        // The terminal sends an interrupt to the command, too: let it decide.
        let status = tokio::select! {
            status = child.wait() => status,
            () = terminated => {
                // It may have something to save.
                if let Some(id) = child.id() {
                    terminate(id);
                }
                match timeout(GRACE, child.wait()).await {
                    Ok(status) => status,
                    Err(_) => {
                        child.start_kill()?;
                        child.wait().await
                    }
                }
            }
        };
        let _ = ended.send(());
        status
    };
    let (summary, status) = tokio::join!(serve, wait);
    let summary = summary.context("failed to serve")?;
    let arrived = summary.requests + summary.refused + summary.unrecorded;
    if arrived == 0 && form == Form::Text {
        output::progress("hint", &hints::without_requests(program));
    }
    let concluded = conclude(&summary, form);
    let status = status.with_context(named)?;
    match code(status) {
        _ if concluded.is_err() => concluded,
        0 => Ok(()),
        code => Err(Failure::new(code, anyhow!("the command ended with {status}"))),
    }
}

/// Prints the summary: denied findings, records that could not be written, and
/// the totals. A denied finding is a failure.
fn conclude(summary: &Summary, form: Form) -> Result<(), Failure> {
    if form == Form::Json {
        output::json_line(&json!({ "summary": summary }));
    } else {
        for fault in &summary.faults {
            output::progress("warning", fault);
        }
        for finding in &summary.findings {
            output::progress("denied", &crate::cache::finding(finding));
        }
        output::progress("proxy", &summary.to_string());
    }
    fail_on(summary.denied, "denied finding", "denied findings")
}

/// Returns the command's exit code, as a shell does: 128 plus the number of the
/// signal that ended it, and 1 for anything that is not a byte.
#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;

    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Returns the command's exit code; 1 for anything that is not a byte.
#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    let code = status.code();
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
