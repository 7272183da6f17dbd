//! A server on loopback that calls a tool a number of times, and then ends the turn.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::thread::{self, JoinHandle};

use crate::wire_name::Wire;

/// The path of a file of the project.
pub(crate) fn path(file: usize) -> String {
    format!("{file}.txt")
}

/// Returns the text of a file: 2 KB of lines.
pub(crate) fn text(file: usize) -> String {
    format!("File {file} has \"quotes\" and\ttabs.\n").repeat(60)
}

/// Serves sessions, one after the other.
pub(crate) struct Server {
    url: String,
    thread: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Starts a server that calls the tool Read in each of these turns, with the file of that
    /// number.
    pub(crate) fn start(wire: Wire, turns: Range<usize>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let thread = thread::spawn(move || serve(&listener, wire, &turns));
        Ok(Self { url, thread })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Ends the server.
    pub(crate) fn finish(self) -> Result<(), Box<dyn Error>> {
        let address = self.url.trim_start_matches("http://");
        TcpStream::connect(address)?.write_all(b"QUIT\r\n\r\n")?;
        Ok(self.thread.join().map_err(|_| "the server panicked")??)
    }
}

fn serve(listener: &TcpListener, wire: Wire, turns: &Range<usize>) -> io::Result<()> {
    let mut turn = turns.start;
    loop {
        let (stream, _) = listener.accept()?;
        let mut reader = BufReader::with_capacity(256 << 10, stream);
        loop {
            let length = match head(&mut reader)? {
                Head::Request(length) => length,
                Head::Closed => break,
                Head::Quit => return Ok(()),
            };
            io::copy(&mut (&mut reader).take(length), &mut io::sink())?;
            let call = (turn < turns.end).then(|| path(turn));
            // The next session begins after the last response.
            let next = if call.is_some() { turn + 1 } else { turns.start };
            let body = wire.answer(turn, call.as_deref());
            turn = next;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let stream = reader.get_mut();
            stream.write_all(format!("{head}{body}").as_bytes())?;
        }
    }
}

/// The next event on a connection.
enum Head {
    /// The head of a request with a body of this length.
    Request(u64),
    Closed,
    Quit,
}

fn head(reader: &mut impl BufRead) -> io::Result<Head> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(Head::Closed);
        }
        if line.starts_with("QUIT") {
            return Ok(Head::Quit);
        }
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
        if line.is_empty() {
            let missing = || io::Error::other("a request without a length");
            return length.map(Head::Request).ok_or_else(missing);
        }
    }
}
