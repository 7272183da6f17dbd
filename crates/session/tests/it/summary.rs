//! The bytes of requests that summarize a conversation. Only the agent loop
//! makes them, so no scenario has them.
//!
//! A golden is `summary/NAME.json`; `ASIDE_BLESS=1` writes it.

use std::fs;
use std::path::Path;

use aside_claudemd::{Dirs, Loader, Mode};
use aside_messages::conversation::{
    ChangeStart, Conversation, EntryDraft, Origin, Part, PrefixChange, PrefixReset,
};
use aside_messages::wire::{ContentBlock, Message, Role, ToolResult};
use aside_models::Platform;
use aside_prompt_sections::OsKind;
use aside_session::{Git, PromptMode, Session, SessionConfig, SummaryForm, SummaryRange};
use uuid::Uuid;

use crate::support::run;

fn open() -> (Session, Conversation) {
    let memory = Loader::new(Dirs::default()).mode(Mode::Off);
    let date = "2026-01-31".parse().unwrap();
    let config = SessionConfig {
        git: Git::Skip,
        mode: PromptMode::Simple,
        ..SessionConfig::new("/p".into(), OsKind::Linux, memory, date)
    };
    let session = run(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("Read the log."));
    let model = Origin::Model { provider: "first-party".into(), name: "claude".into() };
    let call = Part::tool_use("toolu_1", "Read", r#"{"file_path":"log"}"#);
    conversation.push(EntryDraft::message(Role::Assistant, model, vec![call]));
    let result = ToolResult::new("toolu_1", vec![ContentBlock::text("x".repeat(2_002))]);
    let result = vec![Part::ToolResult(result)];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    (session, conversation)
}

#[track_caller]
fn check(name: &str, form: SummaryForm, instructions: Option<&str>) {
    let (mut session, conversation) = open();
    let range = SummaryRange::of(&conversation, "Go on.").unwrap();
    let body = session.prepare_summary(&conversation, &range, form, instructions);
    let found = String::from_utf8(body.unwrap().to_vec()).unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/summary");
    let golden = golden.join(format!("{name}.json"));
    if std::env::var_os("ASIDE_BLESS").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(golden).unwrap());
}

#[test]
fn a_request_that_summarizes() {
    check("request", SummaryForm::Request, Some(" Keep the paths. "));
}

#[test]
fn a_shortened_request_that_summarizes() {
    check("shortened", SummaryForm::Shortened, None);
}

#[test]
fn the_compaction_of_the_api() {
    check("api", SummaryForm::Api, Some("Keep the paths."));
}

#[test]
fn thinking_before_another_prefix_is_not_summarized() {
    let (mut session, mut conversation) = open();
    let model = Origin::Model { provider: "first-party".into(), name: session.model().into() };
    let thinking =
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"}]}"#;
    let mut thinking = serde_json::from_str::<Message>(thinking).unwrap().content;
    let parts = vec![Part::from(thinking.remove(0)), Part::text("Done.")];
    conversation.push(EntryDraft::message(Role::Assistant, model, parts));
    let human = conversation.push(EntryDraft::human("And now?")).id;
    let mut summarized = |conversation: &Conversation| {
        let range = SummaryRange::of(conversation, "Go on.").unwrap();
        let body = session.prepare_summary(conversation, &range, SummaryForm::Request, None);
        String::from_utf8(body.unwrap().to_vec()).unwrap()
    };
    assert!(summarized(&conversation).contains(r#""thinking":"hm""#));
    let change = PrefixChange::from_start(PrefixReset::Prompt);
    let later = PrefixChange { from: ChangeStart::Entry(human), ..change.clone() };
    conversation.push(EntryDraft::prefix_change(later));
    assert!(summarized(&conversation).contains(r#""thinking":"hm""#));
    conversation.push(EntryDraft::prefix_change(change));
    let body = summarized(&conversation);
    assert!(!body.contains(r#""thinking":"hm""#) && !body.contains("And now?"), "{body}");
}

/// Opens a session for the default model, in whose place this one responds.
fn answered_by(model: &str) -> Session {
    let memory = Loader::new(Dirs::default()).mode(Mode::Off);
    let date = "2026-01-31".parse().unwrap();
    run(Session::open(SessionConfig {
        git: Git::Skip,
        service: Platform::OpenAi,
        answering_model: Some(model.to_owned()),
        ..SessionConfig::new("/p".into(), OsKind::Linux, memory, date)
    }))
}

#[test]
fn the_window_is_that_of_the_model_that_responds() {
    let session = answered_by("gpt-5.2");
    assert_eq!(session.input_window(), Some(400_000 - 8_192));
}

#[test]
fn a_compaction_costs_what_the_model_that_responds_costs() {
    let loss = |model| {
        let mut session = answered_by(model);
        let mut conversation = session.begin(Uuid::nil());
        conversation.push(EntryDraft::human("Go"));
        let prepared = session.prepare(&conversation).unwrap();
        session.compaction_loss(&prepared).map(|it| it.to_string())
    };
    let read = |model| loss(model).unwrap()[..45].to_owned();
    assert_eq!(read("gpt-5.2"), "at cache reads of 0.100 of the price of input");
    assert_eq!(read("gpt-4.1"), "at cache reads of 0.250 of the price of input");
    assert_eq!(loss("llama-7"), None, "its price is unknown");
}
