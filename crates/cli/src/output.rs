use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use aside_text::{one_line, terminal_json};

/// Writes JSON to stdout, byte for byte. On a terminal, characters that could
/// move its cursor are escaped, and a newline follows.
///
/// A reader that went away, as `head` does, is no error.
pub(crate) fn print<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = if stdout.is_terminal() {
        let json: Vec<u8> = chunks.into_iter().flatten().copied().collect();
        let json = String::from_utf8_lossy(&json);
        writeln!(stdout, "{}", terminal_json(&json).trim_end())
    } else {
        chunks
            .into_iter()
            .try_for_each(|chunk| stdout.write_all(chunk))
    };
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("failed to write to stdout"),
    }
}

/// Tells people what is wrong and goes on all the same.
pub(crate) fn warn<T: Display>(faults: impl IntoIterator<Item = T>) {
    for fault in faults {
        say("warning", &fault.to_string());
    }
}

/// Tells people something on stderr. That it cannot be told is no reason to
/// stop.
pub(crate) fn say(kind: &str, message: &str) {
    let _ = writeln!(io::stderr(), "aside: {kind}: {}", one_line(message));
}
