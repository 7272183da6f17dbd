//! Fake tools, a journal and an observer with known behavior.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aside_agent::{
    FileUse, Inbox, Journal, JournalError, Observer, Progress, SentRequest, Tool, ToolFuture,
    ToolOutput,
};
use aside_attachments::{QueuedCommand, QueuedOrigin};
use aside_messages::conversation::Entry;
use aside_messages::encode::BodyHash;
use aside_messages::wire::RawJson;
use aside_session::{FileIdentity, FileRead, Note, ReadExtent, SessionTool, ToolOrigin};

use crate::agent_loop::strict::turn_over;

/// What a fake tool does.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    /// Returns its input after this many turns of other tasks.
    Echo(usize),
    /// The same with the file `of` in its input, which it changes after some
    /// turns or reads at once.
    Use(usize),
    /// Reads the file `of` in its input after this many turns.
    Read(usize),
    /// Counts the calls.
    Count(Arc<AtomicUsize>),
    Fail,
    Panic,
    PanicWithoutText,
    /// Never returns.
    Hang,
    /// Puts a user message into the inbox, and returns its input.
    Steer(Inbox),
    /// Removes the message with the tag `of` in its input.
    Snip,
}

#[derive(Debug)]
pub(crate) struct Fake {
    name: &'static str,
    does: Does,
}

impl Tool for Fake {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "A tool."
    }

    fn input_schema(&self) -> RawJson {
        RawJson::parse(r#"{"type":"object"}"#).unwrap()
    }

    fn file(&self, input: &RawJson) -> Option<FileUse> {
        let Does::Use(turns) = self.does else { return None };
        let input: serde_json::Value = serde_json::from_str(input.get()).unwrap();
        Some(FileUse { path: input["of"].as_str()?.into(), is_changed: turns > 0 })
    }

    fn is_repeatable(&self) -> bool {
        !matches!(self.does, Does::Use(1..) | Does::Count(_) | Does::Hang)
    }

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        Box::pin(async move {
            match &self.does {
                Does::Echo(turns) | Does::Use(turns) => {
                    for _ in 0..*turns {
                        turn_over().await;
                    }
                }
                Does::Read(turns) => {
                    for _ in 0..*turns {
                        turn_over().await;
                    }
                    let input: serde_json::Value = serde_json::from_str(input.get()).unwrap();
                    let path = Path::new(input["of"].as_str().unwrap()).to_owned();
                    let read = FileRead {
                        identity: FileIdentity::Path(path.clone()),
                        path,
                        modified: None,
                        stamp: None,
                        extent: ReadExtent::Whole,
                        text: Some("text".into()),
                    };
                    return ToolOutput { read: vec![read], ..ToolOutput::text("text") };
                }
                Does::Count(count) => {
                    count.fetch_add(1, Ordering::Relaxed);
                }
                Does::Fail => return ToolOutput::error("It is broken."),
                Does::Panic => unreachable!("out of luck"),
                Does::PanicWithoutText => std::panic::resume_unwind(Box::new(7)),
                Does::Hang => std::future::pending().await,
                Does::Steer(inbox) => {
                    inbox.push(QueuedCommand::new("Turn left.", QueuedOrigin::Human));
                }
                Does::Snip => {
                    let input: serde_json::Value = serde_json::from_str(input.get()).unwrap();
                    return ToolOutput {
                        snipped: vec![input["of"].as_str().unwrap().to_owned()],
                        ..ToolOutput::text("Removed.")
                    };
                }
            }
            ToolOutput::text(format!("{} {}", self.name, input.get()))
        })
    }
}

pub(crate) fn tool(name: &'static str, does: Does) -> Arc<dyn Tool> {
    Arc::new(Fake { name, does })
}

/// Returns one tool for each behavior that returns.
pub(crate) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        tool("Fast", Does::Echo(0)),
        tool("Slow", Does::Echo(5)),
        tool("Fail", Does::Fail),
        tool("Panic", Does::Panic),
        tool("Abort", Does::PanicWithoutText),
    ]
}

pub(crate) fn offered(tools: &[Arc<dyn Tool>]) -> Vec<SessionTool> {
    let tools = tools
        .iter()
        .map(|tool| SessionTool { origin: ToolOrigin::Builtin, tool: tool.definition() });
    tools.collect()
}

/// A line in the journal.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    Note,
    Entry(Box<Entry>),
    Sent { turn: u64, body: BodyHash },
}

/// Keeps the written lines, up to a number.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    lines: Arc<Mutex<Vec<Line>>>,
    room: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self::with_room(usize::MAX)
    }
}

impl Lines {
    pub(crate) fn with_room(room: usize) -> Self {
        let lines = Arc::default();
        Self { lines, room }
    }

    pub(crate) fn all(&self) -> Vec<Line> {
        self.lines.lock().unwrap().clone()
    }

    fn push(&self, new: Vec<Line>) -> Result<(), JournalError> {
        let mut lines = self.lines.lock().unwrap();
        if lines.len() + new.len() > self.room {
            return Err("no space left".into());
        }
        lines.extend(new);
        Ok(())
    }
}

impl Journal for Lines {
    fn note(&mut self, _: &Note) -> Result<(), JournalError> {
        self.push(vec![Line::Note])
    }

    fn entries(&mut self, entries: &[Entry]) -> Result<(), JournalError> {
        let lines = entries.iter().map(|entry| Line::Entry(Box::new(entry.clone())));
        self.push(lines.collect())
    }

    fn sent(&mut self, sent: &SentRequest<'_>) -> Result<(), JournalError> {
        self.push(vec![Line::Sent { turn: sent.turn, body: sent.body }])
    }
}

/// Records events in a word or two.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Seen {
    fn observe(&mut self, progress: Progress<'_>) {
        let seen = match progress {
            Progress::Called(call) => format!("called {}", call.id),
            Progress::Returned(call, output) if output.is_error => format!("failed {}", call.id),
            Progress::Returned(call, _) => format!("returned {}", call.id),
            Progress::Sending(_) => "sending".to_owned(),
            Progress::Queued(_) => "queued".to_owned(),
            _ => return,
        };
        self.0.lock().unwrap().push(seen);
    }
}
