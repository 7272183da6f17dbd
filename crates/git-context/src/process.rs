use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::time::{Instant, timeout, timeout_at};

use crate::Reason;

/// How much of standard error is kept.
const ERROR_BYTES: usize = 4 * 1024;

/// How long a killed process may take to be gone. Longer only if the system
/// itself is stuck, and then it is reaped later.
const REAPING: Duration = Duration::from_millis(500);

/// What a command may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) deadline: Instant,
    /// The time that led to the deadline.
    pub(crate) time: Duration,
    /// Of standard output.
    pub(crate) bytes: usize,
}

/// How a command came to its end.
#[derive(Debug)]
pub(crate) enum Ended {
    /// It exited with 0.
    Success(Vec<u8>),
    /// It exited with something else, or was killed by somebody else.
    Failure { code: Option<i32>, stderr: Vec<u8> },
    /// It wrote more than allowed. This is the first part, and a bit more than
    /// the limit.
    Full(Vec<u8>),
}

impl Ended {
    /// The output of a command that must succeed and be brief.
    pub(crate) fn whole(self) -> Result<Vec<u8>, Reason> {
        match self {
            Self::Success(output) => Ok(output),
            Self::Failure { code, stderr } => Err(Reason::failed(code, &stderr)),
            Self::Full(output) => Err(Reason::Flooded {
                limit: output.len() - 1,
            }),
        }
    }
}

/// Runs a command in a process group of its own, of which nothing is left when
/// this returns, nor when the caller loses interest.
pub(crate) async fn run(mut command: Command, limits: Limits) -> Result<Ended, Reason> {
    command.kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn().map_err(|error| Reason::not_run(&error))?;
    let mut group = Group(child);
    let ended = timeout_at(limits.deadline, group.finish(limits.bytes)).await;
    match ended {
        Ok(Ok(ended @ (Ended::Success(_) | Ended::Failure { .. }))) => Ok(ended),
        Ok(Ok(ended @ Ended::Full(_))) => {
            group.end().await;
            Ok(ended)
        }
        Ok(Err(error)) => {
            group.end().await;
            Err(Reason::not_run(&error))
        }
        Err(_) => {
            group.end().await;
            Err(Reason::TimedOut { limit: limits.time })
        }
    }
}

/// Why reading stops early.
enum Stop {
    Full(Vec<u8>),
    Io(io::Error),
}

/// A child and the processes that it started.
#[derive(Debug)]
struct Group(Child);

impl Group {
    /// Reads the output until the child has exited or has written too much.
    async fn finish(&mut self, bytes: usize) -> io::Result<Ended> {
        let stdout = self.0.stdout.take();
        let stderr = self.0.stderr.take();
        let stdout = async {
            let (kept, full) = read(stdout, bytes).await.map_err(Stop::Io)?;
            if full {
                Err(Stop::Full(kept))
            } else {
                Ok(kept)
            }
        };
        // A child that cannot write its complaints would wait forever.
        let stderr = async { drain(stderr, ERROR_BYTES).await.map_err(Stop::Io) };
        let exit = async { self.exit().await.map_err(Stop::Io) };
        match tokio::try_join!(stdout, stderr, exit) {
            Ok((stdout, _, status)) if status.success() => Ok(Ended::Success(stdout)),
            Ok((_, stderr, status)) => Ok(Ended::Failure {
                code: status.code(),
                stderr,
            }),
            Err(Stop::Full(stdout)) => Ok(Ended::Full(stdout)),
            Err(Stop::Io(error)) => Err(error),
        }
    }

    /// Waits for the child, then ends what it left behind, which may hold the
    /// pipes open.
    async fn exit(&mut self) -> io::Result<ExitStatus> {
        let id = self.0.id();
        let status = self.0.wait().await?;
        // The id is free by now if the group is empty, but it is not given out
        // again before all others have been.
        kill_group(id);
        Ok(status)
    }

    async fn end(&mut self) {
        self.kill();
        // Whether in time or not: dropping the child reaps it too.
        let _ = timeout(REAPING, self.0.wait()).await;
    }

    /// Kills the group, unless the child has been waited for. At once, and not
    /// with a polite signal first: there are no locks or files to clean up.
    fn kill(&mut self) {
        kill_group(self.0.id());
        // An error says that it has exited.
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
        // An error says that nobody is left.
        let _ = kill_process_group(id, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: Option<u32>) {}

/// Reads to the end, or until there is more than `limit`; says which.
async fn read(from: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut kept = Vec::new();
    if let Some(from) = from {
        let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        from.take(most).read_to_end(&mut kept).await?;
    }
    let full = kept.len() > limit;
    Ok((kept, full))
}

/// Reads to the end and keeps the beginning.
async fn drain(from: Option<impl AsyncRead + Unpin>, limit: usize) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    if let Some(mut from) = from {
        (&mut from)
            .take(limit as u64)
            .read_to_end(&mut kept)
            .await?;
        // Nothing has to be set up for the usual silence.
        if kept.len() == limit {
            tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
        }
    }
    Ok(kept)
}
