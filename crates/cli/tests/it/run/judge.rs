//! A strict API at a local address, with thinking in every response.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use aside_gateway::strict::{Draft, Strict, StrictOptions, StrictRequest};

use super::*;

/// How long a test waits for a request.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A strict API: it signs its thinking with the prefix, and refuses what the
/// real API refuses.
pub(crate) struct Judge {
    pub(crate) url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) bodies: Vec<String>,
    pub(crate) betas: Vec<String>,
    pub(crate) refusals: Vec<String>,
    /// How many thinking blocks the complete responses before each request
    /// have.
    pub(crate) thoughts: Vec<usize>,
    thoughts_so_far: usize,
    /// What to respond next, the last one first; then a sentence.
    script: Vec<Answer>,
    /// The same, for requests to summarize the conversation.
    summaries: Vec<Answer>,
}

/// A scripted response.
#[derive(Debug)]
pub(crate) enum Answer {
    Draft(Draft),
    /// The first events in a response, without the rest.
    Broken(usize),
    Refused(&'static str),
    /// A response that ends with these context edits.
    Edited(Draft, &'static str),
    /// Waits before starting to respond.
    Held(Draft, Receiver<()>),
    /// Waits after a response's first events, and sends no more.
    Midway(usize, Receiver<()>),
}

/// What to respond, and when to write it.
struct Reply {
    before: String,
    gate: Option<Receiver<()>>,
    after: String,
}

impl Reply {
    fn at_once(bytes: String) -> Self {
        Self { before: bytes, gate: None, after: String::new() }
    }

    fn write(&self, stream: &mut TcpStream) {
        // A cancelled client has closed the connection.
        let _ = stream.write_all(self.before.as_bytes());
        if let Some(gate) = &self.gate {
            let _ = gate.recv_timeout(MAX_WAIT);
        }
        let _ = stream.write_all(self.after.as_bytes());
    }
}

impl Judge {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let of_thread = seen.clone();
        thread::spawn(move || {
            let mut api = Strict::new(StrictOptions::default());
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (body, betas) = request(&mut BufReader::new(stream.try_clone().unwrap()));
                let reply = reply(&mut api, &mut of_thread.lock().unwrap(), &body, &betas);
                reply.write(&mut stream);
            }
        });
        Self { url, seen }
    }

    pub(crate) fn script(&self, answers: Vec<Answer>) {
        let mut seen = self.seen.lock().unwrap();
        seen.script = answers;
        seen.script.reverse();
    }

    pub(crate) fn summaries(&self, answers: Vec<Answer>) {
        let mut seen = self.seen.lock().unwrap();
        seen.summaries = answers;
        seen.summaries.reverse();
    }

    pub(crate) fn command(&self, place: &Place, arguments: &[&str]) -> Command {
        let mut command = place.command(arguments);
        command.env("ANTHROPIC_API_KEY", "sk-of-nobody").env("ANTHROPIC_BASE_URL", &self.url);
        command
    }

    pub(crate) fn run(&self, place: &Place, arguments: &[&str]) -> Ran {
        Ran::of(self.command(place, arguments).output().unwrap())
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }

    #[track_caller]
    pub(crate) fn await_requests(&self, count: usize) {
        let start = Instant::now();
        while self.seen().bodies.len() < count {
            assert!(start.elapsed() < MAX_WAIT, "request {count} does not come");
            thread::sleep(Duration::from_millis(2));
        }
    }

    #[track_caller]
    pub(crate) fn refuses_nothing(&self) {
        let seen = self.seen();
        assert_eq!(seen.refusals, [""; 0], "of {} requests", seen.bodies.len());
    }
}

/// Returns a sender to open an [`Answer::Held`], and its receiver.
pub(crate) fn gate() -> (Sender<()>, Receiver<()>) {
    channel()
}

/// Reads a request: its body and its betas.
pub(crate) fn request(reader: &mut impl BufRead) -> (Vec<u8>, String) {
    let (mut length, mut betas) = (0, String::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if let Some(value) = line.strip_prefix("anthropic-beta:") {
            value.trim().clone_into(&mut betas);
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (body, betas)
}

fn reply(api: &mut Strict, seen: &mut Seen, body: &[u8], betas: &str) -> Reply {
    seen.bodies.push(String::from_utf8(body.to_vec()).unwrap());
    seen.betas.push(betas.to_owned());
    seen.thoughts.push(seen.thoughts_so_far);
    let number = seen.bodies.len();
    let is_summary = is_summary(seen.bodies.last().unwrap());
    let next = if is_summary { seen.summaries.pop() } else { seen.script.pop() };
    if let Some(Answer::Refused(message)) = next {
        let json = format!(
            r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{message}"}}}}"#
        );
        return Reply::at_once(response("400 Bad Request", "application/json", &json));
    }
    let polite = || {
        let thought = format!("Thought {number}.");
        Draft::new().thinking(thought).text(format!("Answer {number}."))
    };
    let draft = match &next {
        Some(Answer::Draft(draft) | Answer::Held(draft, _) | Answer::Edited(draft, _)) => {
            draft.clone()
        }
        _ if is_summary => Draft::new().thinking("T.").text("The summary."),
        _ => polite(),
    };
    let answer = match api.answer_with(&StrictRequest::new(body).betas(betas), &draft) {
        Ok(answer) => answer,
        Err(refused) => {
            seen.refusals.push(format!("request {number}: {}", refused.message()));
            let json = refused.to_json("req");
            return Reply::at_once(response("400 Bad Request", "application/json", &json));
        }
    };
    let mut events = answer.events();
    if let Some(Answer::Edited(_, edits)) = &next {
        const NONE: &str = r#"{"applied_edits":[]}"#;
        for event in &mut events {
            *event = event.replace(NONE, edits);
        }
    }
    match next {
        Some(Answer::Broken(count)) => {
            events.truncate(count);
            Reply::at_once(response("200 OK", "text/event-stream", &events.concat()))
        }
        Some(Answer::Midway(count, gate)) => {
            events.truncate(count);
            Reply {
                gate: Some(gate),
                ..Reply::at_once(response("200 OK", "text/event-stream", &events.concat()))
            }
        }
        next => {
            if !is_summary {
                seen.thoughts_so_far += thoughts(&answer.content_json());
            }
            let bytes = response("200 OK", "text/event-stream", &events.concat());
            match next {
                Some(Answer::Held(_, gate)) => {
                    Reply { before: String::new(), gate: Some(gate), after: bytes }
                }
                _ => Reply::at_once(bytes),
            }
        }
    }
}

/// Returns true for a request to summarize the conversation.
pub(crate) fn is_summary(body: &str) -> bool {
    body.contains(r#""compaction":{"type":"summarize""#)
        || body.contains("it has to be replaced by a summary")
}

/// Counts the thinking blocks in JSON.
pub(crate) fn thoughts(json: &str) -> usize {
    let shown = json.matches(r#""type":"thinking""#).count();
    shown + json.matches(r#""type":"redacted_thinking""#).count()
}

fn response(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

/// Returns a response with thinking and parallel calls to read files.
pub(crate) fn reading(number: usize, files: &[&str]) -> Draft {
    let draft = Draft::new().thinking(format!("Call {number}."));
    files.iter().enumerate().fold(draft, |draft, (index, file)| {
        let input = format!(r#"{{"file_path":"{file}"}}"#);
        let id = format!("toolu_{number}_{index}");
        draft.tool_use_with_id(&id, "Read", &input).unwrap()
    })
}

/// Returns the same as a scripted response.
pub(crate) fn call(number: usize, files: &[&str]) -> Answer {
    Answer::Draft(reading(number, files))
}

/// Writes a reminder file for an owner: `home` or `project`.
pub(crate) fn reminder(place: &Place, owner: &str, name: &str, header: &str) {
    let directory = place.path(owner).join(".aside/reminders");
    fs::create_dir_all(&directory).unwrap();
    let text = format!("---\n{header}\n---\nRemember {name}.\n");
    fs::write(directory.join(format!("{name}.md")), text).unwrap();
}

/// Runs prompts in sequence, each in a separate process.
pub(crate) fn turns(judge: &Judge, place: &Place, prompts: &[&[&str]]) -> String {
    let mut id: Option<String> = None;
    for arguments in prompts {
        let resume = id.iter().flat_map(|id| ["--resume", id]);
        let arguments: Vec<&str> = arguments.iter().copied().chain(resume).collect();
        let ran = judge.run(place, &arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?} {ran:?}");
        id = Some(ran.id());
    }
    id.unwrap()
}
