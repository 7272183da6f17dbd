//! Runs `aside serve` or `aside proxy` until interrupted.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A server that runs until it is interrupted.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// The address in the first variable that it printed.
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let (_, url) = line.trim().split_once('=').unwrap();
        let url = url.to_owned();
        Self { child, url }
    }

    pub(crate) fn interrupt(self) -> Output {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait_with_output().unwrap()
    }
}

/// Sends a Messages API request to a server, and returns the response body.
pub(crate) fn request(address: &str, method: &str, path: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         anthropic-version: 2023-06-01\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{response}");
    serde_json::from_str(body).unwrap()
}
