//! The system prompt of a session.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::path::Path;

use aside_cache_split::Layout;
use aside_claudemd::{Dirs, Loader};
use aside_prompt_sections::{AgentMode, Lifetime, Platform, Rule, fixed_section, section};
use aside_session::{
    AgentDefinition, Fate, Git, PromptMode, PromptOptions, Session, SessionConfig,
};

fn config(cwd: &Path) -> SessionConfig {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    SessionConfig {
        git: Git::Skip,
        ..SessionConfig::new(cwd.to_owned(), Platform::Linux, memory, date)
    }
}

/// Opens the session on a clock that goes on by itself when all wait.
fn open(config: SessionConfig) -> Session {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(Session::open(config))
}

fn fate(session: &Session, name: &str) -> Fate {
    let mut sections = session.prompt().sections.iter();
    let section = sections.find(|section| section.name == name);
    section.map(|section| section.fate.clone()).unwrap()
}

#[test]
fn a_section_that_never_answers_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(directory.path());
    config.sections = vec![
        section("never", Lifetime::Project, std::future::pending),
        section("quick", Lifetime::Project, async || {
            Ok(Some("Quick.".into()))
        }),
        fixed_section("house", "Be kind."),
    ];
    let session = open(config);
    assert_eq!(
        fate(&session, "never"),
        Fate::Failed("no text within 1 s".into())
    );
    assert_eq!(fate(&session, "quick"), Fate::System(2));
    assert_eq!(fate(&session, "house"), Fate::System(1));
    let told: Vec<_> = session
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        ["error: section `never` is left out: no text within 1 s"]
    );
}

#[test]
fn a_section_with_a_name_that_is_taken_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = config(directory.path());
    config.sections = vec![fixed_section("intro", "Mine.")];
    let session = open(config);
    let told = session.diagnostics()[0].to_string();
    assert!(
        told.starts_with("error: ") && told.contains("intro"),
        "{told}"
    );
}

#[test]
fn every_section_has_a_place_or_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    let session_text = || section("now", Lifetime::Session, async || Ok(Some("N".into())));
    let mut layered = config(directory.path());
    layered.sections = vec![session_text()];
    let session = open(layered);
    assert_eq!(session.prompt().rule, Rule::Default);
    assert_eq!(fate(&session, "identity"), Fate::System(0));
    assert_eq!(fate(&session, "environment"), Fate::System(2));
    assert_eq!(fate(&session, "now"), Fate::FirstMessage);
    assert_eq!(fate(&session, "memory"), Fate::Empty);

    let mut classic = config(directory.path());
    classic.sections = vec![session_text()];
    classic.layout = Layout::Classic;
    assert_eq!(fate(&open(classic), "now"), Fate::System(1));

    let mut custom = config(directory.path());
    custom.sections = vec![session_text()];
    custom.prompt.custom = Some("Plan.".into());
    let session = open(custom);
    assert_eq!(session.prompt().rule, Rule::Custom);
    assert_eq!(fate(&session, "now"), Fate::Replaced);
    assert_eq!(fate(&session, "intro"), Fate::Replaced);
    assert_eq!(fate(&session, "custom"), Fate::System(1));
}

#[test]
fn in_simple_mode_there_is_no_registry() {
    let directory = tempfile::tempdir().unwrap();
    let mut simple = config(directory.path());
    simple.mode = PromptMode::Simple;
    simple.prompt = PromptOptions {
        agent: Some(AgentDefinition {
            name: "a".into(),
            prompt: "Review.".into(),
            mode: AgentMode::Proactive,
        }),
        append: Some("Be quick.".into()),
        ..PromptOptions::default()
    };
    let session = open(simple);
    let names: Vec<_> = session
        .prompt()
        .sections
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["simple", "agent", "append"]);
    assert!(session.diagnostics().is_empty());
}
