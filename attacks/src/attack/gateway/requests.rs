//! The case file's requests as raw bytes, and what comes back for them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use super::super::Extent;
use super::super::case::Class;
use super::super::template::Scope;

/// How long to wait for a byte of a response.
const SILENCE: Duration = Duration::from_secs(15);

/// The case file, and what it takes to try its cases.
#[derive(Clone, Copy)]
pub(super) struct Cases<'a> {
    pub(super) aside: &'a str,
    pub(super) class: &'a Class,
    pub(super) extent: Extent,
}

/// A request in the case file, or an upstream's response.
pub(super) struct Prepared {
    /// The name in findings.
    pub(super) name: String,
    address: SocketAddr,
    head: String,
    body: Value,
    scope: Scope,
}

impl Cases<'_> {
    /// Prepares the requests in all cases with a name. The variables `host` and
    /// `port` come from the address.
    ///
    /// The connection ends with the response. Nothing is escaped, so that every
    /// part may be hostile.
    pub(super) fn requests(
        &self,
        name: &str,
        address: SocketAddr,
        variables: &[(&str, &str)],
    ) -> Result<Vec<Prepared>> {
        let mut all = Vec::new();
        for case in self.class.named(name)? {
            let request = case.request.as_ref().context("a case without a request")?;
            for mut scope in self.class.scopes(case, self.extent)? {
                scope.set("host", address.to_string());
                scope.set("port", address.port());
                scope.set("other port", address.port() ^ 1);
                variables.iter().for_each(|(name, value)| scope.set(name, *value));
                let (label, first) = (scope.text(&request.label)?, scope.text(&request.head)?);
                let headers = scope.fill(&request.headers)?;
                let version = if first.starts_with("HTTP/") { "" } else { " HTTP/1.1" };
                let mut head = format!("{first}{version}\r\nConnection: close\r\n");
                for (name, value) in serde_json::from_value::<Vec<(String, String)>>(headers)? {
                    head += &format!("{name}: {value}\r\n");
                }
                let name = if label.is_empty() { head.replace("\r\n", ", ") } else { label };
                all.push(Prepared { name, address, head, body: request.body.clone(), scope });
            }
        }
        Ok(all)
    }

    /// Sends the requests in all cases with a name, and returns the responses.
    pub(super) fn send(
        &self,
        name: &str,
        address: SocketAddr,
        variables: &[(&str, &str)],
    ) -> Result<Vec<Vec<u8>>> {
        let requests = self.requests(name, address, variables)?;
        requests.into_iter().map(Prepared::send).collect()
    }
}

impl Prepared {
    /// Returns the raw bytes; a body's may be many.
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>> {
        let body = self.scope.bytes(&self.body)?;
        let head = format!("{}Content-Length: {}\r\n\r\n", self.head, body.len());
        Ok([head.as_bytes(), &body].concat())
    }

    /// Sends the bytes, and returns the response, up to the end of the
    /// connection.
    ///
    /// A pause longer than `SILENCE` ends the response at what was read so far.
    ///
    /// # Errors
    /// The connection is refused. A connection that is closed early is an empty
    /// response.
    pub(super) fn send(mut self) -> Result<Vec<u8>> {
        let request = self.bytes()?;
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        // A server may refuse before it has read everything.
        let _ = stream.write_all(&request);
        let mut response = Vec::new();
        // Ending by a timeout is an error, with what was read so far.
        let _ = stream.read_to_end(&mut response);
        Ok(response)
    }
}

/// Returns a response's status; 0 if the connection was closed.
pub(super) fn status(response: &[u8]) -> u16 {
    let head = String::from_utf8_lossy(response.get(..12).unwrap_or_default());
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
    status.unwrap_or(0)
}

/// Starts an upstream that responds to every request with these bytes. It ends
/// with the process.
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
