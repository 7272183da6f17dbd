//! One project's sessions: interrupted, resumed, and compared with the
//! undisturbed one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde::de::IgnoredAny;
use walkdir::WalkDir;

use super::super::command::Ran;
use super::super::place::Place;
use super::super::server::{CALLING_ANSWERS, Server, answers_before};

/// A project that all sessions share and none changes.
pub(in super::super) struct Project {
    pub(in super::super) place: Place,
    /// Records the bodies.
    pub(in super::super) server: Server,
    pub(in super::super) prompt: String,
    /// The undisturbed session's bodies.
    pub(in super::super) undisturbed: Vec<Vec<u8>>,
    pub(in super::super) is_long: bool,
}

/// A session with its own directory.
pub(in super::super) struct Session<'a> {
    project: &'a Project,
    /// This session's `ASIDE_DIR`, for its transcript.
    pub(in super::super) dir: PathBuf,
}

impl<'a> Session<'a> {
    pub(in super::super) fn project(&self) -> &'a Project {
        self.project
    }

    /// Returns the command, with a fixed date and the server's address.
    pub(in super::super) fn command(&self, arguments: &[&str]) -> Command {
        self.command_below(&self.project.place.aside, arguments)
    }

    /// Returns another program's command line, with the same environment.
    pub(in super::super) fn command_below(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = self.project.place.program(program, arguments);
        command
            .args(["--date", "2026-01-31"])
            .env("ASIDE_DIR", &self.dir)
            .env("ANTHROPIC_API_KEY", "sk-test")
            .env("ANTHROPIC_BASE_URL", &self.project.server.url);
        command
    }

    /// Runs the command, and kills it at its write or renaming with this number.
    pub(super) fn killed_at(&self, number: usize, arguments: &[&str]) -> Result<Ran> {
        let calls = "write,writev,sendto,pwrite64,rename,renameat,renameat2";
        let options = format!(
            "-f -qq -o /dev/null -e trace={calls} -e inject={calls}:signal=SIGKILL:when={number}"
        );
        let mut command: Vec<&str> = options.split(' ').collect();
        command.push(&self.project.place.aside);
        command.extend(arguments);
        Ran::of(&mut self.command_below("strace", &command))
    }

    /// `None` before the first write.
    pub(in super::super) fn transcript(&self) -> Option<PathBuf> {
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
    pub(in super::super) fn resume(&self) -> Result<Option<String>> {
        let mut bodies = self.project.server.take();
        let Some(path) = self.transcript() else {
            let sent = bodies.len();
            return Ok((sent > 0).then(|| format!("{sent} requests without a transcript")));
        };
        let text = fs::read_to_string(&path)?;
        let id = path.file_stem().context("no id")?.to_string_lossy();
        let (lines, last) = text.rsplit_once('\n').unwrap_or(("", &text));
        // A last line that lacks nothing but its end is whole.
        let is_whole = serde_json::from_str::<IgnoredAny>(last).is_ok();
        let whole = if is_whole { &text } else { lines };
        let prompt = (!whole.contains("go @f1.txt")).then_some(&*self.project.prompt);
        let is_done = whole.contains(&format!("Answer {CALLING_ANSWERS}."));
        // Without the first line there is no session to resume.
        if !whole.is_empty() && !is_done {
            let resume = ["run"].into_iter().chain(prompt).chain(["--resume", &id]);
            let ran = Ran::of(&mut self.command(&resume.collect::<Vec<_>>()))?;
            if ran.code != Some(0) {
                return Ok(Some(format!("no resume: {}", ran.text())));
            }
            bodies.extend(self.project.server.take());
            let end = bodies.last().map_or(0, |body| answers_before(body));
            if end != CALLING_ANSWERS {
                return Ok(Some(format!("the session ends after {end} answers")));
            }
        }
        Ok(self.project.difference(&bodies))
    }
}

impl Project {
    /// Returns a session that has not been started.
    pub(in super::super) fn session(&self, name: &str) -> Session<'_> {
        let dir = self.place.path(format!("sessions/{name}"));
        Session { project: self, dir }
    }

    /// Returns the first byte at which a request differs from the undisturbed
    /// one.
    ///
    /// Bodies are compared by how many of the model's messages they have, since
    /// a resumed session does not repeat the first requests.
    pub(in super::super) fn difference(&self, bodies: &[Vec<u8>]) -> Option<String> {
        let pairs = bodies.iter().map(|body| {
            let expected = self.undisturbed.get(answers_before(body));
            (body, expected.map_or(&[][..], Vec::as_slice))
        });
        let (body, expected) = pairs.into_iter().find(|pair| pair.0 != pair.1)?;
        let is_same = body.iter().zip(expected).take_while(|(a, b)| a == b);
        let at = is_same.count();
        let excerpt = |text: &[u8]| {
            let text = &text[at..text.len().min(at + 80)];
            String::from_utf8_lossy(text).into_owned()
        };
        let number = answers_before(body);
        let (body, expected) = (excerpt(body), excerpt(expected));
        Some(format!("request {number} differs at byte {at}: {body:?} instead of {expected:?}"))
    }
}
