//! `aside serve --strict`, while a client runs.
//!
//! The server answers from a script and judges each request as the API would.
//! Its first two responses are failures on demand (529 and 429), to show that a
//! client repeats a request unchanged.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A running server. Killed when dropped.
pub(super) struct Server {
    child: Child,
    /// Host and port, as the server prints them: `127.0.0.1:41234`.
    address: String,
}

/// The server's statistics, from `GET /report`:
///
/// ```json
/// {"answered": 12, "refused": 1, "failed_on_demand": 2, "misses": []}
/// ```
pub(super) struct Report {
    /// Requests with a normal response.
    pub(super) answered: usize,
    /// Requests that the API's rules refuse.
    pub(super) refused: usize,
    /// Requests that failed because `--fail` asked for it.
    pub(super) failed: usize,
    /// Requests that read less from the cache than the preceding one had left.
    pub(super) misses: usize,
    /// The whole report, for messages.
    pub(super) text: String,
}

impl Server {
    /// Starts a server that fails the first requests.
    ///
    /// # Errors
    /// The server does not print its address as its first line.
    pub(super) fn start(aside: &Path, script: &Path) -> Result<Self> {
        let mut command = Command::new(aside);
        command
            .args(["serve", "--strict", "--fail", "529:1,429:1", "--script"])
            .arg(script)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().context("failed to run the server")?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line
            .trim()
            .strip_prefix("ANTHROPIC_BASE_URL=http://")
            .context("the server prints its address")?
            .to_owned();
        Ok(Self { child, address })
    }

    /// Returns the server's own address, as in `http://127.0.0.1:41234`.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns proxy arguments that make this server every wire's upstream.
    pub(super) fn upstreams(&self) -> Vec<String> {
        let address = &self.address;
        let wires = [("messages", ""), ("gemini", ""), ("responses", "/v1"), ("chat", "/v1")];
        let argument = |(wire, path)| format!("--upstream={wire}=http://{address}{path}");
        wires.map(argument).into()
    }

    /// Reads the report, and ends the server.
    ///
    /// # Errors
    /// The report has no number under one of the expected keys.
    pub(super) fn stop(self) -> Result<Report> {
        let mut stream = TcpStream::connect(&self.address)?;
        let host = &self.address;
        write!(stream, "GET /report HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        let text = response.split_once("\r\n\r\n").context("a response")?.1.to_owned();
        let json: serde_json::Value = serde_json::from_str(&text)?;
        let number = |key: &str| {
            let number = json[key].as_u64().with_context(|| format!("no {key}"))?;
            usize::try_from(number).context("a count of requests")
        };
        Ok(Report {
            answered: number("answered")?,
            refused: number("refused")?,
            failed: number("failed_on_demand")?,
            misses: json["misses"].as_array().map_or(0, Vec::len),
            text,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
