//! What was told, and what changed since.

use aside_attachments::cadence::Circumstances;
use aside_attachments::{AgentListing, Attachment, McpInstructions, NestedMemory, Skill};

use super::{Session, clear, compact, on};

#[test]
fn a_day_is_told_once() {
    let mut session = Session::new(on("2026-01-31"));
    assert_eq!(session.turns(2), ["", ""]);
    session.now = on("2026-02-01");
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.now = on("2026-02-02");
    assert_eq!(session.turns(2), ["date_change", ""]);
    // The first entries are told again, with the date of the session.
    session.push(compact());
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.now = on("2026-01-31");
    assert_eq!(session.turns(2), ["date_change", ""]);
}

#[test]
fn an_instruction_file_is_told_once_for_each_text() {
    let file = |path: &str, content: &str| NestedMemory {
        path: path.into(),
        content: content.into(),
    };
    let mut session = Session::new(Circumstances {
        nested_memory: vec![file("/a", "1"), file("/b", "1"), file("/a", "doubled")],
        ..Circumstances::default()
    });
    assert_eq!(session.turns(2), ["nested_memory+nested_memory", ""]);
    session.now.nested_memory = vec![file("/a", "2"), file("/b", "1")];
    let [Attachment::NestedMemory(changed)] = &session.due()[..] else {
        panic!("one file has changed")
    };
    assert_eq!(changed.content, "2");
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    // Back to what it was, it has changed again.
    session.now.nested_memory = vec![file("/a", "1")];
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(clear());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
}

#[test]
fn a_skill_is_told_once() {
    let skill = |name: &str| Skill {
        name: name.into(),
        description: "d".into(),
    };
    let mut session = Session::new(Circumstances {
        skills: vec![skill("a"), skill("b"), skill("a")],
        ..Circumstances::default()
    });
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.now.skills = vec![skill("c"), skill("a")];
    let [Attachment::SkillListing(listing)] = &session.due()[..] else {
        panic!("one skill is new")
    };
    assert_eq!(listing.skills, [skill("c")]);
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["skill_listing", ""]);
}

#[test]
fn what_changed_is_told_by_name() {
    let tools = |names: &[&str]| Circumstances {
        tools: Some(names.iter().map(|&it| it.into()).collect()),
        ..Circumstances::default()
    };
    let mut session = Session::new(tools(&[]));
    assert_eq!(session.turn(), [""; 0]);
    session.now = tools(&["b", "a", "b"]);
    let change = |session: &mut Session| match &session.due()[..] {
        [Attachment::ToolsDelta(delta)] => (delta.added.join(" "), delta.removed.join(" ")),
        other => panic!("{other:?}"),
    };
    assert_eq!(change(&mut session), ("a b".into(), String::new()));
    session.turn();
    session.now = tools(&["c", "b"]);
    assert_eq!(change(&mut session), ("c".into(), "a".into()));
    assert_eq!(session.turns(2), ["tools_delta", ""]);
    session.push(compact());
    assert_eq!(change(&mut session), ("b c".into(), String::new()));
    // A tool that came back is told again.
    session.turn();
    session.now = tools(&["b"]);
    session.turn();
    session.now = tools(&["b", "c"]);
    assert_eq!(change(&mut session), ("c".into(), String::new()));
}

#[test]
fn a_description_that_changed_is_told_again() {
    let agent = |description: &str| AgentListing {
        agent_type: "reviewer".into(),
        description: description.into(),
    };
    let server = |instructions: &str| McpInstructions {
        server: "docs".into(),
        instructions: instructions.into(),
    };
    let now = |text: &str| Circumstances {
        agents: Some(vec![agent(text)]),
        mcp_instructions: Some(vec![server(text)]),
        ..Circumstances::default()
    };
    let mut session = Session::new(now("1"));
    let both = "agents_delta+mcp_instructions_delta";
    assert_eq!(session.turns(2), [both, ""]);
    session.now = now("2");
    assert_eq!(session.turns(2), [both, ""]);
    session.now.agents = Some(vec![]);
    session.now.mcp_instructions = None;
    assert_eq!(session.turns(2), ["agents_delta", ""]);
}
