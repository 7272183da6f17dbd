//! Sessions with a model that binds its thinking to the prefix, judged by a
//! strict Messages API: no request is refused.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use aside_gateway::strict::{Draft, Strict, StrictOptions, StrictRequest};

use super::*;

/// A strict API at a local address, which thinks before every answer.
struct Judge {
    url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Debug, Default)]
struct Seen {
    requests: usize,
    bodies: Vec<String>,
    betas: Vec<String>,
    refusals: Vec<String>,
    /// The answers to come, last one first; then a sentence.
    script: Vec<Answer>,
}

#[derive(Debug)]
enum Answer {
    Draft(Draft),
    /// The first events of an answer, and no more.
    Broken(usize),
    /// The API's refusal.
    Refused(&'static str),
}

impl Judge {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let of_thread = seen.clone();
        thread::spawn(move || {
            let mut api = Strict::new(StrictOptions::default());
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (body, betas) = request(&mut BufReader::new(stream.try_clone().unwrap()));
                let answer = answer(&mut api, &mut of_thread.lock().unwrap(), &body, &betas);
                // A client that was cancelled is gone.
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { url, seen }
    }

    fn script(&self, answers: Vec<Answer>) {
        let mut seen = self.seen.lock().unwrap();
        seen.script = answers;
        seen.script.reverse();
    }

    fn run(&self, place: &Place, arguments: &[&str]) -> Ran {
        let mut command = place.command(arguments);
        command
            .env("ANTHROPIC_API_KEY", "sk-of-nobody")
            .env("ANTHROPIC_BASE_URL", &self.url);
        Ran::of(command.output().unwrap())
    }

    #[track_caller]
    fn refuses_nothing(&self) {
        let seen = self.seen.lock().unwrap();
        assert_eq!(seen.refusals, [""; 0], "of {} requests", seen.requests);
    }
}

fn request(reader: &mut impl BufRead) -> (Vec<u8>, String) {
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

fn answer(api: &mut Strict, seen: &mut Seen, body: &[u8], betas: &str) -> String {
    seen.requests += 1;
    seen.bodies.push(String::from_utf8(body.to_vec()).unwrap());
    seen.betas.push(betas.to_owned());
    let number = seen.requests;
    let next = seen.script.pop();
    if let Some(Answer::Refused(message)) = next {
        let json = format!(
            r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{message}"}}}}"#
        );
        return response("400 Bad Request", "application/json", &json);
    }
    let polite = || {
        let thought = format!("Thought {number}.");
        Draft::new()
            .thinking(thought)
            .text(format!("Answer {number}."))
    };
    let draft = match &next {
        Some(Answer::Draft(draft)) => draft.clone(),
        _ => polite(),
    };
    match api.answer_with(&StrictRequest::new(body).betas(betas), &draft) {
        Ok(answer) => {
            let mut events = answer.events();
            if let Some(Answer::Broken(count)) = next {
                events.truncate(count);
            }
            response("200 OK", "text/event-stream", &events.concat())
        }
        Err(refused) => {
            seen.refusals
                .push(format!("request {number}: {}", refused.message()));
            response(
                "400 Bad Request",
                "application/json",
                &refused.to_json("req"),
            )
        }
    }
}

fn response(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}")
}

fn call(number: usize, files: &[&str]) -> Answer {
    let mut draft = Draft::new().thinking(format!("Call {number}."));
    for (index, file) in files.iter().enumerate() {
        let input = format!(r#"{{"file_path":"{file}"}}"#);
        draft = draft
            .tool_use_with_id(&format!("toolu_{number}_{index}"), "Read", &input)
            .unwrap();
    }
    Answer::Draft(draft)
}

fn reminder(place: &Place, owner: &str, name: &str, header: &str) {
    let directory = place.path(owner).join(".aside/reminders");
    fs::create_dir_all(&directory).unwrap();
    let text = format!("---\n{header}\n---\nRemember {name}.\n");
    fs::write(directory.join(format!("{name}.md")), text).unwrap();
}

/// Runs prompts one after the other, each in a process of its own.
fn turns(judge: &Judge, place: &Place, prompts: &[&[&str]]) -> String {
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

#[test]
fn reminders_of_every_schedule_and_delivery_are_never_taken_back() {
    let schedules = [
        ("always", "schedule:\n  kind: always"),
        ("turn", "schedule:\n  kind: turn\n  turn_interval: 2"),
        ("timer", "schedule:\n  kind: timer\n  interval: 1ms"),
        ("oneshot", "schedule:\n  kind: oneshot"),
        (
            "condition",
            "schedule:\n  kind: condition\n  condition: after_tool:Read",
        ),
    ];
    for delivery in ["ephemeral", "persistent"] {
        let (place, judge) = (Place::new(), Judge::new());
        for (name, schedule) in schedules {
            let header = format!("{schedule}\ndelivery: {delivery}");
            reminder(&place, "home", &format!("own-{name}"), &header);
            reminder(&place, "project", &format!("file-{name}"), &header);
        }
        judge.script(vec![call(1, &["a.md"]), call(2, &["a.md", "gone.md"])]);
        turns(&judge, &place, &[&["one"], &["two"], &["three"], &["four"]]);
        judge.refuses_nothing();
        let seen = judge.seen.lock().unwrap();
        let last = seen.bodies.last().unwrap();
        assert!(last.contains("Remember own-always."), "{delivery}: {last}");
        if delivery == "ephemeral" {
            let beta = "mid-conversation-system-clear-at-2026-08-21";
            assert!(
                seen.betas.iter().all(|it| it.contains(beta)),
                "{:?}",
                seen.betas
            );
            assert!(last.contains(r#""clear_at":"next_user_message""#));
        }
    }
}

#[test]
fn a_session_of_more_than_eighty_messages_goes_on() {
    let (place, judge) = (Place::new(), Judge::new());
    judge.script((0..50).map(|number| call(number, &["a.md"])).collect());
    turns(&judge, &place, &[&["go"], &["on"]]);
    judge.refuses_nothing();
    let seen = judge.seen.lock().unwrap();
    assert_eq!(seen.requests, 52);
    assert!(
        seen.bodies
            .last()
            .unwrap()
            .contains("more than 80 messages")
    );
}

#[test]
fn mentions_edits_nested_memory_and_parallel_calls_are_appended() {
    let (place, judge) = (Place::new(), Judge::new());
    fs::create_dir(place.path("project/sub")).unwrap();
    fs::write(place.path("project/sub/CLAUDE.md"), "Sub rule.").unwrap();
    fs::write(place.path("project/sub/b.md"), "b\n").unwrap();
    judge.script(vec![
        call(1, &["sub/b.md", "a.md", "gone.md"]),
        call(2, &["a.md"]),
    ]);
    let id = turns(&judge, &place, &[&["see @a.md"]]);
    fs::write(place.path("project/a.md"), "one\nthree\n").unwrap();
    for prompt in ["what changed?", "and @sub/b.md?"] {
        let ran = judge.run(&place, &[prompt, "--resume", &id]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    judge.refuses_nothing();
}

#[test]
fn an_answer_that_broke_off_goes_on_without_a_prompt() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    let id = turns(&judge, &place, &[&["one"]]);
    for events in [0, 1, 2, 3, 4, 5, 6] {
        judge.script(vec![Answer::Broken(events)]);
        let ran = judge.run(&place, &["more", "--resume", &id]);
        assert_eq!(ran.code, Some(1), "{events}: {ran:?}");
        let ran = judge.run(&place, &["--resume", &id]);
        assert_eq!(ran.code, Some(0), "{events}: {ran:?}");
    }
    judge.refuses_nothing();
    let ran = judge.run(&place, &["--resume", &id]);
    assert!(ran.stderr.contains("there is nothing to answer"), "{ran:?}");
}

#[test]
fn a_resume_may_change_model_date_and_betas() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    turns(
        &judge,
        &place,
        &[
            &["one"],
            &["two", "--date", "2027-01-01"],
            &["three", "--model", "claude-opus-5-5"],
            &["four", "--model", "claude-opus-5-5"],
            &["five", "--model", "claude-opus-5"],
            &["six"],
        ],
    );
    judge.refuses_nothing();
    let seen = judge.seen.lock().unwrap();
    assert!(seen.bodies[1].contains("Today's date is now 2027-01-01."));
}

#[test]
fn a_refusal_of_thinking_is_recovered_from_once() {
    const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    let (place, judge) = (Place::new(), Judge::new());
    let id = turns(&judge, &place, &[&["one"]]);
    judge.script(vec![Answer::Refused(BOUND)]);
    let ran = judge.run(&place, &["two", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("messages.1.content.0"), "{ran:?}");
    {
        let seen = judge.seen.lock().unwrap();
        assert_eq!(seen.requests, 3);
        assert!(seen.bodies[1].contains(r#""type":"thinking""#));
        assert!(!seen.bodies[2].contains(r#""type":"thinking""#));
    }
    judge.script(vec![Answer::Refused(BOUND), Answer::Refused(BOUND)]);
    let ran = judge.run(&place, &["three", "--resume", &id]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let ran = judge.run(&place, &["four", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    judge.refuses_nothing();
}

#[test]
fn a_refused_beta_is_given_up() {
    let (place, judge) = (Place::new(), Judge::new());
    reminder(&place, "home", "own", "schedule:\n  kind: always");
    let id = turns(&judge, &place, &[&["one"]]);
    let refused = "messages.1.clear_at: Extra inputs are not permitted";
    judge.script(vec![Answer::Refused(refused)]);
    let ran = judge.run(&place, &["two", "--resume", &id]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stderr
            .contains("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"),
        "{ran:?}"
    );
    let seen = judge.seen.lock().unwrap();
    assert!(!seen.bodies[2].contains("clear_at"), "{}", seen.bodies[2]);
    assert!(!seen.betas[2].contains("clear-at"));
    drop(seen);
    judge.refuses_nothing();
}
