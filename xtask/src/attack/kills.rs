//! A session that is killed at any write continues as if nothing had happened:
//! every request has the bytes of the undisturbed session.
//!
//! Two ways to kill: `strace` sends SIGKILL at write N of the process, for
//! every N; and without it, a transcript is cut after every line and within
//! every line.
//!
//! The attacker is a power cut, `kill -9`, or an editor that changes a
//! transcript. The promise is number 5 of `docs/security.md`.
//!
//! The session mentions two files and calls tools three times. A case is
//! resumed against a server with a fixed course, and each body that it sends is
//! compared with the body of the undisturbed session that has the same number
//! of messages of the model. A rearranged transcript has to be refused with a
//! line number, or to give the same next request. As a control, a request with
//! one changed bit has to be found.
//!
//! It needs `strace` for the kills; without it, the notes say that only
//! transcripts were cut. `--short` kills at every third write.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::de::IgnoredAny;
use walkdir::WalkDir;

use super::Extent;
use super::command::{Aside, Place, Ran};
use super::outcome::Outcome;
use super::server::{CALLING_ANSWERS, Server, answers_before};

/// Two mentions, the second with a range of lines: their contents are part of
/// the first record.
const PROMPT: &str = "go @f1.txt @f2.txt#L3-5";

/// Runs the undisturbed session, and then the cuts, the rearrangements and the
/// kills.
///
/// # Errors
/// If the undisturbed session fails or sends another number of requests.
pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    let place = aside.place()?;
    place.init()?;
    place.write("project/f1.txt", "one\ntwo\n")?;
    place.write("project/f2.txt", "1\n2\n3\n4\n5\n6\n")?;
    let server = Server::start()?;
    let first = Session::new(&place, &server, "undisturbed");
    let ran = Ran::of(&mut first.command(&[PROMPT]))?;
    let undisturbed = server.take();
    if ran.code != Some(0) || undisturbed.len() != CALLING_ANSWERS + 1 {
        bail!("the undisturbed session: {}", ran.text());
    }
    let mut outcome = Outcome::default();
    cut(&first, &undisturbed, extent, &mut outcome)?;
    rearranged(&first, extent, &mut outcome)?;
    if strace_works() {
        kill(&place, &server, &undisturbed, extent, &mut outcome)?;
    } else {
        outcome.note("no strace: only transcripts were cut".to_owned());
    }
    let mut other = undisturbed.clone();
    if let Some(byte) = other.last_mut().and_then(|body| body.last_mut()) {
        *byte ^= 1;
    }
    let seen = difference(&other, &undisturbed).is_some();
    outcome.check((!seen).then(|| "a changed byte of a request is not seen".to_owned()));
    Ok(outcome)
}

/// A session with a directory of its own, in a project that all share.
struct Session<'a> {
    /// The project, which no session changes.
    place: &'a Place,
    /// The server that records the bodies.
    server: &'a Server,
    /// `ASIDE_DIR` of this session, for its transcript.
    dir: PathBuf,
}

impl<'a> Session<'a> {
    /// Returns a session that has not been started.
    fn new(place: &'a Place, server: &'a Server, name: &str) -> Self {
        let dir = place.path(format!("sessions/{name}"));
        Self { place, server, dir }
    }

    /// Returns `aside run` with these arguments.
    fn command(&self, arguments: &[&str]) -> Command {
        self.prepare(self.place.command(self.arguments(arguments)))
    }

    /// Returns the arguments of `aside run`, with a fixed date.
    fn arguments<'b>(&self, arguments: &[&'b str]) -> Vec<&'b str> {
        [&["run"], arguments, &["--date", "2026-01-31"]].concat()
    }

    /// Adds the directory, the key and the address of the server.
    fn prepare(&self, mut command: Command) -> Command {
        command
            .env("ASIDE_DIR", &self.dir)
            .env("ANTHROPIC_API_KEY", "sk-test")
            .env("ANTHROPIC_BASE_URL", &self.server.url);
        command
    }

    /// Returns the path of the transcript, `None` before the first write.
    fn transcript(&self) -> Option<PathBuf> {
        let files = WalkDir::new(&self.dir).into_iter().flatten();
        let mut paths = files.map(walkdir::DirEntry::into_path);
        paths.find(|path| path.extension().is_some_and(|it| it == "jsonl"))
    }

    /// Continues the session, and returns a finding if a request differs.
    ///
    /// If the prompt was not yet recorded, it is given again, as a user would
    /// do. A session whose last response was recorded is not resumed; its
    /// requests so far are compared. Without a transcript no request may have
    /// been sent.
    fn resume(&self, undisturbed: &[Vec<u8>]) -> Result<Option<String>> {
        let mut bodies = self.server.take();
        let Some(path) = self.transcript() else {
            let sent = bodies.len();
            return Ok((sent > 0).then(|| format!("{sent} requests without a transcript")));
        };
        let text = fs::read_to_string(&path)?;
        let id = path
            .file_stem()
            .and_then(|it| it.to_str())
            .context("no id")?;
        let (lines, last) = text.rsplit_once('\n').unwrap_or(("", &text));
        // A last line that lacks nothing but its end is whole.
        let is_whole = serde_json::from_str::<IgnoredAny>(last).is_ok();
        let whole = if is_whole { &text } else { lines };
        let prompt = (!whole.contains("go @f1.txt")).then_some(PROMPT);
        let is_done = whole.contains(&format!("Answer {CALLING_ANSWERS}."));
        // Without the first line there is no session to resume.
        if !whole.is_empty() && !is_done {
            let resume: Vec<_> = prompt.into_iter().chain(["--resume", id]).collect();
            let ran = Ran::of(&mut self.command(&resume))?;
            if ran.code != Some(0) {
                return Ok(Some(format!("no resume: {}", ran.text())));
            }
            bodies.extend(self.server.take());
            let end = bodies.last().map_or(0, |body| answers_before(body));
            if end != CALLING_ANSWERS {
                return Ok(Some(format!("the session ends after {end} answers")));
            }
        }
        Ok(difference(&bodies, undisturbed))
    }
}

/// Returns the first byte at which a request differs from the undisturbed one.
///
/// Bodies are compared by the number of the model's messages in them, since a
/// resumed session does not repeat the first requests.
fn difference(bodies: &[Vec<u8>], undisturbed: &[Vec<u8>]) -> Option<String> {
    bodies.iter().find_map(|body| {
        let number = answers_before(body);
        let expected = undisturbed.get(number).map_or(&[][..], Vec::as_slice);
        let at = body
            .iter()
            .zip(expected)
            .position(|(a, b)| a != b)
            .unwrap_or(body.len().min(expected.len()));
        let is_same = body.as_slice() == expected;
        (!is_same).then(|| {
            let excerpt = |text: &[u8]| {
                let text = &text[at.min(text.len())..];
                String::from_utf8_lossy(&text[..text.len().min(80)]).into_owned()
            };
            format!(
                "request {number} differs at byte {at}: {:?} instead of {:?}",
                excerpt(body),
                excerpt(expected)
            )
        })
    })
}

/// Resumes copies of a transcript that end after each line, and within it.
///
/// A line gives three cuts: after it, after its first byte, and before its line
/// end. The long form adds about twelve within it.
fn cut(
    first: &Session<'_>,
    undisturbed: &[Vec<u8>],
    extent: Extent,
    outcome: &mut Outcome,
) -> Result<()> {
    let path = first.transcript().context("no transcript")?;
    let bytes = fs::read(&path)?;
    let below = path.strip_prefix(&first.dir)?.to_owned();
    let mut ends = vec![0];
    let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.extend(lines.map(|(at, _)| at + 1));
    let mut cuts = Vec::new();
    for pair in ends.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        cuts.extend([end, start + 1, end - 1]);
        if extent == Extent::Long {
            cuts.extend((start + 2..end - 1).step_by(((end - start) / 12).max(1)));
        }
    }
    for at in cuts {
        let session = Session::new(first.place, first.server, &format!("cut{at}"));
        let copy = session.dir.join(&below);
        first.place.write(&copy, &bytes[..at])?;
        let finding = session.resume(undisturbed)?;
        outcome.check(finding.map(|it| format!("a transcript cut at byte {at}: {it}")));
    }
    Ok(())
}

/// Resumes copies of a transcript with swapped, missing and doubled lines: each
/// is refused with a line number, or its next request has the same bytes.
///
/// In the short form a line is swapped with its two next ones only. A
/// transcript without its last line is left out: it is an earlier state of the
/// session.
fn rearranged(first: &Session<'_>, extent: Extent, outcome: &mut Outcome) -> Result<()> {
    let path = first.transcript().context("no transcript")?;
    let text = fs::read_to_string(&path)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let id = path
        .file_stem()
        .and_then(|it| it.to_str())
        .context("no id")?;
    let below = path.strip_prefix(&first.dir)?.to_owned();
    let next = |name: &str, lines: &[&str]| {
        let session = Session::new(first.place, first.server, name);
        let copy = session.dir.join(&below);
        first.place.write(&copy, lines.concat())?;
        let arguments = ["render", "more", "--date", "2026-01-31", "--resume", id];
        let mut command = first.place.command(arguments);
        Ran::of(command.env("ASIDE_DIR", &session.dir))
    };
    let undisturbed = next("whole", &lines)?;
    if undisturbed.code != Some(0) {
        bail!("the undisturbed transcript: {}", undisturbed.text());
    }
    let mut changed = Vec::new();
    let far = if extent == Extent::Long {
        lines.len()
    } else {
        3
    };
    for first in 0..lines.len() {
        for second in first + 1..lines.len().min(first + far) {
            let mut copy = lines.clone();
            copy.swap(first, second);
            changed.push((
                format!("lines {} and {} swapped", first + 1, second + 1),
                copy,
            ));
        }
        let mut copy = lines.clone();
        copy.insert(first, lines[first]);
        changed.push((format!("line {} doubled", first + 1), copy));
        // Without its last line, it is an earlier state of the session.
        if first + 1 < lines.len() {
            let mut copy = lines.clone();
            copy.remove(first);
            changed.push((format!("line {} missing", first + 1), copy));
        }
    }
    let mut refused = 0;
    for (number, (name, lines)) in changed.iter().enumerate() {
        let ran = next(&format!("rearranged{number}"), lines)?;
        let names_line = ran.text().contains("line");
        refused += usize::from(ran.code == Some(1) && names_line);
        let held = match ran.code {
            Some(0) => ran.stdout == undisturbed.stdout,
            code => code == Some(1) && names_line,
        };
        outcome.check((!held).then(|| format!("{name}: {:?}, {}", ran.code, ran.text())));
    }
    let same = changed.len() - refused;
    outcome.note(format!(
        "rearranged transcripts: {refused} refused, {same} with the same bytes"
    ));
    Ok(())
}

/// Kills a session at write N of any thread, for every N.
///
/// The loop ends with the first number that is larger than the number of
/// writes, when the session ends undisturbed.
fn kill(
    place: &Place,
    server: &Server,
    undisturbed: &[Vec<u8>],
    extent: Extent,
    outcome: &mut Outcome,
) -> Result<()> {
    let mut kills = 0;
    let step = if extent == Extent::Long { 1 } else { 3 };
    for number in (1..).step_by(step) {
        let session = Session::new(place, server, &format!("killed{number}"));
        let inject = format!("inject=write,writev,sendto,pwrite64:signal=SIGKILL:when={number}");
        let options = [
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=write,writev,sendto,pwrite64",
            "-e",
            &inject,
        ];
        let mut command = place.program("strace", options);
        command
            .arg(place.aside_path())
            .args(session.arguments(&[PROMPT]));
        let ran = Ran::of(&mut session.prepare(command))?;
        if ran.code == Some(0) {
            // The session has fewer writes.
            server.take();
            break;
        }
        kills += 1;
        let finding = session.resume(undisturbed)?;
        outcome.check(finding.map(|it| format!("killed at write {number}: {it}")));
    }
    outcome.note(format!(
        "{kills} kills by strace, at every write number {step} k + 1"
    ));
    Ok(())
}

/// Returns true if `strace` is installed and may trace a process.
fn strace_works() -> bool {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "true"]);
    Ran::of(&mut command).is_ok_and(|ran| ran.code == Some(0))
}
