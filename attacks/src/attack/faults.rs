//! A system that fails at any call: no space, no descriptors, a broken disk.
//!
//! `strace` makes call N of a kind fail, for every N, and a shell limit ends the space for a file
//! after every block of 512 bytes. A command has to end by itself, with one of its own exit codes.
//! If it succeeds with another output, it has to report why: nothing is lost in silence. A session
//! that failed, or that was killed, continues with the undisturbed one's bytes, as in `kills`.
//!
//! The attacker is a full disk, a system limit, or a crash. These are promises 4 and 5 in
//! `docs/security.md`. Without `strace` nothing is tried. `--short` tries every fifteenth call.

use anyhow::{Context, Result, bail};
use std::fs;

use super::Extent;
use super::case::Class;
use super::command::Ran;
use super::kills::session::{Project, Session};
use super::kills::{has_strace, undisturbed};
use super::outcome::Outcome;

/// A kind of fault: the calls, and what happens to one of them.
struct Fault {
    calls: String,
    effect: String,
    /// How long the transcript is, in the blocks of a shell limit.
    blocks: usize,
}

/// The unit of `ulimit -f`.
const BLOCK_BYTES: usize = 512;

/// Runs every command in the file under every fault.
///
/// # Errors
/// An undisturbed command fails.
pub(super) fn run(aside: &str, extent: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    if !has_strace() {
        outcome.note("no strace: nothing was tried".to_owned());
        return Ok(outcome);
    }
    let class = Class::read("faults")?;
    let (project, transcript) = undisturbed(aside, extent, "directory")?;
    let blocks = transcript.text.len() / BLOCK_BYTES;
    let mut scope = class.scopes(&class.cases[0], extent)?.pop();
    let scope = scope.as_mut().context("no case")?;
    let lists = |name: &str| class.list(&name.into(), extent);
    for fault in lists("${faults}")? {
        let [calls, effect] = &scope.arguments(&fault)?[..] else {
            bail!("a fault is a list of calls and an effect");
        };
        let (calls, effect) = (calls.clone(), effect.clone());
        let fault = Fault { calls, effect, blocks };
        for arguments in lists("${commands}")? {
            let arguments = scope.arguments(&arguments)?;
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut tried = 0;
            let expected = Ran::of(&mut project.session("whole").command(&arguments))?;
            if expected.code != Some(0) {
                bail!("the undisturbed {arguments:?}: {}", expected.text());
            }
            project.server.take();
            for number in (1..).step_by(extent.pick(1, 15)) {
                let Some(finding) = fault.at(number, &project, &arguments, &expected)? else {
                    break;
                };
                tried += 1;
                let name = format!("{} at call {number} of {}", fault.effect, fault.calls);
                outcome.check(finding.map(|it| format!("{arguments:?}, {name}: {it}")));
            }
            outcome
                .note(format!("{} {}: {tried} faults, {arguments:?}", fault.calls, fault.effect));
        }
    }
    Ok(outcome)
}

impl Fault {
    /// Runs a session command below `strace`, which makes call `number` fail. Returns the result,
    /// and whether the call was reached.
    fn inject(
        &self,
        session: &Session<'_>,
        number: usize,
        arguments: &[&str],
    ) -> Result<(Ran, bool)> {
        let place = &session.project().place;
        let (calls, effect) = (&self.calls, &self.effect);
        if effect == "full" {
            // strace cannot tell a file from the pipe that wakes a thread.
            let limit = number - 1;
            let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
            let options = ["-c", &script, &place.aside];
            let ran = Ran::of(&mut session.command_below("sh", &[&options, arguments].concat()))?;
            return Ok((ran, limit < self.blocks));
        }
        let log = place.path("strace.log");
        let log = log.to_string_lossy();
        let inject = format!("inject={calls}:{effect}:when={number}");
        let trace = format!("trace={calls}");
        let options = ["-f", "-qq", "-o", &log, "-e", &trace, "-e", &inject, &place.aside];
        let ran = Ran::of(&mut session.command_below("strace", &[&options, arguments].concat()))?;
        // A killed process has no line that says so.
        let is_reached = fs::read_to_string(&*log)?.contains("(INJECTED)") || ran.code.is_none();
        Ok((ran, is_reached))
    }

    /// Returns what the fault at one call gives; `None` if the command has fewer.
    fn at(
        &self,
        number: usize,
        project: &Project,
        arguments: &[&str],
        expected: &Ran,
    ) -> Result<Option<Option<String>>> {
        let session = project.session("fault");
        let _ = fs::remove_dir_all(&session.dir);
        let (ran, is_reached) = self.inject(&session, number, arguments)?;
        if !is_reached {
            project.server.take();
            return Ok(None);
        }
        // The loader failed, before the command had begun.
        if ran.code == Some(127) {
            return Ok(Some(None));
        }
        let is_killed = ran.code.is_none() && self.effect.contains("SIGKILL");
        if !is_killed && let Some(fault) = ran.fault() {
            return Ok(Some(Some(fault)));
        }
        let is_listed = ["os error", "unreadable"].iter().any(|it| ran.text().contains(it));
        let is_silent = ran.code == Some(0) && ran.stderr == expected.stderr && !is_listed;
        let is_run = arguments[0] == "run";
        if is_silent && ran.stdout != expected.stdout && !is_run {
            return Ok(Some(Some("another output without a report".to_owned())));
        }
        if is_run {
            let finding = session.resume()?;
            // What could not be read was reported, and is not in the requests.
            let is_reported = ran.stderr != expected.stderr && !is_killed;
            let differs = |it: &String| it.starts_with("request ");
            return Ok(Some(finding.filter(|it| !(is_reported && differs(it)))));
        }
        Ok(Some(None))
    }
}
