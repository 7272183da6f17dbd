//! Running a command with limits on time and output, in a process group that is
//! killed as a whole.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::FailureReason;

/// How much of stderr to keep.
const MAX_STDERR_BYTES: usize = 4 * 1024;

/// How long to wait for a killed process to end. When the system is stuck, it
/// is reaped later.
const MAX_REAPING_TIME: Duration = Duration::from_millis(500);

/// What a command may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// When to kill the command.
    pub(crate) deadline: Instant,
    /// The time limit behind the deadline, for the diagnostic.
    pub(crate) time: Duration,
    /// The maximum size of stdout, in bytes.
    pub(crate) bytes: usize,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The command exited with 0; this is its stdout.
    Success(Vec<u8>),
    /// The command exited with an error, or another process killed it.
    Failure { code: Option<i32>, stderr: Vec<u8> },
    /// The command wrote more than the limit. This is the start, slightly
    /// longer than the limit.
    Full(Vec<u8>),
}

impl Ended {
    /// Returns the whole output if the command succeeded within the limit.
    ///
    /// # Errors
    ///
    /// The command failed, or wrote more than the limit.
    pub(crate) fn whole(self) -> Result<Vec<u8>, FailureReason> {
        match self {
            Self::Success(output) => Ok(output),
            Self::Failure { code, stderr } => Err(FailureReason::failed(code, &stderr)),
            Self::Full(output) => Err(FailureReason::Flooded { limit: output.len() - 1 }),
        }
    }
}

/// Runs a command in its own process group. None of the group is left when the
/// future completes or is dropped.
///
/// # Errors
///
/// The command could not be started or read, or reached the deadline. An exit
/// with an error is [`Ended::Failure`], not an error.
pub(crate) async fn run(mut command: Command, limits: Limits) -> Result<Ended, FailureReason> {
    command.kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().map_err(|error| FailureReason::not_run(&error))?;
    let mut group = Group(child);
    let ended = match timeout_at(limits.deadline, group.finish(limits.bytes)).await {
        Ok(ended) => ended.map_err(|error| FailureReason::not_run(&error)),
        Err(_) => Err(FailureReason::TimedOut { limit: limits.time }),
    };
    if !matches!(ended, Ok(Ended::Success(_) | Ended::Failure { .. })) {
        group.end().await;
    }
    ended
}

/// Why to stop reading early.
enum Stop {
    Full(Vec<u8>),
    Io(io::Error),
}

/// A child and the processes that it started.
#[derive(Debug)]
struct Group(Child);

impl Group {
    /// Reads the output until the child has exited or has written too much.
    ///
    /// Cancelling this loses the output and leaves the child running; the
    /// caller kills the group.
    async fn finish(&mut self, bytes: usize) -> io::Result<Ended> {
        let stdout = self.0.stdout.take();
        let stderr = self.0.stderr.take();
        let stdout = async {
            let (kept, full) = read(stdout, bytes).await.map_err(Stop::Io)?;
            if full { Err(Stop::Full(kept)) } else { Ok(kept) }
        };
        // A child whose stderr is not read would wait forever.
        let stderr = async { drain(stderr, MAX_STDERR_BYTES).await.map_err(Stop::Io) };
        let exit = async { self.exit().await.map_err(Stop::Io) };
        match tokio::try_join!(stdout, stderr, exit) {
            Ok((stdout, _, status)) if status.success() => Ok(Ended::Success(stdout)),
            Ok((_, stderr, status)) => Ok(Ended::Failure { code: status.code(), stderr }),
            Err(Stop::Full(stdout)) => Ok(Ended::Full(stdout)),
            Err(Stop::Io(error)) => Err(error),
        }
    }

    /// Waits for the child, then kills the rest of its group, which may hold
    /// the pipes open.
    async fn exit(&mut self) -> io::Result<ExitStatus> {
        let id = self.0.id();
        let status = self.0.wait().await?;
        // When the group is empty the id is free by now, but it is not given
        // out again before all others have been.
        kill_group(id);
        Ok(status)
    }

    /// Kills the group and reaps the child, for at most [`MAX_REAPING_TIME`].
    async fn end(&mut self) {
        self.kill();
        // Whether in time or not: dropping the child reaps it too.
        let _ = timeout(MAX_REAPING_TIME, self.0.wait()).await;
    }

    /// Kills the group, unless the child has been waited for. No polite signal
    /// comes first: there are no locks or files to clean up.
    fn kill(&mut self) {
        kill_group(self.0.id());
        // An error means that it has exited.
        let _ = self.0.start_kill();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
fn kill_group(id: Option<u32>) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let id = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(id) = id {
        // An error means that the group is empty.
        let _ = kill_process_group(id, Signal::KILL);
    }
}

/// Other systems have no process groups: only the child is killed.
#[cfg(not(unix))]
fn kill_group(_: Option<u32>) {}

/// Reads to the end, or past `limit`. Returns true if the limit was exceeded.
async fn read(from: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut kept = Vec::new();
    if let Some(from) = from {
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        from.take(most).read_to_end(&mut kept).await?;
    }
    let full = kept.len() > limit;
    Ok((kept, full))
}

/// Reads to the end and keeps the start.
async fn drain(from: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if let Some(mut from) = from {
        (&mut from).take(limit as u64).read_to_end(&mut kept).await?;
        // Usually nothing is written, so nothing is allocated before.
        if kept.len() == limit {
            tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
        }
    }
    Ok(kept)
}
