//! A local server in place of the Messages API. Its responses depend only on
//! how many of the model's messages the request has.
//!
//! A session against this server has a fixed course: three responses with text
//! and two calls to `Read`, for an existing and a missing file, and a last
//! response with text only. So a resumed session sends the same requests as one
//! that was never interrupted, and the class `kills` compares their bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::Result;

use super::template::Scope;

/// How many responses call tools; one more ends the session.
pub(super) const CALLING_ANSWERS: usize = 3;

/// A server on its own port, and the bodies that it received. It ends with the
/// process.
#[derive(Debug)]
pub(super) struct Server {
    /// For `ANTHROPIC_BASE_URL`.
    pub(super) url: String,
    /// Complete bodies in order of arrival.
    bodies: Receiver<Vec<u8>>,
}

impl Server {
    /// Listens on a free port, in a thread that serves one connection after the
    /// other. The scope has the responses.
    pub(super) fn start(mut scope: Scope) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let (received, bodies) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A killed command leaves the start of a request.
                if let Ok(body) = read(&stream) {
                    let number = answers_before(&body);
                    // Before the response, after which the command may end.
                    let _ = received.send(body);
                    let _ = answer(stream, number, &mut scope);
                }
            }
        });
        Ok(Self { url, bodies })
    }

    /// Returns the bodies received since the last call.
    pub(super) fn take(&self) -> Vec<Vec<u8>> {
        self.bodies.try_iter().collect()
    }
}

/// Counts the model's messages in a request.
///
/// Searches the text instead of parsing it: the command writes the key in
/// exactly this form.
pub(super) fn answers_before(body: &[u8]) -> usize {
    String::from_utf8_lossy(body).matches(r#""role":"assistant""#).count()
}

/// Reads a request and returns its body, by its `Content-Length`.
///
/// # Errors
/// The connection ends before the body is complete, as after a kill.
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
    let name = if number >= CALLING_ANSWERS { "${last answer}" } else { "${calling answer}" };
    write!(stream, "{}", scope.text("${head}")?)?;
    for event in scope.fill(&name.into())?.as_array().into_iter().flatten() {
        write!(stream, "data: {event}\n\n")?;
    }
    Ok(())
}
