//! The two servers as processes, with the records and logs that they write.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::super::command::Cost;
use super::super::place::Place;
use super::requests::{Cases, status};

/// A server that prints its address, until it is interrupted.
pub(super) struct Running {
    /// Killed if this is dropped before `stop`.
    child: Child,
    /// As the server printed it: a loopback address and a free port.
    pub(super) address: SocketAddr,
    /// Where stderr is written; a pipe would fill up.
    log: PathBuf,
}

/// What a server leaves behind.
pub(super) struct Left {
    pub(super) log: Vec<u8>,
    /// How much memory was in use at most, in KiB.
    pub(super) peak_kib: u64,
}

/// How long a server may take to end. It first records every request that it
/// took, which takes a debug build a while after thousands of long ones.
const END_LIMIT: Duration = Duration::from_secs(120);

impl Running {
    /// Starts a server. The first line on its stdout has its address.
    ///
    /// # Errors
    /// The first line has no address, as after a usage error.
    pub(super) fn start(place: &Place, name: &str, arguments: &[&str]) -> Result<Self> {
        let log = place.path(format!("{name}.log"));
        let mut command = place.command(&[&[name], arguments].concat());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log)?);
        let mut child = command.spawn().context("failed to run a server")?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let url = line.trim().rsplit("http://").next().unwrap_or_default();
        let address = url.split('/').next().unwrap_or_default().parse();
        let address = address.with_context(|| format!("{arguments:?} print no address: {line}"))?;
        Ok(Self { child, address, log })
    }

    /// Interrupts the server, and waits for its end.
    ///
    /// The signal is Ctrl+C's, after which the server completes its records.
    ///
    /// # Errors
    /// It does not end within `END_LIMIT`.
    pub(super) fn stop(mut self) -> Result<Left> {
        let peak_kib = self.peak_kib();
        kill_process(Pid::from_child(&self.child), Signal::INT)?;
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > END_LIMIT {
                bail!("the server with {} does not end", self.log.display());
            }
            thread::sleep(Duration::from_millis(5));
        }
        let log = fs::read(&self.log)?;
        Ok(Left { log, peak_kib })
    }

    /// Returns the peak memory in KiB, or 0 if the system does not report it.
    pub(super) fn peak_kib(&self) -> u64 {
        Cost::of(Pid::from_child(&self.child)).map_or(0, |it| it.peak_kib)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The two servers, with records.
pub(super) struct Servers<'a> {
    cases: Cases<'a>,
    /// The place's directory `records` is for `--record`.
    place: Place,
    /// The upstream for every wire.
    pub(super) serve: Running,
    pub(super) proxy: Running,
}

impl<'a> Servers<'a> {
    /// Starts both with additional options for the proxy.
    pub(super) fn start(cases: Cases<'a>, options: &[&str]) -> Result<Self> {
        let place = Place::new(cases.aside)?;
        let serve = Running::start(&place, "serve", &["--strict"])?;
        let records = place.path("records").to_string_lossy().into_owned();
        let mut arguments = vec!["--record".to_owned(), records];
        for wire in ["messages", "responses", "chat", "gemini"] {
            let upstream = format!("{wire}=http://{}", serve.address);
            arguments.extend(["--upstream".to_owned(), upstream]);
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let proxy = Running::start(&place, "proxy", &[&arguments, options].concat())?;
        Ok(Self { cases, place, serve, proxy })
    }

    /// Returns how many requests reached the upstream.
    ///
    /// Read from the report of `aside serve`, which counts refused requests,
    /// too.
    pub(super) fn served(&self) -> Result<u64> {
        let response = self.cases.send("report", self.serve.address, &[])?.concat();
        let text = String::from_utf8_lossy(&response).into_owned();
        let body = text.split_once("\r\n\r\n").context("a response")?.1;
        let report: Value = serde_json::from_str(body)?;
        report["requests"].as_u64().context("a number of requests")
    }

    /// Returns a finding if an ordinary request is no longer served.
    ///
    /// It is sent through the proxy after each hostile case: a server that
    /// ended, hangs or refuses everything gives a finding.
    pub(super) fn fault(&self) -> Result<Option<String>> {
        let response = self.cases.send("ordinary", self.proxy.address, &[])?;
        let status = status(&response.concat());
        Ok((status != 200).then(|| format!("then an ordinary request gets {status}")))
    }

    /// Waits until this many requests are recorded.
    ///
    /// # Errors
    /// If they are not within `END_LIMIT`.
    pub(super) fn wait_for_records(&self, count: usize) -> Result<()> {
        let start = Instant::now();
        loop {
            let records = records(&self.place.path("records"))?;
            let lines = |(_, bytes): &Written| bytes.iter().filter(|byte| **byte == b'\n').count();
            let recorded: usize = records.iter().map(lines).sum();
            if recorded >= count {
                return Ok(());
            }
            if start.elapsed() > END_LIMIT {
                bail!("only {recorded} of {count} requests are recorded");
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Ends both; returns everything that they wrote, by name, and the memory
    /// peak.
    ///
    /// Also returns the place, so that the records exist until their modes are
    /// checked.
    pub(super) fn stop(self) -> Result<(Place, Vec<Written>, u64)> {
        let proxy = self.proxy.stop()?;
        let serve = self.serve.stop()?;
        let mut written = records(&self.place.path("records"))?;
        written.push(("the log of proxy".to_owned(), proxy.log));
        written.push(("the log of serve".to_owned(), serve.log));
        Ok((self.place, written, proxy.peak_kib.max(serve.peak_kib)))
    }
}

/// What a server wrote: a displayed name, and the bytes.
pub(super) type Written = (String, Vec<u8>);

/// Returns a directory's files, none if it does not exist.
fn records(directory: &Path) -> Result<Vec<Written>> {
    let mut all = Vec::new();
    if directory.is_dir() {
        for file in fs::read_dir(directory)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            all.push((format!("the record {name}"), fs::read(&path)?));
        }
    }
    Ok(all)
}
