//! Tools that are added and removed, and the markers on them.

use std::path::Path;

use aside_claudemd::{Dirs, Loader};
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::lower::PrefixReset;
use aside_messages::wire::{CacheControl, ContentBlock, RawJson, Request, Role, Tool, ToolChange};
use aside_prompt_sections::OsKind;
use aside_session::{DEFAULT_MODEL, Git, Session, SessionConfig, SessionTool, ToolOrigin};
use uuid::Uuid;

use crate::support::run;

/// A model that does not bind its thinking to the prefix.
const UNBOUND: &str = "claude-opus-5";

fn open(cwd: &Path, tools: Vec<SessionTool>) -> (Session, Conversation) {
    open_with(DEFAULT_MODEL, cwd, tools)
}

fn open_with(model: &str, cwd: &Path, tools: Vec<SessionTool>) -> (Session, Conversation) {
    let memory = Loader::new(Dirs::default());
    let date = "2026-01-31".parse().unwrap();
    let config = SessionConfig {
        git: Git::Skip,
        tools,
        model: model.to_owned(),
        ..SessionConfig::new(cwd.to_owned(), OsKind::Linux, memory, date)
    };
    let session = run(Session::open(config));
    let mut conversation = session.begin(Uuid::nil());
    conversation.push(EntryDraft::human("hello"));
    (session, conversation)
}

fn tool(origin: ToolOrigin, name: &str) -> SessionTool {
    SessionTool {
        origin,
        tool: Tool::new(name, "Does it.", RawJson::parse(r#"{"type":"object"}"#).unwrap()),
    }
}

#[test]
fn added_tools_reset_the_prefix_of_an_unbound_model_once() {
    let directory = tempfile::tempdir().unwrap();
    let read = || tool(ToolOrigin::Builtin, "Read");
    let list = || tool(ToolOrigin::Mcp, "mcp__tracker__list");
    let (mut session, mut conversation) = open_with(UNBOUND, directory.path(), vec![read()]);
    session.prepare(&conversation).unwrap().commit(&mut conversation);

    // The same tools in another order are the same tools.
    assert!(session.set_tools(vec![read()]).is_empty());
    assert_eq!(session.prepare(&conversation).unwrap().reset, None);

    let no_name = || tool(ToolOrigin::Mcp, "no name");
    let diagnostics = session.set_tools(vec![list(), read(), no_name()]);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    // A tool is reported when it is left out, not as long as it is.
    assert_eq!(session.set_tools(vec![read(), no_name(), list()]), []);
    // A request that is not sent leaves the reset for the next one.
    assert_eq!(session.prepare(&conversation).unwrap().reset, Some(PrefixReset::Tools));
    let mut prepared = session.prepare(&conversation).unwrap();
    assert_eq!(prepared.reset, Some(PrefixReset::Tools));
    let names: Vec<_> = prepared.request().tools.into_iter().map(|it| it.name).collect();
    assert_eq!(names, ["Read", "mcp__tracker__list"]);
    prepared.commit(&mut conversation);
    session.set_tools(vec![read(), list()]);
    assert_eq!(session.prepare(&conversation).unwrap().reset, None);
}

/// Prepares a request, checks that it has no prefix reset, and returns its
/// tools' names, a deferred one with a `+`, and the tool changes in its
/// messages.
fn send(session: &mut Session, conversation: &mut Conversation) -> (String, String) {
    let mut prepared = session.prepare(conversation).unwrap();
    assert_eq!(prepared.reset, None);
    let request = prepared.request();
    prepared.commit(conversation);
    (names(&request), changes(&request))
}

fn names(request: &Request) -> String {
    let name = |tool: &Tool| match tool.defer_loading {
        Some(true) => format!("+{}", tool.name),
        _ => tool.name.clone(),
    };
    let names: Vec<_> = request.tools.iter().map(name).collect();
    names.join(" ")
}

fn changes(request: &Request) -> String {
    let blocks = request.messages.iter().flat_map(|it| &it.content);
    let changes: Vec<_> = blocks
        .filter_map(ContentBlock::tool_change)
        .map(|change| match change {
            ToolChange::Added(name) => format!("+{name}"),
            ToolChange::Removed(name) => format!("-{name}"),
        })
        .collect();
    changes.join(" ")
}

fn answer(conversation: &mut Conversation) {
    let model = Origin::Model { provider: "p".into(), name: DEFAULT_MODEL.into() };
    let parts = vec![Part::text("Yes.")];
    conversation.push(EntryDraft::message(Role::Assistant, model, parts));
    conversation.push(EntryDraft::human("more"));
}

#[test]
fn tools_of_a_bound_model_are_appended_and_removed_by_messages() {
    let directory = tempfile::tempdir().unwrap();
    let read = || tool(ToolOrigin::Builtin, "Read");
    let mcp = |name: &str| tool(ToolOrigin::Mcp, name);
    let (mut session, mut conversation) = open(directory.path(), vec![read(), mcp("b")]);
    let check = |session: &mut Session,
                 conversation: &mut Conversation,
                 tools: Vec<SessionTool>,
                 expected: (&str, &str)| {
        session.set_tools(tools);
        let (names, changes) = send(session, conversation);
        assert_eq!((&*names, &*changes), expected);
        answer(conversation);
    };
    let (it, of) = (&mut session, &mut conversation);
    check(it, of, vec![read(), mcp("b")], ("Read b", ""));
    check(it, of, vec![read(), mcp("b"), mcp("a")], ("Read b +a", "+a"));
    // In order of arrival, not by name.
    check(it, of, vec![mcp("A"), read(), mcp("a")], ("Read b +a +A", "+a -b +A"));
    check(it, of, vec![read(), mcp("b")], ("Read b +a +A", "+a -b +A +b -a -A"));
    assert!(!session.context().offers("a"));
    // A compaction writes the list again.
    run(session.compact(&mut conversation, "A summary."));
    conversation.push(EntryDraft::human("more"));
    let prepared = session.prepare(&conversation).unwrap();
    let request = prepared.request();
    assert_eq!((names(&request), changes(&request)), ("Read b".into(), String::new()));
}

#[test]
fn a_changed_definition_is_used_from_the_next_user_message() {
    let directory = tempfile::tempdir().unwrap();
    let read = || tool(ToolOrigin::Builtin, "Read");
    let mut other = read();
    other.tool.description = Some("Does it otherwise.".to_owned());
    let (mut session, mut conversation) = open(directory.path(), vec![read()]);
    send(&mut session, &mut conversation);
    let model = Origin::Model { provider: "p".into(), name: DEFAULT_MODEL.into() };
    let call = vec![Part::tool_use("1", "Read", "{}")];
    conversation.push(EntryDraft::message(Role::Assistant, model, call));
    let result = vec![Part::tool_result("1", "r")];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    session.set_tools(vec![other.clone()]);
    send(&mut session, &mut conversation);
    answer(&mut conversation);
    let prepared = session.prepare(&conversation).unwrap();
    assert_eq!(prepared.reset, Some(PrefixReset::Tools));
    assert_eq!(prepared.request().tools, [other.tool]);
}

#[test]
fn other_tools_come_and_go_while_a_changed_definition_waits() {
    let directory = tempfile::tempdir().unwrap();
    let mcp = |name: &str| tool(ToolOrigin::Mcp, name);
    let mut other = mcp("a");
    other.tool.description = Some("Does it otherwise.".to_owned());
    let tools = vec![mcp("a"), mcp("b")];
    let (mut session, mut conversation) = open(directory.path(), tools);
    send(&mut session, &mut conversation);
    let model = Origin::Model { provider: "p".into(), name: DEFAULT_MODEL.into() };
    let call = vec![Part::tool_use("1", "a", "{}")];
    conversation.push(EntryDraft::message(Role::Assistant, model, call));
    let result = vec![Part::tool_result("1", "r")];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    session.set_tools(vec![other.clone(), mcp("c")]);
    let sent = send(&mut session, &mut conversation);
    assert_eq!(sent, ("a b +c".to_owned(), "-b +c".to_owned()));
    assert!(session.context().offers("a") && !session.context().offers("b"));
    answer(&mut conversation);
    let prepared = session.prepare(&conversation).unwrap();
    assert_eq!(prepared.reset, Some(PrefixReset::Tools));
    assert_eq!(prepared.request().tools, [other.tool, mcp("c").tool]);
}

#[test]
fn the_first_tools_reset_the_prefix() {
    let directory = tempfile::tempdir().unwrap();
    let (mut session, mut conversation) = open(directory.path(), Vec::new());
    send(&mut session, &mut conversation);
    answer(&mut conversation);
    session.set_tools(vec![tool(ToolOrigin::Mcp, "a")]);
    let prepared = session.prepare(&conversation).unwrap();
    assert_eq!(prepared.reset, Some(PrefixReset::Tools));
    assert_eq!(names(&prepared.request()), "a");
}

/// After a reset, an attachment announces the new list; a later change is a system message only.
#[test]
fn a_tool_that_a_message_removes_is_not_withdrawn_twice() {
    let directory = tempfile::tempdir().unwrap();
    let (mut session, mut conversation) = open(directory.path(), Vec::new());
    send(&mut session, &mut conversation);
    answer(&mut conversation);
    let mcp = |name: &str| tool(ToolOrigin::Mcp, name);
    session.set_tools(vec![mcp("a"), mcp("b")]);
    session.prepare(&conversation).unwrap().commit(&mut conversation);
    for (tools, expected) in [(vec![mcp("a")], "-b"), (vec![mcp("a"), mcp("b")], "-b +b")] {
        answer(&mut conversation);
        session.set_tools(tools);
        let mut prepared = session.prepare(&conversation).unwrap();
        let text = String::from_utf8(prepared.body.to_vec()).unwrap();
        assert_eq!(changes(&prepared.request()), expected);
        assert_eq!(text.matches("tools are available now").count(), 1, "{text}");
        assert!(!text.contains("tools are no longer available"), "{text}");
        prepared.commit(&mut conversation);
    }
}

#[test]
fn a_marker_that_is_not_sent_is_reported_once() {
    let directory = tempfile::tempdir().unwrap();
    let mut deferred = tool(ToolOrigin::Mcp, "mcp__tracker__list");
    deferred.tool.defer_loading = Some(true);
    deferred.tool.cache_control = Some(CacheControl::EPHEMERAL);
    let (mut session, mut conversation) = open(directory.path(), vec![deferred]);
    let mut prepared = session.prepare(&conversation).unwrap();
    let diagnostics: Vec<_> = prepared.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        diagnostics,
        ["warning: the caller's marker at tools[0] is not sent: the block cannot have a marker"]
    );
    assert_eq!(prepared.request().tools[0].cache_control, None);
    prepared.commit(&mut conversation);
    assert!(session.prepare(&conversation).unwrap().diagnostics.is_empty());
}
