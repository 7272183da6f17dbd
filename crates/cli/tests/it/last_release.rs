//! Files from the last release still have to be read the same way: requests
//! that continue them keep the same bytes, except for cache markers. They are
//! in `last_release/`, and next to each is what the last release printed for it
//! (`NAME.next.json`).
//!
//! When you change a form, add a file in the new form and keep the old one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aside_transcript::SessionStore;
use tempfile::TempDir;

use crate::support::clean;
use crate::support::server::Server;

/// The session in `transcript.jsonl`.
const ID: &str = "00000000-0000-4000-8000-000000000001";

fn kept(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/last_release");
    tests.join(name)
}

fn expected(name: &str) -> String {
    fs::read_to_string(kept(name)).unwrap()
}

/// Asserts that both are the same, ignoring cache markers. Markers are not in
/// the prefix: each release may place them better than the last.
fn assert_continued(next: &str, name: &str) {
    let without = |text: &str, start: &str, end: &str| {
        let mut pieces = text.split(start);
        let mut rest = pieces.next().unwrap().to_owned();
        for piece in pieces {
            rest += piece.split_once(end).unwrap().1;
        }
        rest
    };
    let without_markers = |text: &str| {
        let body = without(text, r#","cache_control":{"#, "}");
        // The `--json` plan, with its markers and the places given up.
        without(&body, r#""markers":[{"#, r#""delivery":"#)
    };
    assert_eq!(without_markers(next), without_markers(&expected(name)));
}

/// A project with the reminder that the sessions had, and copies of their
/// files.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let reminders = place.path("project/.aside/reminders");
        fs::create_dir_all(&reminders).unwrap();
        fs::copy(kept("reminder.md"), reminders.join("tests.md")).unwrap();
        for name in ["context.json", "conversation.jsonl"] {
            fs::copy(kept(name), place.path(name)).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn aside(&self, arguments: &[&str]) -> Command {
        let mut aside = clean::aside(self.0.path(), &self.path("project"));
        aside.args(arguments).env("ASIDE_DIR", self.path("aside"));
        aside
    }

    /// Returns a command's output, on the sessions' day. It has to succeed.
    fn output(&self, arguments: &[&str]) -> String {
        let mut aside = self.aside(arguments);
        let output = aside.args(["--date", "2026-01-31"]).output().unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{reported}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn render(&self, arguments: &[&str]) -> String {
        let tools = kept("tools.json");
        let tools = ["render", "And now?", "--tools", tools.to_str().unwrap()];
        self.output(&[&tools, arguments].concat())
    }

    /// Returns a run's output with this recording.
    fn replay(&self, recording: &str) -> String {
        let recording = kept(recording);
        self.output(&["run", "Explain", "--replay", recording.to_str().unwrap()])
    }
}

#[test]
fn a_transcript_is_resumed() {
    let place = Place::new();
    let project = place.path("project").canonicalize().unwrap();
    let store = SessionStore::new(place.path("aside"), project);
    fs::create_dir_all(store.directory()).unwrap();
    fs::copy(kept("transcript.jsonl"), store.path(ID.parse().unwrap())).unwrap();
    let next = place.output(&["render", "And now?", "--resume", ID]);
    assert_continued(&next, "transcript.next.json");
}

#[test]
fn a_context_is_continued() {
    let place = Place::new();
    let messages = kept("messages.json");
    let arguments = ["--messages", messages.to_str().unwrap(), "--json"];
    let context = ["--context", "../context.json"];
    // When you repeat a call, you get the same bytes.
    for _ in 0..2 {
        let next = place.render(&[&arguments[..], &context].concat());
        assert_continued(&next, "context.next.json");
    }
}

/// Counters are appended before the entries; the last release appended them
/// after.
#[test]
fn a_conversation_is_continued() {
    let place = Place::new();
    let next = place.render(&["--conversation", "../conversation.jsonl", "--append"]);
    let file = fs::read_to_string(place.path("conversation.jsonl")).unwrap();
    let appended = file.strip_prefix(&expected("conversation.jsonl")).unwrap();
    let next = format!("{next}\n{appended}");
    assert_continued(&next, "conversation.next.jsonl");
}

#[test]
fn a_cassette_is_replayed() {
    assert_eq!(Place::new().replay("cassette.json"), "It uses tabs.\n");
}

/// Serves both a script and a cassette.
#[test]
fn scripts_and_cassettes_are_served() {
    for (file, argument) in
        [("cassette.json", "--script"), ("cassette.json", "--replay"), ("script.json", "--script")]
    {
        let place = Place::new();
        let file = kept(file);
        let server = Server::start(&mut place.aside(&["serve", argument, file.to_str().unwrap()]));
        let mut client = place.aside(&["run", "Explain", "--date", "2026-01-31"]);
        client.env("ANTHROPIC_BASE_URL", &server.url);
        client.env("ANTHROPIC_API_KEY", "key");
        let output = client.output().unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"It uses tabs.\n", "{argument}: {reported}");
        server.interrupt();
    }
}
