//! `aside run` the way you would use it.

#[cfg(unix)]
mod bound;
use crate::support::clean;
#[cfg(unix)]
mod environment_proxy;
#[cfg(unix)]
use crate::support::fifo;
mod json;
#[cfg(unix)]
mod judge;
mod killed;
#[cfg(unix)]
mod long;
mod mentions;
#[cfg(unix)]
mod refused;
mod responses;
mod selected_provider;
mod server;
#[cfg(unix)]
mod situations;
mod steer;
mod todos;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use aside_messages::conversation::{Entry, EntryKind};
use aside_transcript::{Owner, Record, SessionFile};
use tempfile::TempDir;

use server::{Server, assert_continues, begin, end, with_server};

/// A project, next to a home.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for name in ["project", "home"] {
            fs::create_dir(place.path(name)).unwrap();
        }
        fs::write(place.path("project/a.md"), "one\ntwo\n").unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.aside(&[&["run"], arguments].concat())
    }

    fn aside(&self, arguments: &[&str]) -> Command {
        let mut command = clean::aside(self.0.path(), &self.path("project"));
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs with a recording that contains these responses.
    fn replay(&self, arguments: &[&str], answers: &[&str]) -> Ran {
        let json = format!(r#"{{"version":1,"answers":[{}]}}"#, answers.join(","));
        let file = self.path("cassette.json");
        fs::write(&file, json).unwrap();
        let file = file.to_str().unwrap();
        self.run(&[arguments, &["--replay", file]].concat())
    }

    fn transcript(&self, id: &str) -> PathBuf {
        let projects = fs::read_dir(self.path("home/.aside/sessions")).unwrap();
        let project = projects.map(|project| project.unwrap().path()).next();
        project.unwrap().join(format!("{id}.jsonl"))
    }

    /// Returns a transcript's lines, a word each.
    fn lines(&self, id: &str) -> String {
        let contents = aside_transcript::read(&self.transcript(id)).unwrap();
        let words = contents.records.iter().flat_map(|record| match record {
            Record::Sent(sent) => vec![format!("sent{}", sent.turn)],
            Record::Context(_) => vec!["context".to_owned()],
            Record::Read(_) => vec!["read".to_owned()],
            record => record.entries().iter().map(word).collect(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn word(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Message { role } => role.as_str().into(),
        kind => format!("{kind:?}"),
    }
}

#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn id(&self) -> String {
        let line = self.stderr.lines();
        let mut ids = line.filter_map(|line| line.strip_prefix("aside: session: "));
        ids.next().expect("the id is printed").to_owned()
    }
}

const READ: &str = r#"{"content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.md"}}]}"#;

#[test]
fn without_a_key_a_recording_answers() {
    let place = Place::new();
    let ran = place.run(&["hello"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("This answer is a recording"));
    assert!(ran.stderr.contains("no key is set"));
    // The session context, the user's message, the response.
    assert_eq!(place.lines(&ran.id()), "context user user sent0 assistant");
    let inside = fs::read_dir(place.path("project")).unwrap();
    assert_eq!(inside.count(), 1, "nothing is written into the project");
}

#[test]
fn tools_are_run_and_the_session_is_resumed() {
    let place = Place::new();
    let done = r#"{"expect":{"last":["two"],"messages":3},"content":"It says two."}"#;
    let ran = place.replay(&["What is in a.md?"], &[READ, done]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout, "I look.\nIt says two.\n");
    assert!(ran.stderr.contains(r#"aside: tool: Read {"file_path":"a.md"}"#));
    let id = ran.id();
    let recorded = "context user user sent0 assistant read user sent1 assistant";
    assert_eq!(place.lines(&id), recorded);

    let again = r#"{"expect":{"last":["And now?"],"anywhere":["It says two."],"messages":5},"content":"Still."}"#;
    let ran = place.replay(&["And now?", "--resume", &id], &[again]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Still.\n"), "{ran:?}");
    assert_eq!(ran.id(), id);
    assert_eq!(place.lines(&id), format!("{recorded} user sent2 assistant"));

    let ran = place.replay(&["--resume", &id], &["{\"content\":\"x\"}"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no message needs a response"), "{ran:?}");
}

#[test]
fn a_killed_session_is_resumed() {
    let place = Place::new();
    let ran = place.replay(&["Go"], &[READ, "{\"content\":\"Done.\"}"]);
    let path = place.transcript(&ran.id());
    let whole = fs::read_to_string(&path).unwrap();
    let answered = whole.lines().position(|line| line.contains(r#""t1""#)).unwrap();
    let kept: Vec<_> = whole.lines().take(answered + 1).collect();
    // The next line broke off.
    fs::write(&path, format!("{}\n{{\"type\":\"en", kept.join("\n"))).unwrap();

    let done = r#"{"expect":{"last":["two"],"messages":3},"content":"Done."}"#;
    let resumed = place.replay(&["--resume", &ran.id()], &[done]);
    assert_eq!((resumed.code, resumed.stdout.as_str()), (Some(0), "Done.\n"), "{resumed:?}");
    assert!(resumed.stderr.contains("an incomplete line of 11 bytes is removed"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), whole.lines().count());
}

/// Returns the bodies sent, by turn; when one was sent again, the last.
fn bodies(path: &Path) -> BTreeMap<u64, String> {
    let contents = aside_transcript::read(path).unwrap();
    let sent = contents.records.iter().filter_map(|record| match record {
        Record::Sent(sent) => Some((sent.turn, sent.body.to_string())),
        _ => None,
    });
    sent.collect()
}

#[test]
fn a_session_killed_at_any_line_sends_the_same_requests() {
    let place = Place::new();
    let reminders = place.path("home/.aside/reminders");
    fs::create_dir_all(&reminders).unwrap();
    let reminder = |name: &str, header: &str| {
        let text = format!("---\n{header}\n---\n{name}\n");
        fs::write(reminders.join(format!("{name}.md")), text).unwrap();
    };
    let turns = "schedule: {kind: turn, turn_interval: 2}";
    reminder("STAYS", &format!("{turns}\ndelivery: persistent"));
    reminder("ONCE", "schedule: {kind: oneshot}\ndelivery: persistent");
    reminder("GOES", turns);
    let again = READ.replace("t1", "t2");
    let answers = [READ, &again, "{\"content\":\"Done.\"}"];
    let day = ["--date", "2026-01-31"];
    let id = place.replay(&[&["Go"], &day[..]].concat(), &answers).id();
    let path = place.transcript(&id);
    let undisturbed = bodies(&path);
    assert_eq!(undisturbed.len(), 3);
    let whole = fs::read(&path).unwrap();
    let text = String::from_utf8(whole.clone()).unwrap();
    assert!(text.contains("STAYS") && text.contains("ONCE"));

    let recorded = text.find("\"Go\"").unwrap();
    let ends: Vec<_> =
        text.match_indices('\n').map(|(at, _)| at + 1).filter(|end| *end > recorded).collect();
    for pair in ends.windows(2) {
        // After a line, and in the middle of the next one.
        for kept in [pair[0], (pair[0] + pair[1]) / 2] {
            fs::write(&path, &whole[..kept]).unwrap();
            let answered = text[..pair[0]].matches("\"role\":\"assistant\"").count();
            let resume = [&["--resume", &id], &day[..]].concat();
            let ran = place.replay(&resume, &answers[answered..]);
            assert_eq!(ran.code, Some(0), "{kept} bytes: {ran:?}");
            assert!(ran.stdout.ends_with("Done.\n"), "{ran:?}");
            assert_eq!(bodies(&path), undisturbed, "{kept} bytes, {}", &text[..kept]);
        }
    }
}

#[test]
fn mentioned_files_are_read() {
    let place = Place::new();
    let answer = r#"{"expect":{"anywhere":["two"]},"content":"Read."}"#;
    let ran = place.replay(&["What is in @a.md?"], &[answer]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Read.\n"), "{ran:?}");
}

/// What was answered before an error is paid for.
#[test]
fn a_failed_run_reports_its_usage() {
    let place = Place::new();
    let refused = r#"{"error":{"status":400,"type":"invalid_request_error","message":"bad"}}"#;
    let ran = place.replay(&["Go", "--json"], &[READ, refused]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let last = ran.stdout.lines().last().unwrap();
    let failed = r#"{"type":"end","outcome":"failed","usage":{"requests":1,"#;
    assert!(last.starts_with(failed), "{ran:?}");
    assert!(ran.stderr.contains("aside: usage: 1 request"), "{ran:?}");
    let blank = place.run(&["  "]);
    assert_eq!(blank.code, Some(2), "{blank:?}");
    assert!(blank.stderr.contains("a prompt has text"), "{blank:?}");
}

#[test]
fn every_outcome_has_an_exit_code() {
    let place = Place::new();
    let ended = |answer: &str, arguments: &[&str], expected: &str| {
        let ran = place.replay(&[&["Go"], arguments].concat(), &[answer]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
    };
    ended(
        r#"{"content":"a","stop_reason":"max_tokens"}"#,
        &[],
        "aside: error: the answer is longer than --max-tokens allows",
    );
    ended(
        r#"{"content":"a","stop_reason":"refusal"}"#,
        &[],
        "aside: error: the model refuses to answer",
    );
    ended(READ, &["--max-turns", "1"], "the requests that --max-turns allows went out");
    ended(READ, &[], "no response to request 2, only to 1");
    ended(
        r#"{"error":{"status":529,"type":"overloaded_error","message":"Later\u001b[2J"}}"#,
        &[],
        "aside: error: overloaded_error: Later\\u{1b}[2J (status 529)",
    );
    ended(
        r#"{"content":[{"type":"tool_use","id":"a","name":"\u001b[2J","input":{}}]}"#,
        &[],
        "aside: tool: \\u{1b}[2J {}",
    );
}

#[test]
fn invalid_arguments_are_reported() {
    let place = Place::new();
    let reported = |ran: Ran, code, expected: &str| {
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stderr.contains(expected), "{ran:?}");
        assert_eq!(ran.stdout, "");
    };
    reported(place.run(&[]), 2, "<PROMPT>");
    reported(place.run(&["--resume", "x"]), 2, "--resume");
    reported(
        place.run(&["hello", "--provider", "openai"]),
        2,
        "failed to send to openai: OPENAI_API_KEY is not set",
    );
    reported(place.run(&["hello", "--replay", "gone"]), 2, "gone");
    reported(
        place.replay(&["hello"], &["{\"content\":1}"]),
        2,
        "cassette.json:1: content: expected a string",
    );
    let nobody = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    reported(place.run(&["hello", "--resume", nobody]), 1, nobody);
    fs::write(place.path("file"), "").unwrap();
    let mut command = place.command(&["hello"]);
    let output = command.env("ASIDE_DIR", place.path("file")).output();
    reported(Ran::of(output.unwrap()), 1, "failed to create the session");
}

#[test]
fn two_processes_cannot_write_one_session() {
    let place = Place::new();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let before = fs::read(&path).unwrap();
    let other = SessionFile::open(&path, Owner::Session).unwrap();
    let ran = place.run(&["hello", "--resume", &id]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("another process writes it"), "{ran:?}");
    drop(other);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn garbage_in_the_middle_is_not_overwritten() {
    let place = Place::new();
    let id = place.run(&["hello"]).id();
    let path = place.transcript(&id);
    let mut text = fs::read_to_string(&path).unwrap();
    text.insert_str(text.find('\n').unwrap() + 1, "garbage\n");
    fs::write(&path, &text).unwrap();
    let ran = place.run(&["hello", "--resume", &id]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains(".jsonl:2: not a record"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_provider_answers() {
    let (place, server) = (Place::new(), Server::new());
    let child = with_server(&place, &server, &["hello"]).spawn().unwrap();
    let (first, mut stream) = server.request();
    begin(&mut stream, "Hi.");
    end(&mut stream);
    drop(stream);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hi.\n"), "{ran:?}");

    let id = ran.id();
    let more = ["more", "--resume", &id];
    let child = with_server(&place, &server, &more).spawn().unwrap();
    let (second, mut stream) = server.request();
    begin(&mut stream, "Bye.");
    end(&mut stream);
    drop(stream);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Bye.\n"), "{ran:?}");
    assert_continues(&first, &second);
}

#[cfg(unix)]
#[test]
fn the_response_before_a_signal_is_kept() {
    let (place, server) = (Place::new(), Server::new());
    let mut child = with_server(&place, &server, &["hello"]).spawn().unwrap();
    let (_, mut stream) = server.request();
    begin(&mut stream, "Once upon");
    let mut shown = [0; 9];
    child.stdout.as_mut().unwrap().read_exact(&mut shown).unwrap();
    assert_eq!(&shown, b"Once upon");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(place.lines(&ran.id()), "context user user sent0 assistant Aborted");
    let text = fs::read_to_string(place.transcript(&ran.id())).unwrap();
    assert!(text.contains("Once upon"));
}

#[test]
fn a_closed_stdout_ends_the_run() {
    let (place, server) = (Place::new(), Server::new());
    let mut child = with_server(&place, &server, &["hello"]).spawn().unwrap();
    let (_, mut stream) = server.request();
    drop(child.stdout.take());
    begin(&mut stream, "Once upon");
    // A process that another test starts just now may still hold the pipe.
    while child.try_wait().unwrap().is_none() {
        let more =
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" a"}}"#;
        let _ = write!(stream, "data: {more}\n\n");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(place.lines(&ran.id()), "context user user sent0 assistant Aborted");
}

/// Other users on the machine cannot read a session.
#[cfg(unix)]
#[test]
fn only_the_user_can_read_a_session() {
    use std::os::unix::fs::PermissionsExt;

    let place = Place::new();
    let path = place.transcript(&place.run(&["hello"]).id());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
}
