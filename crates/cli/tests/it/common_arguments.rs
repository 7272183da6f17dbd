//! Every command with a session accepts the same arguments.

use crate::support::clean;

use std::fs;
use std::process::{Output, Stdio};

const COMMANDS: &[&[&str]] = &[
    &["render", "hi"],
    &["run", "hi", "--replay", "answers.json"],
    &["prompt"],
    &["memory"],
    &["memory", "imports", "CLAUDE.md"],
    &["reminders", "list"],
    &["reminders", "check"],
    &["reminders", "check", "reminders"],
    &["reminders", "simulate", "session.json"],
];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let project = place.0.path().join("project");
        fs::create_dir_all(project.join("reminders")).unwrap();
        for (name, text) in [
            ("CLAUDE.md", "Use tabs."),
            ("state.json", "{}"),
            ("prompt.txt", "You are brief."),
            ("agent.md", "Review."),
            ("session.json", "{}"),
            ("answers.json", r#"{"version":1,"answers":[{"content":"Yes."}]}"#),
        ] {
            fs::write(project.join(name), text).unwrap();
        }
        place
    }

    fn aside(&self, command: &[&str], arguments: &[&str]) -> Output {
        let root = self.0.path();
        let mut aside = clean::aside(root, &root.join("project"));
        aside.args(command).args(arguments).stdin(Stdio::null());
        aside.output().unwrap()
    }
}

#[test]
fn every_command_accepts_the_common_arguments() {
    let place = Place::new();
    #[rustfmt::skip]
    let common = [
        "--cwd", ".", "--add-dir", "reminders", "--setting-sources", "user,project",
        "--settings", "{}", "--state", "state.json", "--bare", "--allow-external-imports",
        "--no-project-reminders", "--query-source", "sdk", "--layout", "classic",
        "--provider", "first-party", "--model", "m", "--max-tokens", "1", "--date", "2026-01-31",
    ];
    let prompts: [&[&str]; 4] = [
        &["--system-prompt", "a", "--append-system-prompt", "b"],
        &["--system-prompt-file", "prompt.txt", "--append-system-prompt-file", "prompt.txt"],
        &["--override-system-prompt", "a", "--coordinator", "--worker-tool", "Agent"],
        &["--agent", "agent.md", "--proactive"],
    ];
    for command in COMMANDS {
        for prompt in prompts {
            let output = place.aside(command, &[&common, prompt].concat());
            assert_eq!(output.status.code(), Some(0), "{command:?} {output:?}");
        }
    }
}

#[test]
fn every_command_refuses_invalid_common_arguments() {
    let place = Place::new();
    for command in COMMANDS {
        for (arguments, expected) in [
            (["--cwd", "nowhere"], "failed to use nowhere"),
            (["--add-dir", "nowhere"], "failed to add the directory"),
            (["--settings", "nowhere"], "failed to use --settings"),
            (["--state", "prompt.txt"], "failed to read prompt.txt:1:"),
            (["--agent", "nowhere"], "failed to read nowhere"),
            (["--system-prompt-file", "nowhere"], "failed to read nowhere"),
            (["--date", "today"], "--date"),
            (["--layout", "baroque"], "--layout"),
        ] {
            let output = place.aside(command, &arguments);
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?} {stderr}");
            assert!(stderr.contains(expected), "{command:?} {stderr}");
        }
    }
}

#[test]
fn help_shows_the_options_that_a_command_uses() {
    let place = Place::new();
    for command in COMMANDS {
        let help = place.aside(command, &["--help"]).stdout;
        let help = String::from_utf8(help).unwrap();
        let makes_requests = matches!(command[0], "render" | "run" | "prompt");
        let sends_all = makes_requests && command[0] != "prompt";
        for option in ["--max-tokens", "--cache-ttl", "--query-source", "--snip"] {
            assert_eq!(help.contains(option), sends_all, "{command:?} {option}");
        }
        assert_eq!(help.contains("--system-prompt"), makes_requests, "{command:?}");
        // Other options come first.
        let session = help.find("\nSession:\n").expect("the options of a session");
        if let (false, Some(json)) = (makes_requests, help.find("      --json\n")) {
            assert!(json < session, "{command:?}");
        }
    }
}
