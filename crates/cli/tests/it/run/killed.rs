//! Kills `aside run` at random moments, then resumes it.

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::support::cases::all_or;

/// How many responses have tool calls; one more ends the session.
const CALLING: usize = 5;
const AT_ONCE: usize = 4;
const DAY: [&str; 2] = ["--date", "2026-01-31"];

/// Returns the stream for this request, in pieces. They depend only on how many
/// responses came before.
fn pieces(number: usize) -> Vec<String> {
    let mut events = vec![
        r#"{"type":"message_start","message":{"id":"m","model":"x","role":"assistant","content":[],"usage":{"input_tokens":1}}}"#.to_owned(),
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#.to_owned(),
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"Answer {number}."}}}}"#),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
    ];
    let is_last = number >= CALLING;
    let files = if is_last { &[][..] } else { &["a.md", "gone.md"] };
    for (index, file) in (1..).zip(files) {
        events.push(format!(r#"{{"type":"content_block_start","index":{index},"content_block":{{"type":"tool_use","id":"t{number}x{index}","name":"Read","input":{{}}}}}}"#));
        for half in [r#"{\"file_path\":"#.to_owned(), format!(r#"\"{file}\"}}"#)] {
            events.push(format!(r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"input_json_delta","partial_json":"{half}"}}}}"#));
        }
        events.push(format!(r#"{{"type":"content_block_stop","index":{index}}}"#));
    }
    let reason = if is_last { "end_turn" } else { "tool_use" };
    events.push(format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}},"usage":{{"output_tokens":1}}}}"#));
    events.push(r#"{"type":"message_stop"}"#.to_owned());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    [head.to_owned()].into_iter().chain(events).collect()
}

/// Counts the responses before this request.
fn answered(body: &[u8]) -> usize {
    let text = String::from_utf8_lossy(body);
    text.matches(r#""role":"assistant""#).count()
}

/// Sends one response piece by piece, until `upto` pieces are sent.
fn answer(stream: &mut TcpStream, number: usize, upto: Option<usize>) {
    let pieces = pieces(number);
    for piece in &pieces[..upto.unwrap_or(pieces.len()).min(pieces.len())] {
        // A killed process reads no more.
        let _ = stream.write_all(piece.as_bytes());
    }
}

/// When to kill a process.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// This long after the start, before any response.
    Starting(Duration),
    /// Shortly after this many pieces of the response to this request.
    Answering { request: usize, pieces: usize, later: Duration },
}

/// Random numbers, but always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn moment(&mut self, starting: Duration) -> Moment {
        if self.below(6) == 0 {
            return Moment::Starting(starting * u32::try_from(self.below(1000)).unwrap() / 1000);
        }
        let request = self.below(CALLING + 1);
        Moment::Answering {
            request,
            // Moments after the last piece weigh three times as much, because
            // tools run and entries are written then.
            pieces: self.below(pieces(request).len() + 3),
            later: Duration::from_micros(self.below(4000) as u64),
        }
    }
}

/// A session with its own directory, in a shared project.
struct Session<'a> {
    place: &'a Place,
    directory: PathBuf,
}

impl Session<'_> {
    fn start(&self, server: &Server, arguments: &[&str]) -> Child {
        let mut command: Command = with_server(self.place, server, &[arguments, &DAY].concat());
        command.env("ASIDE_DIR", &self.directory);
        command.spawn().unwrap()
    }

    /// Sends responses until the session ends, and returns the requests.
    fn to_the_end(&self, arguments: &[&str]) -> (Vec<Vec<u8>>, Ran) {
        let server = Server::new();
        let child = self.start(&server, arguments);
        let mut bodies = Vec::new();
        loop {
            let (body, mut stream) = server.request();
            let number = answered(&body);
            bodies.push(body);
            answer(&mut stream, number, None);
            if number == CALLING {
                break;
            }
        }
        (bodies, Ran::of(child.wait_with_output().unwrap()))
    }

    /// Sends responses until this moment, and returns the requests so far.
    fn until(&self, moment: Moment) -> Vec<Vec<u8>> {
        let server = Server::new();
        let mut child = self.start(&server, &["Go"]);
        let mut bodies = Vec::new();
        match moment {
            Moment::Starting(time) => thread::sleep(time),
            Moment::Answering { request, pieces, later } => {
                for number in 0..=request {
                    let (body, mut stream) = server.request();
                    bodies.push(body);
                    let upto = (number == request).then_some(pieces);
                    answer(&mut stream, number, upto);
                    if upto.is_some() {
                        thread::sleep(later);
                        child.kill().unwrap();
                    }
                }
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        bodies
    }

    fn transcript(&self) -> Option<PathBuf> {
        let projects = fs::read_dir(self.directory.join("sessions")).ok()?;
        let project = projects.map(|project| project.unwrap().path()).next()?;
        let files = fs::read_dir(project).unwrap();
        // A store also keeps session start times next to the transcripts.
        let is_transcript = |path: &PathBuf| path.extension().is_some();
        files.map(|file| file.unwrap().path()).find(is_transcript)
    }
}

/// Returns a transcript's lines without ids and times, which no two share.
fn lines(path: &Path) -> Vec<String> {
    let contents = aside_transcript::read(path).unwrap();
    let entry = |it: &Entry| format!("{:?} {:?} {:?}", it.kind, it.origin, it.parts);
    let lines = contents.records.iter().flat_map(|record| match record {
        Record::Sent(sent) => vec![format!("sent {} {}", sent.turn, sent.body)],
        Record::Context(_) => vec!["context".to_owned()],
        Record::Read(_) => vec!["read".to_owned()],
        record => record.entries().iter().map(entry).collect(),
    });
    lines.collect()
}

/// Kills a session at this moment, resumes it, and returns how many lines it
/// had when killed.
fn kill(
    session: &Session<'_>,
    moment: Moment,
    undisturbed: &[Vec<u8>],
    expected: &[String],
) -> usize {
    let mut bodies = session.until(moment);
    let Some(path) = session.transcript() else {
        assert_eq!(bodies.len(), 0, "{moment:?}");
        return 0;
    };
    let kept = lines(&path);
    assert!(expected.starts_with(&kept), "{moment:?}: {kept:#?}");
    let answers = kept.iter().filter(|line| line.contains("Answer ")).count();
    // When a request is repeated, the response before it was received and
    // stored.
    assert!(answers + 1 >= bodies.len(), "{moment:?}: {kept:#?}");
    let before = fs::read(&path).unwrap();
    let whole = before.iter().rposition(|byte| *byte == b'\n');

    let id = path.file_stem().unwrap().to_str().unwrap();
    let was_asked = kept.iter().any(|line| line.contains("\"Go\""));
    if answers <= CALLING {
        let prompt = (!was_asked).then_some("Go");
        let resume: Vec<_> = prompt.into_iter().chain(["--resume", id]).collect();
        let (more, ran) = session.to_the_end(&resume);
        assert_eq!(ran.code, Some(0), "{moment:?}: {ran:?}");
        assert_eq!(answered(&more[0]), answers, "{moment:?}");
        bodies.extend(more);
    }
    for body in &bodies {
        let number = answered(body);
        let (body, expected) = (String::from_utf8_lossy(body), &undisturbed[number]);
        assert_eq!(body, String::from_utf8_lossy(expected), "{moment:?}");
    }
    let after = fs::read(&path).unwrap();
    let whole = whole.map_or(0, |end| end + 1);
    assert_eq!(after[..whole], before[..whole], "{moment:?}");
    // When a request is sent again, it is recorded again, and nothing else is.
    let mut lines = lines(&path);
    lines.dedup();
    assert_eq!(lines, expected, "{moment:?}");
    kept.len()
}

/// 40 moments by default.
#[test]
fn a_session_killed_at_any_moment_resumes_with_the_same_requests() {
    let place = Place::new();
    let session = |name: &str| Session { place: &place, directory: place.path(name) };
    let started = Instant::now();
    place.run(&["hello"]);
    let starting = started.elapsed();
    let first = session("undisturbed");
    let (undisturbed, ran) = first.to_the_end(&["Go"]);
    assert_eq!((ran.code, undisturbed.len()), (Some(0), CALLING + 1), "{ran:?}");
    let expected = lines(&first.transcript().unwrap());

    let kills = all_or(40, 200);
    let mut random = Random(0x5eed);
    let moments: Vec<_> = (0..kills).map(|_| random.moment(starting)).collect();
    let moments = Mutex::new(moments.into_iter().enumerate());
    let lengths = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((number, moment)) = moments.lock().unwrap().next() else {
                        break;
                    };
                    let session = session(&format!("killed{number}"));
                    let length = kill(&session, moment, &undisturbed, &expected);
                    lengths.lock().unwrap().push(length);
                }
            });
        }
    });
    let mut lengths = lengths.into_inner().unwrap();
    assert_eq!(lengths.len(), kills);
    lengths.sort_unstable();
    lengths.dedup();
    assert!(lengths.len() > CALLING, "the moments are many: {lengths:?}");
}
