//! `aside serve --strict`, while a client runs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A running server. Dropped, it is killed.
pub(super) struct Server {
    child: Child,
    address: String,
}

/// The statistics of the server.
pub(super) struct Report {
    pub(super) answered: u64,
    pub(super) refused: u64,
    pub(super) failed: u64,
    pub(super) misses: usize,
    pub(super) text: String,
}

impl Server {
    /// Starts a server of which the first requests fail.
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

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Reads the report, and ends the server.
    pub(super) fn stop(self) -> Result<Report> {
        let mut stream = TcpStream::connect(&self.address)?;
        let host = &self.address;
        write!(
            stream,
            "GET /report HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )?;
        let mut response = String::new();
        stream.read_to_string(&mut response)?;
        let text = response
            .split_once("\r\n\r\n")
            .context("a response")?
            .1
            .to_owned();
        let json: serde_json::Value = serde_json::from_str(&text)?;
        let number = |key: &str| json[key].as_u64().with_context(|| format!("no {key}"));
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
