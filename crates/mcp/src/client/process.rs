//! The process behind a stdio server, in its own process group.

use std::io;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aside_text::one_line_bytes;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::options::ConnectOptions;
use super::stdio::StdioTransport;
use crate::config::ServerConfig;

/// How much of the end of stderr to keep.
const STDERR_BYTES: usize = 4_096;

const STDERR_CHARS: usize = 200;

/// How long a server may take to exit once its stdin is closed, or to end a session.
pub(crate) const EXIT_LIMIT: Duration = Duration::from_secs(2);

/// A running server. Dropping it kills its process group.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    stderr: Arc<Mutex<Vec<u8>>>,
    is_repaired: Arc<AtomicBool>,
}

impl Process {
    /// Starts a program. Needs a tokio runtime.
    ///
    /// # Errors
    ///
    /// The program cannot be started.
    pub(crate) fn start(
        command: &str,
        config: &ServerConfig,
        options: &ConnectOptions,
    ) -> io::Result<(Self, StdioTransport)> {
        let mut command = Command::new(command);
        command
            .args(&config.args)
            .current_dir(config.cwd.as_ref().unwrap_or(&options.cwd))
            .env_clear()
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .envs(&config.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        let stderr = Arc::default();
        if let Some(pipe) = child.stderr.take() {
            // Keep reading to the end: a full pipe would block the server.
            tokio::spawn(keep_end(pipe, Arc::clone(&stderr)));
        }
        let is_repaired = Arc::default();
        let transport = StdioTransport::new(stdout, stdin, Arc::clone(&is_repaired));
        Ok((Self { child, stderr, is_repaired }, transport))
    }

    /// Returns true if the server wrote text that is not Unicode since the last call.
    pub(crate) fn take_repaired(&self) -> bool {
        self.is_repaired.swap(false, Ordering::Relaxed)
    }

    /// Returns the last line written to stderr, without control characters, at
    /// most 200 characters long.
    pub(crate) fn last_line(&self) -> Option<String> {
        let stderr = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = stderr.split(|byte| *byte == b'\n').rev();
        let mut lines = lines.filter(|line| !line.trim_ascii().is_empty());
        let line = one_line_bytes(lines.next()?.trim_ascii());
        Some(line.chars().take(STDERR_CHARS).collect())
    }

    /// Waits for the server to exit, which it should once stdin closes, then kills the rest of its
    /// group.
    pub(crate) async fn end(mut self) {
        let _ = tokio::time::timeout(EXIT_LIMIT, self.child.wait()).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        kill_group(self.child.id());
        // An error means that it has exited.
        let _ = self.child.start_kill();
    }
}

/// Also kills whatever a launcher such as `npx` started.
#[cfg(unix)]
fn kill_group(id: Option<u32>) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let id = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(id) = id {
        // An error means that the group is empty.
        let _ = kill_process_group(id, Signal::KILL);
    }
}

/// Reads to the end, and keeps the last bytes.
async fn keep_end(mut pipe: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; STDERR_BYTES];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..excess);
    }
}
