//! What a session is made from, on a machine that the test describes.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::PathBuf;

use aside_host::{CommandLine, Environment, Host, Variables};
use aside_prompt_sections::Platform;
use aside_session::{Git, PromptMode, SessionConfig};

/// A machine whose home, administrator's directory and project are directories
/// of their own.
struct Machine {
    directory: tempfile::TempDir,
    host: Host,
}

impl Machine {
    fn new(settings: &str, variables: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in ["home/.claude", "managed", "p", "notes"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        fs::write(path("home/.claude/settings.json"), settings).unwrap();
        let mut environment: Environment = variables.iter().copied().collect();
        environment.extend([
            ("HOME", path("home")),
            ("ASIDE_MANAGED_DIR", path("managed")),
        ]);
        let host = Host {
            variables: Variables::from_pairs(environment.iter()),
            environment,
            platform: Platform::Linux,
            os_version: None,
            now: "2026-01-31 12:00 +00:00".to_owned(),
            today: "2026-02-03".parse().unwrap(),
            terminal_width: None,
        };
        Self { directory, host }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The session, and what is told.
    fn session(&self) -> (SessionConfig, Vec<String>) {
        let mut told = Vec::new();
        let command_line = CommandLine::new(self.path("p"));
        let config = self.host.session(&command_line, &mut told).unwrap();
        (config, told.iter().map(ToString::to_string).collect())
    }
}

#[test]
fn variables_of_settings_count_over_those_of_the_process() {
    let settings = r#"{"env":{"ASIDE_SIMPLE":"0","SHELL":"/bin/fish"}}"#;
    let machine = Machine::new(settings, &[("ASIDE_SIMPLE", "1"), ("SHELL", "/bin/zsh")]);
    let (config, told) = machine.session();
    assert_eq!(config.mode, PromptMode::Full);
    assert_eq!(config.shell.as_deref(), Some("fish"));
    assert!(told.is_empty(), "{told:?}");
    // The host itself is as the process is.
    assert!(machine.host.variables.simple);
}

#[test]
fn settings_do_not_say_where_settings_are() {
    let settings = r#"{"env":{"HOME":"/else","ASIDE_MANAGED_DIR":"/else","A":"b"}}"#;
    let machine = Machine::new(settings, &[]);
    let mut told = Vec::new();
    let settings = machine
        .host
        .settings(&CommandLine::new(machine.path("p")), &mut told)
        .unwrap();
    let environment = machine.host.environment(&settings, &mut told);
    assert_eq!(
        environment.get("HOME"),
        Some(machine.path("home").as_os_str())
    );
    assert_eq!(environment.get("A"), Some("b".as_ref()));
    let told: Vec<_> = told.iter().map(ToString::to_string).collect();
    let file = machine.path("home/.claude/settings.json");
    let is_told = |name: &str| {
        let file = file.display();
        format!("warning: {file}: env: {name} is left out: it says where the settings are")
    };
    assert_eq!(told, [is_told("ASIDE_MANAGED_DIR"), is_told("HOME")]);
}

#[test]
fn git_is_told_unless_somebody_says_no() {
    let is_told = |settings: &str, variables: &[(&str, &str)]| {
        let (config, _) = Machine::new(settings, variables).session();
        matches!(config.git, Git::Snapshot(_))
    };
    assert!(is_told("{}", &[]));
    assert!(is_told(r#"{"includeGitInstructions":true}"#, &[]));
    assert!(!is_told(r#"{"includeGitInstructions":false}"#, &[]));
    assert!(!is_told(
        "{}",
        &[("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1")]
    ));
    assert!(!is_told(r#"{"env":{"CLAUDE_CODE_REMOTE":"true"}}"#, &[]));
}

#[test]
fn the_model_is_told_of_notes_that_have_a_place() {
    let machine = Machine::new("{}", &[]);
    let notes = |settings: String| {
        fs::write(machine.path("home/.claude/settings.json"), settings).unwrap();
        let (config, told) = machine.session();
        (
            config
                .memory_directory
                .map(|notes| notes.path.raw().to_owned()),
            told.len(),
        )
    };
    let at = |path: &str| format!(r#"{{"autoMemoryDirectory":{path:?}}}"#);
    assert_eq!(notes("{}".to_owned()), (None, 0));
    let there = machine.path("notes").to_str().unwrap().to_owned();
    assert_eq!(notes(at(&there)), (Some(there), 0));
    assert_eq!(notes(at("~/nowhere")), (None, 0));
    assert_eq!(notes(at("notes")), (None, 1));
}

#[test]
fn a_language_is_a_name() {
    let language = |name: &str| {
        let machine = Machine::new(&format!(r#"{{"language":"{name}"}}"#), &[]);
        let (config, told) = machine.session();
        let file = machine.path("home/.claude/settings.json");
        let file = file.to_str().unwrap();
        let told: Vec<_> = told.iter().map(|it| it.replace(file, "FILE")).collect();
        (
            config
                .language
                .map(|language| language.name.raw().to_owned()),
            told,
        )
    };
    let longest = "\u{e9}".repeat(100);
    assert_eq!(language(&longest), (Some(longest.clone()), Vec::new()));
    let told = "warning: FILE: language is left out: longer than 100 characters";
    assert_eq!(
        language(&format!("{longest}e")),
        (None, vec![told.to_owned()])
    );
}

#[test]
fn a_relative_directory_is_told() {
    let machine = Machine::new("{}", &[("CLAUDE_CONFIG_DIR", "here")]);
    let (_, told) = machine.session();
    let expected = "warning: CLAUDE_CONFIG_DIR is left out: here is not an absolute path";
    assert_eq!(told, [expected]);
    let machine = Machine::new("{}", &[("CLAUDE_CONFIG_DIR", "")]);
    assert!(machine.session().1.is_empty());
}
