//! Conversations that the API compacted, in which form requests have its summary.

use aside_claudemd::{Dirs, Loader, Mode};
use aside_messages::conversation::{Boundary, Conversation, EntryDraft, Origin};
use aside_messages::wire::{ContentBlock, Other, RawJson, Request};
use aside_models::Platform;
use aside_prompt_sections::OsKind;
use aside_session::caller::{Call, CallerHistory, CallerStorage};
use aside_session::{Git, Session, SessionConfig};
use uuid::Uuid;

use crate::support::run;

const BLOCK: &str = r#"{"type":"compaction","content":"THE SUMMARY","signature":"s"}"#;

fn config() -> SessionConfig {
    let memory = Loader::new(Dirs::default()).mode(Mode::Off);
    let date = "2026-01-31".parse().unwrap();
    SessionConfig { git: Git::Skip, ..SessionConfig::new("/p".into(), OsKind::Linux, memory, date) }
}

/// Returns each message's role and its blocks: the date's context as `context`, others by their
/// text or type.
fn shape(request: &Request) -> Vec<String> {
    let block = |text: &str| {
        let is_context = text.contains("# currentDate");
        if is_context { "context".to_owned() } else { text.to_owned() }
    };
    let messages = request.messages.iter().map(|message| {
        let blocks = message.content.iter().map(|it| match it {
            ContentBlock::Text(text) => block(&text.text),
            other => other.kind().to_owned(),
        });
        format!("{}: {}", message.role.as_str(), blocks.collect::<Vec<_>>().join(", "))
    });
    messages.collect()
}

#[test]
fn a_summary_by_the_api_is_text_where_its_block_is_not_accepted() {
    let check = |model: &str, service: Platform, betas_disabled: bool, is_block: bool| {
        let mut config = SessionConfig { model: model.into(), service, ..config() };
        config.cache.global_scope.betas_disabled = betas_disabled;
        let mut session = run(Session::open(config));
        let mut conversation = Conversation::new(Uuid::nil());
        conversation.push(EntryDraft::human("old"));
        let block = Other::new(RawJson::parse(BLOCK).unwrap()).unwrap();
        conversation.push(EntryDraft::boundary(Boundary::CompactBlock { block }));
        for entry in session.begin(Uuid::max()).entries() {
            conversation.push(entry.clone().into());
        }
        conversation.push(EntryDraft::human("go on"));
        let prepared = session.prepare(&conversation).unwrap();
        let expected: &[&str] = if is_block {
            &["assistant: compaction", "user: context, go on"]
        } else {
            &["user: context, THE SUMMARY, go on"]
        };
        assert_eq!(shape(&prepared.request()), expected, "{model} {service}");
        let reports = prepared.diagnostics.iter();
        let reports = reports.filter(|it| it.code == "compaction-block-replaced".into()).count();
        assert_eq!(reports, usize::from(!is_block), "{model} {service}");
    };
    check("claude-sonnet-5-5", Platform::FirstParty, false, true);
    check("claude-sonnet-5-5", Platform::FirstParty, true, false);
    check("claude-haiku-4-5", Platform::FirstParty, false, false);
    check("claude-sonnet-5-5", Platform::BedrockInvoke, false, false);
    check("gpt-5.5", Platform::OpenAi, false, false);
}

#[test]
fn the_context_is_behind_the_summary_in_a_callers_messages() {
    let check = |messages: &str, expected: &[&str]| {
        let mut call = Call::new(CallerStorage::State, None);
        let model = Origin::Model { provider: "p".into(), name: "m".into() };
        let history: CallerHistory = call.read_messages(messages, &model, &mut |_| {}).unwrap();
        let begun = run(call.begin(config(), history, Uuid::nil()));
        let (mut session, conversation) = begun.unwrap();
        let prepared = session.prepare(&conversation).unwrap();
        assert_eq!(shape(&prepared.request()), expected, "{messages}");
    };
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let (a, c) = (user("a"), user("c"));
    let signed = format!(r#"{{"role":"assistant","content":[{BLOCK}]}}"#);
    let expected = &["assistant: compaction", "user: context, c"];
    check(&format!("[{signed},{c}]"), expected);
    check(&format!("[{a},{signed},{c}]"), expected);
    let unsigned = r#"{"role":"assistant","content":[{"type":"compaction","content":"S"},{"type":"text","text":"b"}]}"#;
    check(
        &format!("[{a},{unsigned},{c}]"),
        &["user: context, a", "assistant: compaction, b", "user: context, c"],
    );
    check(&format!("[{a}]"), &["user: context, a"]);
}
