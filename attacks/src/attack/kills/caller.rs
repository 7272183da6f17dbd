//! The files of a caller of `aside render`, which is killed at each write: the
//! caller's next call gives the undisturbed request and leaves the same file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::super::command::Ran;
use super::super::outcome::Outcome;
use super::Project;

/// The second prompt, as it is in both files.
const PROMPT: &str = "then check it";

const ANSWER: &str = r#"{"kind":"message","role":"assistant","origin":{"type":"model","name":"claude-sonnet-5-5","provider":"anthropic"},"parts":[{"type":"text","text":"Done."}]}"#;

const MESSAGES: [&str; 2] = [
    r#"[{"role":"user","content":"begin"}]"#,
    r#"[{"role":"user","content":"begin"},{"role":"assistant","content":"Done."},{"role":"user","content":"then check it"}]"#,
];

/// Kills both forms: a log that `--append` extends, and the head that
/// `--context` replaces.
pub(super) fn kill(project: &Project, outcome: &mut Outcome) -> Result<()> {
    let path = |name: &str| project.place.path(format!("caller/{name}"));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let log = path("log.jsonl");
    let calls = ["render", "--append", "--conversation", &text(&log)].map(str::to_owned);
    fs::create_dir(path(""))?;
    project.render(&calls, Some("begin"))?;
    let first = fs::read_to_string(&log)?;
    project.place.write(&log, format!("{first}{ANSWER}\n"))?;
    project.killed_caller(&log, &calls, Some(PROMPT), outcome)?;

    let head = path("head.json");
    let [first, second] = ["first.json", "second.json"].map(path);
    for (path, messages) in [&first, &second].into_iter().zip(MESSAGES) {
        project.place.write(path, messages)?;
    }
    let calls = |messages: &PathBuf| {
        let (head, messages) = (text(&head), text(messages));
        let calls = ["render", "--json", "--context", &head, "--messages", &messages];
        calls.map(str::to_owned)
    };
    project.render(&calls(&first), None)?;
    project.killed_caller(&head, &calls(&second), None, outcome)
}

impl Project {
    fn render(&self, calls: &[String], prompt: Option<&str>) -> Result<Ran> {
        let arguments: Vec<&str> = calls.iter().map(|it| &**it).chain(prompt).collect();
        Ran::of(&mut self.session("caller").command(&arguments))
    }

    /// Kills a call at each write. The next call has the prompt only if the
    /// file has not.
    fn killed_caller(
        &self,
        file: &Path,
        calls: &[String],
        prompt: Option<&str>,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let before = fs::read(file)?;
        let undisturbed = self.render(calls, prompt)?;
        ensure!(undisturbed.code == Some(0), "{}", undisturbed.text());
        let after = fs::read(file)?;
        ensure!(before != after, "{} did not change", file.display());
        let session = self.session("caller");
        let arguments: Vec<&str> = calls.iter().map(|it| &**it).chain(prompt).collect();
        for number in 1.. {
            self.place.write(file, &before)?;
            if session.killed_at(number, &arguments)?.code == Some(0) {
                ensure!(number > 2, "{} was not killed", file.display());
                break;
            }
            let left = fs::read_to_string(file).context("the file is gone or no text")?;
            let again = self.render(calls, prompt.filter(|it| !left.contains(it)))?;
            let finding = if again.stdout != undisturbed.stdout {
                Some(format!("another request, {}", again.text()))
            } else if fs::read(file)? != after {
                Some("another file".to_owned())
            } else {
                None
            };
            let name = file.display();
            outcome.check(finding.map(|it| format!("{name} killed at write {number}: {it}")));
        }
        Ok(())
    }
}
