//! `aside run --steer`: stdin lines as messages to a model while it works.
//!
//! A detached thread reads stdin and puts each line into the loop's inbox, to
//! append to the next request. The loop's observer calls `Steering::taken_up`
//! when a message is in the transcript. Each line is reported twice on stderr,
//! when it is read and when it is used; no line that was read is lost without a
//! report.
//!
//! At 64 unused lines or 1 MiB, reading pauses, so that a fast writer is held
//! back by its pipe.

mod lines;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Context;
use aside_agent::{Inbox, Loop};
use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_diagnostic::Location;

use super::excerpt::excerpt;
use crate::Failure;
use crate::interrupt;
use crate::kinds;
use crate::output;
use lines::{Line, Lines};

/// How many messages may wait before reading pauses.
const WAITING: usize = 64;
/// How many bytes may wait before reading pauses.
const WAITING_BYTES: usize = 1024 * 1024;

/// Reads stdin lines into an inbox, and reports what happens to each. Clones
/// share the state.
#[derive(Clone, Debug)]
pub(super) struct Steering(Arc<Shared>);

/// State to share between the reading thread and the loop.
#[derive(Debug)]
struct Shared {
    inbox: Inbox,
    /// The lines. Hold the lock while reporting, to keep reports in order.
    state: Mutex<State>,
    /// Notified when a message was used, or the run is over.
    has_room: Condvar,
}

/// Stdin's lines, and how far they were used.
#[derive(Debug, Default)]
struct State {
    /// The splitter, with a line still incomplete.
    lines: Lines,
    /// Lines read but not appended yet, oldest first.
    waiting: VecDeque<Arc<str>>,
    /// True when stdin has ended.
    is_read: bool,
    /// True after the run: ignore what is read from then on.
    is_over: bool,
}

impl State {
    /// Returns true when more lines may be read.
    fn has_room(&self) -> bool {
        let bytes: usize = self.waiting.iter().map(|text| text.len()).sum();
        self.waiting.len() < WAITING && bytes < WAITING_BYTES
    }

    /// Returns a message about unread input, when known.
    ///
    /// Only a regular file can be looked at without waiting; a pipe is certain
    /// to have unread input only when reading had paused.
    fn unread(&self) -> Option<String> {
        match self.lines.begun() {
            Some((number, text)) => {
                let text = excerpt(&text);
                Some(format!("stdin:{number}: left out with the rest of the input: {text}"))
            }
            None if self.is_read || !goes_on().unwrap_or(!self.has_room()) => None,
            None => {
                let ended = self.lines.ended();
                Some(format!("stdin:{ended}: nothing behind this line was read"))
            }
        }
    }
}

impl Steering {
    /// Creates steering for a loop. Nothing is read yet.
    pub(super) fn new(inbox: Inbox) -> Self {
        Self(Arc::new(Shared { inbox, state: Mutex::default(), has_room: Condvar::new() }))
    }

    /// Starts reading in a detached thread. It may still wait for input when
    /// everything else is done, and ends with the process.
    ///
    /// A file never blocks. Its beginning is read at once, so that the same
    /// lines are in the same request each time.
    pub(super) fn listen(&self) -> anyhow::Result<()> {
        let mut read = if is_there() { 0 } else { WAITING_BYTES };
        while read < WAITING_BYTES && self.state().has_room() {
            match self.read_some(&mut io::stdin().lock()) {
                0 => return Ok(()),
                more => read += more,
            }
        }
        let steering = self.clone();
        let thread = thread::Builder::new().name("stdin".to_owned());
        let begun = thread.spawn(move || steering.read(io::stdin().lock()));
        begun.context("failed to read stdin")?;
        Ok(())
    }

    /// Records that the oldest queued message is in the transcript.
    ///
    /// After the run, this is reported as stored for the next run.
    pub(super) fn taken_up(&self) {
        let mut state = self.state();
        if let Some(text) = state.waiting.pop_front() {
            let kind = if state.is_over { "kept for --resume" } else { "taken up" };
            output::progress(kind, &excerpt(&text));
        }
        self.0.has_room.notify_all();
    }

    /// Ends steering after the run: keeps lines that were read too late for the
    /// next run, and reports lost ones.
    ///
    /// # Errors
    /// When messages cannot be stored in the transcript, this fails and reports
    /// each as lost.
    pub(super) fn end(&self, agent: &mut Loop) -> Result<(), Failure> {
        let (waits, unread) = {
            let mut state = self.state();
            state.is_over = true;
            self.0.has_room.notify_all();
            (!state.waiting.is_empty(), state.unread())
        };
        let kept =
            if waits { interrupt::block_on(agent.append_queued_messages()) } else { Ok(Ok(())) };
        for text in self.state().waiting.drain(..) {
            let message = format!("not taken up: {}", excerpt(&text));
            output::report(&kinds::MESSAGE_LOST.diagnostic(message));
        }
        if let Some(unread) = unread {
            output::report(&kinds::MESSAGE_LOST.diagnostic(unread));
        }
        Ok(kept??)
    }

    /// Reads until stdin or the run ends, pausing when there is no room.
    fn read(&self, mut input: impl Read) {
        while self.wait_for_room() && self.read_some(&mut input) > 0 {}
    }

    /// Reads available input, or waits for it. Returns how many bytes it read;
    /// 0 when the input ends.
    fn read_some(&self, input: &mut impl Read) -> usize {
        let mut chunk = [0; 8192];
        let length = loop {
            match input.read(&mut chunk) {
                Ok(length) => break length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let message =
                        format!("failed to read stdin: {error}: the run continues without it");
                    output::report(&kinds::STDIN_UNREADABLE.diagnostic(message));
                    break 0;
                }
            }
        };
        self.take(&chunk[..length]);
        length
    }

    /// Waits until there is room. Returns false when no more input is needed.
    fn wait_for_room(&self) -> bool {
        let waits = |state: &mut State| !state.is_over && !state.has_room();
        let state = self.0.has_room.wait_while(self.state(), waits);
        !state.unwrap_or_else(PoisonError::into_inner).is_over
    }

    /// Adds bytes as they are read; none means the end. Reports each message
    /// while holding the lock, before it can be appended.
    fn take(&self, chunk: &[u8]) {
        let mut state = self.state();
        if state.is_over {
            return;
        }
        state.is_read = chunk.is_empty();
        let lines = match chunk {
            [] => state.lines.end().into_iter().collect(),
            _ => state.lines.feed(chunk),
        };
        for line in lines {
            match line {
                Line::Text(text) => {
                    let text: Arc<str> = text.into();
                    state.waiting.push_back(text.clone());
                    let message = QueuedCommand::new(text.clone(), QueuedOrigin::Human);
                    self.0.inbox.push(message);
                    output::progress("queued", &excerpt(&text));
                }
                Line::Bad(number, why) => {
                    let place = Location::new("stdin").line(number);
                    let message = format!("{why}: left out");
                    output::report(&kinds::STDIN_LINE.diagnostic(message).at(place));
                }
            }
        }
    }

    /// Locks the state. When a thread has panicked, steering continues.
    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.0.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true when stdin is a file on disk, which never blocks.
///
/// Returns false on systems other than Unix, to read files like pipes.
fn is_there() -> bool {
    on_disk().is_some()
}

/// Returns whether more input follows, when stdin is a regular file. To find
/// out, this reads a byte and drops it.
fn goes_on() -> Option<bool> {
    let mut file = on_disk()?;
    Some(file.read(&mut [0]).is_ok_and(|length| length > 0))
}

/// Returns stdin without its buffer, which is empty, because whole portions are
/// read. `None` unless stdin is on disk.
#[cfg(unix)]
fn on_disk() -> Option<std::fs::File> {
    use std::os::fd::AsFd as _;

    let stdin = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let file = std::fs::File::from(stdin);
    let metadata = file.metadata().ok()?;
    (metadata.is_file() || metadata.is_dir()).then_some(file)
}

/// Returns nothing: on this system, stdin is never treated as a file.
#[cfg(not(unix))]
fn on_disk() -> Option<std::fs::File> {
    None
}
