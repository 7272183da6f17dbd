//! Running a command with a time limit, on a pipe or on a terminal.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

/// No command takes longer; one that does hangs.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// What a command did.
#[derive(Debug)]
pub(super) struct Ran {
    /// `None` if a signal ended the command, or it hung.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    /// A pipe even if stdout is a terminal.
    pub(super) stderr: Vec<u8>,
    /// The command was killed after `TIME_LIMIT`.
    hung: bool,
    /// From the process's start to its end.
    elapsed: Duration,
    /// What it may take, if that is less than `TIME_LIMIT`.
    pub(super) limit: Option<Duration>,
    pub(super) cost: Cost,
}

/// How much processor time and memory a process took. Both are 0 on a system
/// without `/proc`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// In steps of 10 ms, without the processes that it started.
    pub(super) cpu: Duration,
    /// How much memory was in use at most, in KiB.
    pub(super) peak_kib: u64,
}

/// How often to read a running process's cost.
const MEASURE: Duration = Duration::from_millis(2);

impl Cost {
    /// Reads what a process has cost so far; `None` once it has ended.
    ///
    /// A later peak may be a few KiB below an earlier one: Linux counts pages
    /// in use per processor, and adds the counts up approximately.
    pub(super) fn of(id: Pid) -> Option<Self> {
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", id.as_raw_pid()));
        let status = read("status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let peak_kib = line.split_whitespace().next()?.parse().ok()?;
        let stat = read("stat").ok()?;
        // The program's name may contain anything, also a parenthesis.
        let after_name = stat.rsplit_once(')')?.1;
        let times = after_name.split_whitespace().skip(11).take(2);
        let ticks: u64 = times.filter_map(|it| it.parse::<u64>().ok()).sum();
        let cpu = Duration::from_millis(10 * ticks);
        Some(Self { cpu, peak_kib })
    }
}

impl Ran {
    /// Runs a command to its end, or to the time limit.
    ///
    /// # Errors
    /// The program cannot be started. A failing or hanging program is a `Ran`.
    pub(super) fn of(command: &mut Command) -> Result<Self> {
        Self::finish(command.stdout(Stdio::piped()))
    }

    /// Runs a command whose stdout is a terminal that changes nothing in the
    /// bytes that it is given.
    ///
    /// The pseudo terminal is raw: otherwise it would turn a line end into a
    /// carriage return and a line feed, which would count as a control
    /// character. stderr stays a pipe.
    pub(super) fn on_terminal(command: &mut Command) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty())?;
        let mut settings = tcgetattr(&terminal)?;
        settings.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &settings)?;
        let mut master = File::from(master);
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            // Reading ends with an error when the terminal is closed.
            let _ = master.read_to_end(&mut bytes);
            bytes
        });
        let ran = Self::finish(command.stdout(terminal));
        // A terminal ends when its last descriptor is closed.
        command.stdout(Stdio::null());
        let stdout = reader.join().unwrap_or_default();
        Ok(Self { stdout, ..ran? })
    }

    /// Runs a command with a closed stdin.
    fn finish(command: &mut Command) -> Result<Self> {
        let start = Instant::now();
        // A separate group, so that a hanging process ends with those that it
        // started.
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        command.process_group(0);
        let child = command.spawn();
        let child = child.with_context(|| format!("failed to run {command:?}"))?;
        let id = Pid::from_child(&child);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let mut cost = Cost::default();
        let in_time = loop {
            cost = Cost::of(id).unwrap_or(cost);
            match receiver.recv_timeout(MEASURE) {
                Err(RecvTimeoutError::Timeout) if start.elapsed() < TIME_LIMIT => {}
                ended => break ended,
            }
        };
        let hung = in_time.is_err();
        if hung {
            kill_process_group(id, Signal::KILL)?;
        }
        let output = in_time.or_else(|_| receiver.recv())??;
        Ok(Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr,
            hung,
            elapsed: start.elapsed(),
            limit: None,
            cost,
        })
    }

    pub(super) fn text(&self) -> String {
        let stdout = String::from_utf8_lossy(&self.stdout);
        let stderr = String::from_utf8_lossy(&self.stderr);
        format!("{stdout}{stderr}")
    }

    /// Returns a finding if the command hung, was slow, or ended by a panic or
    /// a signal.
    ///
    /// An exit code of 0, 1 or 2 is the command's own: success, a fault in the
    /// input, or a usage error.
    pub(super) fn fault(&self) -> Option<String> {
        let stderr = String::from_utf8_lossy(&self.stderr);
        let is_panic = self.code.is_none_or(|code| code > 2) || stderr.contains("panicked at");
        if self.hung {
            Some("hangs".to_owned())
        } else if is_panic {
            Some(format!("ends with {:?}: {stderr}", self.code))
        } else {
            let is_slow = self.limit.is_some_and(|it| self.elapsed > it);
            is_slow.then(|| format!("takes {:?}", self.elapsed))
        }
    }
}
