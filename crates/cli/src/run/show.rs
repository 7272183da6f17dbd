//! How `aside run` prints text: the response on stdout as it arrives, all else
//! on stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, OnceLock};

use aside_agent::{CancelHandle, Observer, Progress};
use aside_messages::conversation::ToolCall;
use aside_messages::wire::ContentBlock;
use aside_providers::{Delta, Event};
use aside_text::terminal_lines;

use super::excerpt::excerpt;
use super::steer::Steering;
use crate::output;

/// Displays a run: the response on stdout, everything else on stderr.
#[derive(Debug)]
pub(super) struct Show {
    /// True when stdout is a terminal: escape control characters in the
    /// response.
    is_terminal: bool,
    /// True when the last line has no line end yet.
    in_line: bool,
    /// Ends the run when the response can no longer be written.
    cancel: CancelHandle,
    /// Set by the first failure to write.
    closed: Closed,
    /// To notify when messages were appended; `None` without `--steer`.
    steering: Option<Steering>,
}

/// Why stdout was closed, once it is.
pub(super) type Closed = Arc<OnceLock<io::Error>>;

impl Show {
    /// Creates an observer for the loop that `cancel` ends.
    pub(super) fn new(cancel: CancelHandle, closed: Closed, steering: Option<Steering>) -> Self {
        Self { is_terminal: io::stdout().is_terminal(), in_line: false, cancel, closed, steering }
    }

    /// Writes text to stdout immediately. A failure cancels the run, since you
    /// could see nothing more.
    fn print(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.in_line = !text.ends_with('\n');
        let text = if self.is_terminal { terminal_lines(text) } else { text.into() };
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(text.as_bytes());
        if let Err(error) = written.and_then(|()| stdout.flush()) {
            // Keep the first error.
            let _ = self.closed.set(error);
            self.cancel.cancel();
        }
    }

    /// Ends the line, unless the text ended it.
    fn end_line(&mut self) {
        if self.in_line {
            self.print("\n");
        }
    }

    /// Prints a response's text; each text block ends with a line end. Does not
    /// print thinking or tool inputs.
    fn event(&mut self, event: &Event) {
        match event {
            Event::BlockStart { block: ContentBlock::Text(block), .. } => self.print(&block.text),
            Event::BlockDelta { delta: Delta::Text(text), .. } => self.print(text),
            Event::BlockStop { .. } => self.end_line(),
            _ => {}
        }
    }
}

impl Observer for Show {
    fn observe(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Event(event) => self.event(event),
            Progress::Diagnostic(diagnostic) => output::report(diagnostic),
            Progress::Queued(_) => self.steering.iter().for_each(Steering::taken_up),
            Progress::Command(_) => self.steering.iter().for_each(Steering::taken_up),
            Progress::Compacting => output::progress("compact", "the conversation is summarized"),
            Progress::Compacted => output::progress("compact", "it continues from the summary"),
            Progress::Called(call) => output::progress("tool", &shown(call)),
            Progress::Returned(call, output) if output.is_error => {
                let why = output.content.iter().find_map(|block| match block {
                    ContentBlock::Text(text) => Some(&*text.text),
                    _ => None,
                });
                let why = excerpt(why.unwrap_or("no reason was given"));
                output::progress("tool", &format!("{} failed: {why}", excerpt(&call.name)));
            }
            _ => {}
        }
    }
}

/// Returns a call's name and input, each as an excerpt.
fn shown(call: &ToolCall) -> String {
    format!("{} {}", excerpt(&call.name), excerpt(&call.input.0))
}
