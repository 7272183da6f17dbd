//! A place to try each form of a switch.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::clean;
use crate::support::git;

/// A directory with a home, an administrator and a project in a repository.
pub(crate) struct Place(pub(crate) tempfile::TempDir);

/// One way to set a switch. In it, `ROOT` stands for the place's root.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Flags(&'static [&'static str]),
    Variable(&'static str, &'static str),
    /// In the user's settings.
    Setting(&'static str),
    /// In the administrator's settings.
    Managed(&'static str),
}

/// What a switch does to the body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    Adds(&'static str),
    Removes(&'static str),
    /// The first text becomes the second.
    Turns(&'static str, &'static str),
}
impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (path, text) in [
            ("project/CLAUDE.md", "Use tabs.\n@../outside.md\n"),
            ("project/GEMINI.md", "For another agent."),
            ("project/CLAUDE.local.md", "Local words."),
            ("project/.claude/reminders/r.md", "---\nschedule: {kind: always}\n---\nRemember."),
            ("outside.md", "From outside."),
            ("more/CLAUDE.md", "Of the added directory."),
            ("other-home/CLAUDE.md", "Of another configuration."),
            ("other-managed/CLAUDE.md", "Of another administrator."),
            ("home/.claude/CLAUDE.md", "Of the user."),
            ("home/.claude/output-styles/terse.md", "---\nname: Terse\n---\nBe terse."),
            ("notes/MEMORY.md", "A note."),
            ("text.txt", "A text of a file."),
            ("messages.json", "[]"),
            ("tools.json", "[]"),
            ("agent.md", "---\nname: reviewer\n---\nYou review."),
            ("state.json", r#"{"sections":{"model_override":"One sentence."}}"#),
        ] {
            place.write(path, text);
        }
        git(&place.path("project"), &["init", "-q", "-b", "main"]);
        place
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Fills in the place's root.
    fn filled(&self, text: &str) -> String {
        text.replace("ROOT", self.0.path().to_str().unwrap())
    }

    /// Prepares to run `aside` in the project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = clean::aside(self.0.path(), &self.path("project"));
        command.args(arguments.iter().map(|it| self.filled(it)));
        command
    }

    /// Returns a request's body, and what is reported.
    #[track_caller]
    pub(crate) fn render(&self, base: &[&str], form: Option<Form>) -> String {
        let filled = |text: &str| self.filled(text);
        let mut command = self.command(&[&["render", "hello"], base].concat());
        for path in ["home/.claude/settings.json", "managed/managed-settings.json"] {
            let _ = fs::remove_file(self.path(path));
        }
        match form {
            Some(Form::Flags(flags)) => _ = command.args(flags.iter().map(|it| filled(it))),
            Some(Form::Variable(name, value)) => _ = command.env(name, filled(value)),
            Some(Form::Setting(json)) => self.write("home/.claude/settings.json", &filled(json)),
            Some(Form::Managed(json)) => self.write("managed/managed-settings.json", &filled(json)),
            None => {}
        }
        let output = command.output().unwrap();
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{form:?}: {reported}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Checks that every form has the effect, and that all forms yield the same
    /// bytes.
    #[track_caller]
    pub(crate) fn check(&self, base: &[&str], effect: Effect, forms: &[Form]) {
        let usual = self.render(base, None);
        let mut first: Option<String> = None;
        for form in forms {
            let body = self.render(base, Some(*form));
            let (before, after) = match effect {
                Effect::Adds(text) => (None, Some(text)),
                Effect::Removes(text) => (Some(text), None),
                Effect::Turns(before, after) => (Some(before), Some(after)),
            };
            for (text, (with, without)) in [(before, (&usual, &body)), (after, (&body, &usual))] {
                if let Some(text) = text {
                    assert!(with.contains(text), "{form:?}: {text} not in {with}");
                    assert!(!without.contains(text), "{form:?}: {text} in {without}");
                }
            }
            let first = first.get_or_insert_with(|| body.clone());
            assert_eq!(&body, first, "{form:?} and {:?}", forms[0]);
        }
    }
}
