//! Configuring a session on a machine that the test describes.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::PathBuf;

use aside_host::{CommandLine, EnvVars, Host, Variables};
use aside_prompt_sections::OsKind;
use aside_session::{Git, PromptMode, SessionConfig, SessionTime};

/// A machine with separate directories for home, administrator and project.
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
        let dirs = [("HOME", path("home")), ("ASIDE_MANAGED_DIR", path("managed"))];
        let mut environment: EnvVars = dirs.into_iter().collect();
        environment.extend(variables.iter().copied());
        let host = Host {
            variables: Variables::from_pairs(environment.iter()),
            environment,
            platform: OsKind::Linux,
            os_version: None,
            time: SessionTime {
                now: Some("2026-01-31 12:00 +00:00".to_owned()),
                ..SessionTime::default()
            },
            today: "2026-02-03".parse().unwrap(),
        };
        Self { directory, host }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the configuration and the diagnostics.
    fn session(&self) -> (SessionConfig, Vec<String>) {
        let mut diagnostics = Vec::new();
        let command_line = CommandLine::new(self.path("p"));
        let config = self.host.session(&command_line, &mut diagnostics).unwrap();
        (config, diagnostics.iter().map(ToString::to_string).collect())
    }
}

#[test]
fn variables_of_settings_override_those_of_the_process() {
    let settings = r#"{"env":{"ASIDE_SIMPLE":"0","SHELL":"/bin/fish"}}"#;
    let machine = Machine::new(settings, &[("ASIDE_SIMPLE", "1"), ("SHELL", "/bin/zsh")]);
    let (config, diagnostics) = machine.session();
    assert_eq!(config.mode, PromptMode::Full);
    assert_eq!(config.shell.as_deref(), Some("fish"));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    // The host's variables are those of the process.
    assert!(machine.host.variables.simple);
}

#[test]
fn settings_cannot_move_the_settings() {
    let settings = r#"{"env":{"HOME":"/else","ASIDE_MANAGED_DIR":"/else","A":"b"}}"#;
    let machine = Machine::new(settings, &[]);
    let mut diagnostics = Vec::new();
    let settings =
        machine.host.settings(&CommandLine::new(machine.path("p")), &mut diagnostics).unwrap();
    let environment = machine.host.environment(&settings, &mut diagnostics);
    assert_eq!(environment.get("HOME"), Some(machine.path("home").as_os_str()));
    assert_eq!(environment.get("A"), Some("b".as_ref()));
    let diagnostics: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
    let file = machine.path("home/.claude/settings.json");
    let is_told = |name: &str| {
        let file = file.display();
        format!("warning: {file}: env: {name} is left out: it locates the settings")
    };
    assert_eq!(diagnostics, [is_told("ASIDE_MANAGED_DIR"), is_told("HOME")]);
}

#[test]
fn git_is_gathered_unless_it_is_disabled() {
    let is_told = |settings: &str, variables: &[(&str, &str)]| {
        let (config, _) = Machine::new(settings, variables).session();
        matches!(config.git, Git::Snapshot(_))
    };
    assert!(is_told("{}", &[]));
    assert!(is_told(r#"{"includeGitInstructions":true}"#, &[]));
    assert!(!is_told(r#"{"includeGitInstructions":false}"#, &[]));
    assert!(!is_told("{}", &[("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1")]));
    assert!(!is_told(r#"{"env":{"CLAUDE_CODE_REMOTE":"true"}}"#, &[]));
    // A variable wins over the setting in both directions, and another one over neither.
    let off = r#"{"includeGitInstructions":false}"#;
    assert!(is_told(off, &[("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "0")]));
    assert!(!is_told(off, &[("CLAUDE_CODE_REMOTE", "0")]));
    let disable = "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS";
    assert!(!is_told(off, &[(disable, "0"), ("CLAUDE_CODE_REMOTE", "1")]));
}

#[test]
fn a_variable_that_is_off_wins_over_the_setting() {
    let compacts = |settings: &str, variables: &[(&str, &str)]| {
        Machine::new(settings, variables).session().0.compaction.is_some()
    };
    let off = r#"{"compaction":{"enabled":false}}"#;
    assert!(!compacts(off, &[]));
    assert!(compacts(off, &[("DISABLE_AUTO_COMPACT", "0")]));
    assert!(!compacts("{}", &[("DISABLE_AUTO_COMPACT", "1")]));

    let is_scoped = |settings: &str, variables: &[(&str, &str)]| {
        Machine::new(settings, variables).session().0.cache.global_scope.enabled
    };
    let on = r#"{"cache":{"globalScope":true}}"#;
    assert!(is_scoped(on, &[]));
    assert!(!is_scoped(on, &[("ASIDE_GLOBAL_SCOPE", "0")]));
    assert!(is_scoped("{}", &[("ASIDE_GLOBAL_SCOPE", "1")]));

    let machine = Machine::new("{}", &[]);
    let at = machine.path("notes");
    let off = format!(r#"{{"autoMemoryDirectory":{at:?},"autoMemoryEnabled":false}}"#);
    let has_notes = |variables: &[(&str, &str)]| {
        Machine::new(&off, variables).session().0.memory_directory.is_some()
    };
    assert!(!has_notes(&[]));
    assert!(has_notes(&[("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0")]));
}

#[test]
fn notes_are_announced_if_their_directory_exists() {
    let machine = Machine::new("{}", &[]);
    let notes = |settings: String| {
        fs::write(machine.path("home/.claude/settings.json"), settings).unwrap();
        let (config, diagnostics) = machine.session();
        (config.memory_directory.map(|notes| notes.path.raw().to_owned()), diagnostics.len())
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
        let (config, diagnostics) = machine.session();
        let settings = machine.path("home/.claude/settings.json");
        let file = settings.to_str().unwrap();
        let diagnostics: Vec<_> = diagnostics.iter().map(|it| it.replace(file, "FILE")).collect();
        (config.language.map(|language| language.name.raw().to_owned()), diagnostics)
    };
    let longest = "\u{e9}".repeat(100);
    assert_eq!(language(&longest), (Some(longest.clone()), Vec::new()));
    let diagnostics = "warning: FILE: language is left out: longer than 100 characters";
    assert_eq!(language(&format!("{longest}e")), (None, vec![diagnostics.to_owned()]));
}

#[test]
fn a_relative_directory_is_reported() {
    for name in ["CLAUDE_CONFIG_DIR", "ASIDE_DIR"] {
        let machine = Machine::new("{}", &[(name, "here")]);
        let expected = format!("warning: {name} is left out: here is not an absolute path");
        assert_eq!(machine.session().1, [expected]);
        for value in ["", "/here"] {
            assert!(Machine::new("{}", &[(name, value)]).session().1.is_empty());
        }
    }
    let home = |value| Machine::new("{}", &[("HOME", value)]).session().1;
    assert_eq!(home("here"), ["warning: HOME is left out: here is not an absolute path"]);
    assert!(home("/here").is_empty());
}
