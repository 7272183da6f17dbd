//! A session killed at any write continues as if nothing had happened: every
//! request has the undisturbed session's bytes. The same holds for the two
//! files of a caller of `aside render`.
//!
//! There are two ways to kill: `strace` sends SIGKILL at the process's write N,
//! for every N; and without it, a transcript is cut after every line and within
//! every line.
//!
//! The attacker is a power cut, `kill -9`, or an editor that changes a
//! transcript. This is promise 5 in `docs/security.md`.
//!
//! The session mentions two files and calls tools three times. A case is
//! resumed against a server with a fixed course, and each body that it sends is
//! compared with the undisturbed session's body that has as many messages by
//! the model. A rearranged transcript has to be refused with a line number, or
//! to give the same next request. As a control, a request with one changed bit
//! has to be found.
//!
//! The kills need `strace`; without it, the notes say that only transcripts
//! were cut. `--short` kills at every third write.

mod caller;
pub(super) mod session;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Extent;
use super::case::Class;
use super::command::Ran;
use super::outcome::Outcome;
use super::player::Player;
use super::server::{CALLING_ANSWERS, Server};
use session::Project;

/// Runs the undisturbed session, and then the cuts, the rearrangements and the
/// kills.
///
/// # Errors
/// The undisturbed session fails or sends another number of requests.
pub(super) fn run(aside: &str, extent: Extent) -> Result<Outcome> {
    let (project, first) = undisturbed(aside, extent, "project")?;
    let mut outcome = Outcome::default();
    project.cut(&first, &mut outcome)?;
    project.rearrange(&first, &mut outcome)?;
    if has_strace() {
        project.kill(&mut outcome)?;
        caller::kill(&project, &mut outcome)?;
    } else {
        outcome.note("no strace: only transcripts were cut".to_owned());
    }
    let mut other = project.undisturbed.clone();
    if let Some(byte) = other.last_mut().and_then(|body| body.last_mut()) {
        *byte ^= 1;
    }
    let seen = project.difference(&other).is_some();
    outcome.check((!seen).then(|| "a changed byte of a request is not seen".to_owned()));
    Ok(outcome)
}

/// Runs the undisturbed session in a case's project, and returns both.
pub(super) fn undisturbed(
    aside: &str,
    extent: Extent,
    case: &str,
) -> Result<(Project, Transcript)> {
    let class = Class::read("kills")?;
    let case = class.named(case)?[0];
    let scope = class.scopes(case, extent)?.pop();
    let scope = scope.context("no case")?;
    let server = Server::start(scope.clone())?;
    let mut player = Player::play(aside, &class, case, scope)?;
    let prompt = player.scope.text("${prompt}")?;
    let mut project = Project {
        place: player.place,
        server,
        prompt,
        undisturbed: Vec::new(),
        is_long: extent == Extent::Long,
    };
    let first = project.session("undisturbed");
    let ran = Ran::of(&mut first.command(&["run", &project.prompt]))?;
    let undisturbed = project.server.take();
    if ran.code != Some(0) || undisturbed.len() != CALLING_ANSWERS + 1 {
        bail!("the undisturbed session: {}", ran.text());
    }
    let path = first.transcript().context("no transcript")?;
    let id = path.file_stem().context("no id")?.to_string_lossy();
    let transcript = Transcript {
        id: id.into_owned(),
        text: fs::read_to_string(&path)?,
        below: path.strip_prefix(&first.dir)?.to_owned(),
    };
    project.undisturbed = undisturbed;
    Ok((project, transcript))
}

/// Returns true if `strace` can watch a process here.
pub(super) fn has_strace() -> bool {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "true"]);
    Ran::of(&mut strace).is_ok_and(|ran| ran.code == Some(0))
}

/// The undisturbed session's transcript.
pub(super) struct Transcript {
    id: String,
    pub(super) text: String,
    /// Below a session's directory.
    below: PathBuf,
}

impl Project {
    /// Resumes copies of a transcript that end after each line, and within it.
    ///
    /// A line gives three cuts: after it, after its first byte, and before its
    /// line end. The long form adds about twelve within it.
    fn cut(&self, first: &Transcript, outcome: &mut Outcome) -> Result<()> {
        let mut start = 0;
        for line in first.text.split_inclusive('\n') {
            let end = start + line.len();
            let mut cuts = vec![end, start + 1, end - 1];
            if self.is_long {
                cuts.extend((start + 2..end - 1).step_by((line.len() / 12).max(1)));
            }
            for at in cuts {
                let session = self.session(&format!("cut{at}"));
                let bytes = &first.text.as_bytes()[..at];
                self.place.write(session.dir.join(&first.below), bytes)?;
                let finding = session.resume()?;
                outcome.check(finding.map(|it| format!("a transcript cut at byte {at}: {it}")));
            }
            start = end;
        }
        Ok(())
    }

    /// Resumes copies of a transcript with swapped, moved, missing and doubled
    /// lines: each is refused with a line number, or its next request has the same
    /// bytes.
    ///
    /// The short form swaps a line with its two next ones only. It leaves out a
    /// transcript without its last line, which is an earlier state of the
    /// session.
    fn rearrange(&self, first: &Transcript, outcome: &mut Outcome) -> Result<()> {
        let lines: Vec<&str> = first.text.split_inclusive('\n').collect();
        let next = |name: &str, lines: &[&str]| {
            let session = self.session(name);
            self.place.write(session.dir.join(&first.below), lines.concat())?;
            Ran::of(&mut session.command(&["render", "more", "--resume", &first.id]))
        };
        let undisturbed = next("whole", &lines)?;
        if undisturbed.code != Some(0) {
            bail!("the undisturbed transcript: {}", undisturbed.text());
        }
        let mut changed = Vec::new();
        let mut change = |name: String, change: &dyn Fn(&mut Vec<_>)| {
            let mut copy = lines.clone();
            change(&mut copy);
            changed.push((name, copy));
        };
        let far = if self.is_long { lines.len() } else { 3 };
        for (number, at) in (1..).zip(0..lines.len()) {
            for other in at + 1..lines.len().min(at + far) {
                let name = format!("lines {number} and {} swapped", other + 1);
                change(name, &|lines| lines.swap(at, other));
            }
            change(format!("line {number} doubled"), &|lines| {
                lines.insert(at, lines[at]);
            });
            for to in [0, lines.len() - 1].into_iter().filter(|to| *to != at) {
                change(format!("line {number} moved to line {}", to + 1), &|lines| {
                    let line = lines.remove(at);
                    lines.insert(to, line);
                });
            }
            if number < lines.len() {
                change(format!("line {number} missing"), &|lines| {
                    let _ = lines.remove(at);
                });
            }
        }
        let mut refused = 0;
        for (number, (name, lines)) in changed.iter().enumerate() {
            let ran = next(&format!("rearranged{number}"), lines)?;
            let is_refused = ran.code == Some(1) && ran.text().contains("line");
            refused += usize::from(is_refused);
            let held = is_refused || ran.code == Some(0) && ran.stdout == undisturbed.stdout;
            outcome.check((!held).then(|| format!("{name}: {:?}, {}", ran.code, ran.text())));
        }
        let same = changed.len() - refused;
        outcome
            .note(format!("rearranged transcripts: {refused} refused, {same} with the same bytes"));
        Ok(())
    }

    /// Kills a session at write N by any thread, for every N.
    ///
    /// The loop ends with the first number that is larger than the number of
    /// writes, when the session ends undisturbed.
    fn kill(&self, outcome: &mut Outcome) -> Result<()> {
        let mut kills = 0;
        let step = if self.is_long { 1 } else { 3 };
        for number in (1..).step_by(step) {
            let session = self.session(&format!("killed{number}"));
            let ran = session.killed_at(number, &["run", &self.prompt])?;
            if ran.code == Some(0) {
                // The session has fewer writes.
                self.server.take();
                break;
            }
            kills += 1;
            let finding = session.resume()?;
            outcome.check(finding.map(|it| format!("killed at write {number}: {it}")));
        }
        outcome.note(format!("{kills} kills by strace, at every write number {step} k + 1"));
        Ok(())
    }
}
