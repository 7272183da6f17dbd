//! Steering a run through stdin.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, ChildStdin, Stdio};

use super::*;
use server::{call, end_with};

const DAY: [&str; 2] = ["--date", "2026-01-31"];
const SAID: &str = "The user sent a new message while you were working:\\n";

/// A run whose stdin stays open until it ends.
pub(crate) struct Steered {
    child: Child,
    stdin: Option<ChildStdin>,
    stderr: BufReader<ChildStderr>,
    heard: String,
}

impl Steered {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.arg("--steer").stdin(Stdio::piped()).spawn().unwrap();
        Self {
            stdin: child.stdin.take(),
            stderr: BufReader::new(child.stderr.take().unwrap()),
            heard: String::new(),
            child,
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Writes a line, and waits until it is read.
    pub(crate) fn say(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
        self.hear(&format!("aside: queued: {line}\n"));
    }

    /// Waits for this text on stderr.
    pub(crate) fn hear(&mut self, expected: &str) {
        loop {
            let mut line = String::new();
            let read = self.stderr.read_line(&mut line).unwrap();
            self.heard.push_str(&line);
            assert!(read > 0, "{expected}: {}", self.heard);
            if line == expected {
                break;
            }
        }
    }

    /// Waits for this response text on stdout.
    pub(crate) fn see(&mut self, expected: &str) {
        let mut shown = vec![0; expected.len()];
        let stdout = self.child.stdout.as_mut().unwrap();
        stdout.read_exact(&mut shown).unwrap();
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args([signal, &id]).status();
        assert!(kill.unwrap().success());
    }

    /// Returns how the run ended, with stdin still open.
    pub(crate) fn end(mut self) -> Ran {
        let stdin = self.stdin.take();
        self.stderr.read_to_string(&mut self.heard).unwrap();
        let output = self.child.wait_with_output().unwrap();
        drop(stdin);
        Ran { stderr: self.heard, ..Ran::of(output) }
    }
}

fn text(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap()
}

fn answer(server: &Server, says: &str) -> Vec<u8> {
    let (body, mut stream) = server.request();
    begin(&mut stream, says);
    end(&mut stream);
    body
}

#[test]
fn a_line_is_in_the_next_request() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let (first, mut stream) = server.request();
    run.say("Turn left.");
    run.say("Not right.");
    call(&mut stream, 0);
    drop(stream);

    let (second, mut stream) = server.request();
    begin(&mut stream, "Left.");
    // The last response has begun.
    run.see("Left.");
    run.say("And where are we?");
    end(&mut stream);
    drop(stream);
    let third = answer(&server, "There.");
    // Stdin has no end.
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout, "\nThere.\n");

    assert!(!text(&first).contains(SAID));
    let reported = text(&second);
    let results = reported.rfind("\"tool_result\"").unwrap();
    let left = reported.find(&format!("{SAID}Turn left.\\n")).unwrap();
    let right = reported.find(&format!("{SAID}Not right.\\n")).unwrap();
    assert!(results < left && left < right, "{reported}");
    assert!(text(&third).contains(&format!("{SAID}And where are we?\\n")));
    assert_continues(&first, &second);
    assert_continues(&second, &third);
    for reported in ["Turn left.", "Not right.", "And where are we?"] {
        let reported = format!("aside: taken up: {reported}\n");
        assert!(ran.stderr.contains(&reported), "{ran:?}");
    }
    assert_eq!(
        place.lines(&ran.id()),
        "context user user sent0 assistant read user user user user sent1 assistant user sent2 assistant"
    );
}

#[test]
fn files_mentioned_by_a_line_are_read() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let (_, mut stream) = server.request();
    begin(&mut stream, "Hm.");
    run.say("What is in @a.md?");
    end(&mut stream);
    drop(stream);
    let second = text(&answer(&server, "Two lines."));
    assert_eq!(run.end().code, Some(0));
    let line = second.find("What is in @a.md?").unwrap();
    assert!(second[line..].contains("two"), "{second}");
}

#[test]
fn invalid_lines_are_left_out_and_eof_does_not_end_the_run() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let (_, mut stream) = server.request();
    run.write(b"\n \t\r\nbad \xff\x1b[2J\n");
    run.write(&[b'x'; 1024 * 1024 + 1]);
    run.write(b"\nGood.\x1b[2J\r\nLast.");
    drop(run.stdin.take());
    run.hear("aside: queued: Last.\n");
    begin(&mut stream, "Hm.");
    end(&mut stream);
    drop(stream);
    let second = text(&answer(&server, "Well."));
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout, "Hm.\nWell.\n");
    for reported in [
        "aside: warning: stdin:3: byte 5 is not UTF-8: left out\n",
        "aside: warning: stdin:4: longer than 1048576 bytes: left out\n",
        "aside: queued: Good.\\u{1b}[2J\n",
    ] {
        assert_eq!(ran.stderr.matches(reported).count(), 1, "{reported}: {ran:?}");
    }
    assert_eq!(ran.stderr.matches("queued").count(), 2, "{ran:?}");
    assert_eq!(second.matches(SAID).count(), 2);
    assert!(second.contains(&format!("{SAID}Good.")) && second.contains(&format!("{SAID}Last.")));
}

#[test]
fn a_line_without_an_end_is_reported() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let (_, mut stream) = server.request();
    // So few bytes are written, and read, at once.
    run.write(b"Good.\nhalf a");
    run.hear("aside: queued: Good.\n");
    begin(&mut stream, "Hm.");
    end(&mut stream);
    drop(stream);
    answer(&server, "Well.");
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let reported = "aside: warning: stdin:2: left out with the rest of the input: half a\n";
    assert!(ran.stderr.contains(reported), "{ran:?}");
}

#[test]
fn a_late_line_is_kept() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let (first, mut stream) = server.request();
    begin(&mut stream, "Once upon");
    run.say("Turn left.");
    end_with(&mut stream, 0, "max_tokens");
    drop(stream);
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let reported = "aside: kept for --resume: Turn left.\n";
    assert!(ran.stderr.contains(reported), "{ran:?}");

    let id = ran.id();
    let resume = ["--resume", &id];
    let child = with_server(&place, &server, &resume).spawn().unwrap();
    let second = answer(&server, "Left.");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "Left.\n"), "{ran:?}");
    assert!(text(&second).contains(&format!("{SAID}Turn left.\\n")));
    assert_continues(&first, &second);
}

/// When a file is too long for the run, the diagnostic has the line where
/// reading stopped.
#[cfg(unix)]
#[test]
fn a_file_that_is_partly_read_is_reported() {
    let place = Place::new();
    let check = |text: &str, expected: &[&str]| {
        fs::write(place.path("lines"), text).unwrap();
        let recording = place.path("recording.json");
        let cut = r#"{"content":"Once","stop_reason":"max_tokens"}"#;
        fs::write(&recording, format!(r#"{{"version":1,"answers":[{cut}]}}"#)).unwrap();
        let recording = recording.to_str().unwrap();
        let mut command = place.command(&["Go", "--steer", "--replay", recording]);
        let lines = fs::File::open(place.path("lines")).unwrap();
        let ran = Ran::of(command.stdin(lines).output().unwrap());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let reported = ran.stderr.lines().filter(|it| it.contains("warning: stdin:"));
        // How many portions are read depends on how fast the run is.
        let reported: Vec<_> = reported.filter_map(|it| it.split(": ").nth(3)).collect();
        assert_eq!(reported, expected);
    };
    // A portion is 8 KiB: with these lines, 1,024.
    check(&"Faster!\n".repeat(8_000), &["nothing behind this line was read"]);
    check(&"Go left!\n".repeat(8_000), &["left out with the rest of the input"]);
    check(&"Go left!\n".repeat(100), &[]);
}

#[test]
fn a_line_before_a_limit_in_a_paused_response_is_kept() {
    let (place, server) = (Place::new(), Server::new());
    let limited = ["Go", "--max-turns", "1"];
    let mut run = Steered::start(with_server(&place, &server, &limited));
    let (_, mut stream) = server.request();
    begin(&mut stream, "I search.");
    run.write(b"Turn\tleft.\n");
    run.hear("aside: queued: Turn\\tleft.\n");
    let search = r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}"#;
    let halves = format!(
        "data: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
         data: {{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{search}}}\n\n"
    );
    stream.write_all(halves.as_bytes()).unwrap();
    end_with(&mut stream, 1, "pause_turn");
    drop(stream);
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let reported = "aside: kept for --resume: Turn\\tleft.\n";
    assert!(ran.stderr.contains(reported), "{ran:?}");
    assert_eq!(place.lines(&ran.id()), "context user user sent0 assistant user");
}

/// When a limit or SIGKILL ends a session after a message during a turn, it
/// sends the same requests once resumed.
#[cfg(unix)]
#[test]
fn a_turn_with_a_message_resumes_byte_for_byte() {
    let (place, server) = (Place::new(), Server::new());
    let steered = |more: &[&str]| {
        let arguments = [&["Go"], &DAY[..], more].concat();
        let mut run = Steered::start(with_server(&place, &server, &arguments));
        let (_, mut stream) = server.request();
        run.say("Turn left, to @a.md");
        call(&mut stream, 0);
        run
    };
    let run = steered(&[]);
    let undisturbed = text(&answer(&server, "Left."));
    assert_eq!(run.end().code, Some(0));
    assert!(undisturbed.contains(&format!("{SAID}Turn left, to @a.md\\n")));

    let limited = steered(&["--max-turns", "1"]).end();
    assert!(limited.stderr.contains("the requests that --max-turns allows went out"));
    let killed = steered(&[]);
    let (body, stream) = server.request();
    assert_eq!(text(&body), undisturbed);
    killed.signal("-KILL");
    drop(stream);
    for id in [limited.id(), killed.end().id()] {
        let arguments = [&["--resume", &id], &DAY[..]].concat();
        let run = Steered::start(with_server(&place, &server, &arguments));
        assert_eq!(text(&answer(&server, "Left.")), undisturbed);
        assert_eq!(run.end().code, Some(0));
    }
}

/// Only this much waits at a time, and nothing is lost.
#[test]
fn an_endless_stdin_is_read_in_portions() {
    let (place, server) = (Place::new(), Server::new());
    let mut run = Steered::start(with_server(&place, &server, &["Go"]));
    let mut stdin = run.stdin.take().unwrap();
    let line = "y".repeat(1000) + "\n";
    let talks = std::thread::spawn(move || while stdin.write_all(line.as_bytes()).is_ok() {});
    let (_, mut stream) = server.request();
    begin(&mut stream, "Hm.");
    let queued = format!("aside: queued: {}…\n", "y".repeat(200));
    (0..64).for_each(|_| run.hear(&queued));
    end_with(&mut stream, 0, "max_tokens");
    drop(stream);
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    talks.join().unwrap();
    let count = |reported: &str| ran.stderr.matches(reported).count();
    let (queued, taken_up) = (count("aside: queued: "), count("aside: taken up: "));
    assert_eq!(queued, taken_up + count("aside: kept for --resume: "));
    // Before and after the first request: 64 lines, and the rest of the last
    // chunk.
    assert!(queued <= 2 * (64 + 9), "{queued}");
}

/// A file's lines are available at once, so they are in the first request.
#[cfg(unix)]
#[test]
fn a_file_steers_a_recording() {
    let place = Place::new();
    let (lines, cassette) = (place.path("lines"), place.path("steered.json"));
    let many: String = (0..200).map(|number| format!("Line {number}.\n")).collect();
    fs::write(&lines, &many).unwrap();
    let answer =
        r#"{"expect":{"last":["Go","Line 0.","Line 199."],"messages":1},"content":"Well."}"#;
    fs::write(&cassette, format!(r#"{{"version":1,"answers":[{answer}]}}"#)).unwrap();
    let replay = ["Go", "--steer", "--replay", cassette.to_str().unwrap()];
    let mut command = place.command(&replay);
    let command = command.stdin(fs::File::open(&lines).unwrap());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "Well.\n"), "{ran:?}");
    assert_eq!(ran.stderr.matches("aside: taken up: ").count(), 200);
}

#[cfg(unix)]
#[test]
fn an_unreadable_stdin_does_not_end_the_run() {
    let place = Place::new();
    let mut command = place.command(&["Go", "--steer"]);
    let command = command.stdin(fs::File::open(place.path("project")).unwrap());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let reported = "aside: warning: failed to read stdin: ";
    assert_eq!(ran.stderr.matches(reported).count(), 1, "{ran:?}");

    // Unless a message needs a response, nothing is read.
    let id = ran.id();
    let mut command = place.command(&["--steer", "--resume", &id]);
    fs::write(place.path("lines"), "a\n").unwrap();
    let command = command.stdin(fs::File::open(place.path("lines")).unwrap());
    let ran = Ran::of(command.output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("no message needs a response"), "{ran:?}");
    assert!(!ran.stderr.contains("queued"), "{ran:?}");
}
