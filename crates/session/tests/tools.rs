//! Tools that come and go, and the markers on them.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::path::Path;

use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::lower::PrefixReset;
use aside_messages::wire::{CacheControl, RawJson, Tool};
use aside_prompt_sections::Platform;
use aside_session::{Git, Session, SessionConfig, SessionTool, ToolOrigin};
use uuid::Uuid;

fn open(cwd: &Path, tools: Vec<SessionTool>) -> (Session, Conversation) {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let config = SessionConfig {
        git: Git::Skip,
        tools,
        ..SessionConfig::new(cwd.to_owned(), Platform::Linux, memory, date)
    };
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let session = runtime.block_on(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("hello"));
    (session, conversation)
}

fn tool(origin: ToolOrigin, name: &str) -> SessionTool {
    SessionTool {
        origin,
        tool: Tool::new(
            name,
            "Does it.",
            RawJson::parse(r#"{"type":"object"}"#).unwrap(),
        ),
    }
}

#[test]
fn tools_that_come_midway_begin_the_bytes_anew_once() {
    let directory = tempfile::tempdir().unwrap();
    let read = || tool(ToolOrigin::Builtin, "Read");
    let list = || tool(ToolOrigin::Mcp, "mcp__tracker__list");
    let (mut session, mut conversation) = open(directory.path(), vec![read()]);
    session
        .prepare(&conversation)
        .unwrap()
        .commit(&mut conversation);

    // The same tools in another order are the same tools.
    assert!(session.set_tools(vec![read()]).is_empty());
    assert_eq!(session.prepare(&conversation).unwrap().reset, None);

    let told = session.set_tools(vec![list(), read(), tool(ToolOrigin::Mcp, "no name")]);
    assert_eq!(told.len(), 1, "{told:?}");
    // A request that never went out leaves the next one as new.
    assert_eq!(
        session.prepare(&conversation).unwrap().reset,
        Some(PrefixReset::Tools)
    );
    let mut prepared = session.prepare(&conversation).unwrap();
    assert_eq!(prepared.reset, Some(PrefixReset::Tools));
    let names: Vec<_> = prepared
        .request()
        .tools
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["Read", "mcp__tracker__list"]);
    prepared.commit(&mut conversation);
    session.set_tools(vec![read(), list()]);
    assert_eq!(session.prepare(&conversation).unwrap().reset, None);
}

#[test]
fn a_marker_that_is_not_sent_is_told_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut deferred = tool(ToolOrigin::Mcp, "mcp__tracker__list");
    deferred.tool.defer_loading = Some(true);
    deferred.tool.cache_control = Some(CacheControl::EPHEMERAL);
    let (mut session, mut conversation) = open(directory.path(), vec![deferred]);
    let mut prepared = session.prepare(&conversation).unwrap();
    let told: Vec<_> = prepared
        .diagnostics
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        ["warning: the caller's marker at tools[0] is not sent: the block cannot have a marker"]
    );
    assert_eq!(prepared.request().tools[0].cache_control, None);
    prepared.commit(&mut conversation);
    assert!(
        session
            .prepare(&conversation)
            .unwrap()
            .diagnostics
            .is_empty()
    );
}
