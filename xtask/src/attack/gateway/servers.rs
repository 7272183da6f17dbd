//! The two servers as processes, and clients that write raw bytes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use super::super::command::Place;

/// The longest time without a byte of a response.
const SILENCE: Duration = Duration::from_secs(15);

/// A server that prints its address, until it is interrupted.
pub(super) struct Running {
    /// The process, killed if the value is dropped before `stop`.
    child: Child,
    /// The address that the server printed: a loopback address and a free port.
    pub(super) address: SocketAddr,
    /// The name in errors, and of the file with the log.
    name: String,
    /// The file to which stderr is written; a pipe would fill up.
    place_stderr: std::path::PathBuf,
}

/// The output and the exit of a server.
pub(super) struct Left {
    /// stderr.
    pub(super) log: Vec<u8>,
    /// The largest part of memory that was in use, in KiB.
    pub(super) peak_kib: u64,
}

/// The time in which a server ends. It records every request that it took
/// first, which takes a debug build a while after thousands of long ones.
const END_LIMIT: Duration = Duration::from_secs(120);

impl Running {
    /// Starts a server. The first line on its stdout has its address.
    ///
    /// # Errors
    /// If the first line has no address, as after a usage error.
    pub(super) fn start(place: &Place, name: &str, arguments: &[&str]) -> Result<Self> {
        let log = place.path(format!("{name}.log"));
        let mut command = place.command(arguments);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?);
        let mut child = command.spawn().context("failed to run a server")?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line
            .trim()
            .rsplit("http://")
            .next()
            .unwrap_or_default()
            .split('/')
            .next()
            .unwrap_or_default()
            .parse();
        let address = address.with_context(|| format!("{arguments:?} print no address: {line}"))?;
        Ok(Self {
            child,
            address,
            name: name.to_owned(),
            place_stderr: log,
        })
    }

    /// Returns the base address, without a path.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Interrupts the server, and waits for its end.
    ///
    /// The signal is that of Ctrl+C, after which the server completes its
    /// records.
    ///
    /// # Errors
    /// If it does not end within `END_LIMIT`.
    pub(super) fn stop(mut self) -> Result<Left> {
        let peak_kib = self.peak_kib();
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.context("the server has an id")?, Signal::INT)?;
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > END_LIMIT {
                bail!("{} does not end", self.name);
            }
            thread::sleep(Duration::from_millis(5));
        }
        let log = std::fs::read(&self.place_stderr)?;
        Ok(Left { log, peak_kib })
    }

    /// Returns the peak memory in KiB, or 0 if the system does not report it.
    ///
    /// A later peak may be a few KiB below an earlier one: Linux counts the
    /// pages in use for each processor, and adds the counts up approximately.
    pub(super) fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let digits = line.and_then(|line| line.split_whitespace().next());
        digits.and_then(|it| it.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends raw bytes, and returns the response, up to the end of the connection.
///
/// A pause longer than `SILENCE` ends the response at what was
/// read so far.
///
/// # Errors
/// If the connection is refused. A connection that is closed early is an empty
/// response.
pub(super) fn exchange(address: SocketAddr, request: &[u8]) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    // A server may refuse before it has read everything.
    let _ = stream.write_all(request);
    let mut response = Vec::new();
    let mut chunk = [0; 1 << 14];
    while let Ok(read @ 1..) = stream.read(&mut chunk) {
        response.extend_from_slice(&chunk[..read]);
    }
    Ok(response)
}

/// Returns a request whose connection ends with its response.
///
/// The caller adds `Host`. The head is the method and the target, such as `POST
/// /v1/messages`, and is not escaped, so that it may be hostile.
pub(super) fn request(head: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut request = format!("{head} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!("Content-Length: {}\r\n\r\n", body.len());
    [request.as_bytes(), body].concat()
}

/// Returns the status of a response; 0 if the connection was closed.
pub(super) fn status(response: &[u8]) -> u16 {
    let head = response.get(..12).unwrap_or_default();
    let head = String::from_utf8_lossy(head);
    head.split(' ')
        .nth(1)
        .and_then(|it| it.parse().ok())
        .unwrap_or(0)
}

/// Starts an upstream that responds to every request with these bytes. It ends with
/// the process.
///
/// It reads until the client pauses for 20 ms, and does not look at the
/// request.
pub(super) fn upstream(response: Vec<u8>) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut chunk = [0; 1 << 14];
            let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
            while let Ok(1..) = stream.read(&mut chunk) {}
            let _ = stream.write_all(&response);
        }
    });
    Ok(address)
}
