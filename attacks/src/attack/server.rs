//! A local server that replaces the Messages API. Its responses depend only on
//! the number of the model's messages in the request.
//!
//! A session against this server has a fixed course: three responses with text
//! and two calls of `Read`, one of an existing and one of a missing file, and a
//! last response with text only. A resumed session therefore sends the same
//! requests as one that was never interrupted, and the class `kills` compares
//! their bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::Result;

use super::template::Scope;

/// The number of responses that call tools; one more ends the session.
pub(super) const CALLING_ANSWERS: usize = 3;

/// A server on a port of its own, and the bodies that it received. It ends with
/// the process.
#[derive(Debug)]
pub(super) struct Server {
    /// The base address, for `ANTHROPIC_BASE_URL`.
    pub(super) url: String,
    /// Complete bodies in the order of their arrival.
    bodies: Receiver<Vec<u8>>,
}

impl Server {
    /// Starts to listen on a free port, in a thread that serves one connection
    /// after the other. The scope has the responses.
    pub(super) fn start(mut scope: Scope) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let (received, bodies) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A command that was killed leaves the start of a request.
                if let Ok(body) = read(&stream) {
                    let number = answers_before(&body);
                    // Before the answer, after which the command may end.
                    let _ = received.send(body);
                    let _ = answer(stream, number, &mut scope);
                }
            }
        });
        Ok(Self { url, bodies })
    }

    /// Returns the bodies that were received since the last call.
    pub(super) fn take(&self) -> Vec<Vec<u8>> {
        self.bodies.try_iter().collect()
    }
}

/// Returns the number of the model's messages in a request.
///
/// The text is searched, not parsed: the command writes the key in exactly this
/// form.
pub(super) fn answers_before(body: &[u8]) -> usize {
    String::from_utf8_lossy(body)
        .matches(r#""role":"assistant""#)
        .count()
}

/// Reads a request and returns its body, by its `Content-Length`.
///
/// # Errors
/// If the connection ends before the body is complete, as after a kill.
fn read(stream: &TcpStream) -> Result<Vec<u8>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            anyhow::bail!("the connection ended");
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

/// Writes the response with this number as a stream of events, and closes the
/// connection.
fn answer(mut stream: TcpStream, number: usize, scope: &mut Scope) -> Result<()> {
    scope.set("number", number);
    let name = match number >= CALLING_ANSWERS {
        true => "${last answer}",
        false => "${calling answer}",
    };
    write!(stream, "{}", scope.text("${head}")?)?;
    for event in scope.fill(&name.into())?.as_array().into_iter().flatten() {
        write!(stream, "data: {event}\n\n")?;
    }
    Ok(())
}
