//! Announcements, and changes since.

use aside_attachments::{AgentListing, Attachment, McpServerInstructions, NestedMemory, Skill};

use aside_messages::conversation::Part;

use super::{Session, clear, compact, inputs, on};

#[test]
fn a_new_date_is_sent_once() {
    let mut session = Session::new(on("2026-01-31"));
    assert_eq!(session.turns(2), ["", ""]);
    session.inputs = on("2026-02-01");
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.inputs = on("2026-02-02");
    assert_eq!(session.turns(2), ["date_change", ""]);
    // The first entries are sent again, with the session's date.
    session.push(compact());
    assert_eq!(session.turns(2), ["date_change", ""]);
    session.inputs = on("2026-01-31");
    assert_eq!(session.turns(2), ["date_change", ""]);
}

#[test]
fn an_instruction_file_is_sent_once_for_each_text() {
    let file = |path: &str, content: &str| NestedMemory {
        path: path.into(),
        content: content.into(),
        before: None,
        is_unused: false,
    };
    let mut session = Session::new(inputs(|it| {
        it.nested_memory = vec![file("/a", "1"), file("/b", "1"), file("/a", "doubled")];
    }));
    assert_eq!(session.turns(2), ["nested_memory+nested_memory", ""]);
    session.inputs.nested_memory = vec![file("/a", "2"), file("/b", "1")];
    let [Attachment::NestedMemory(changed)] = &session.due()[..] else {
        panic!("one file has changed")
    };
    assert_eq!(changed.content, "2");
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    // A change back is a change.
    session.inputs.nested_memory = vec![file("/a", "1")];
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
    session.push(clear());
    assert_eq!(session.turns(2), ["nested_memory", ""]);
}

#[test]
fn a_skill_is_listed_once() {
    let skill = |name: &str| Skill { name: name.into(), description: "d".into(), path: None };
    let mut session = Session::new(inputs(|it| {
        it.skills = Some(vec![skill("a"), skill("b"), skill("a")]);
    }));
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.inputs.skills = Some(vec![skill("c"), skill("a")]);
    let [Attachment::SkillListing(listing)] = &session.due()[..] else {
        panic!("one skill is new")
    };
    assert_eq!(listing.skills, [skill("c")]);
    let edited = Skill { description: "Another purpose.".to_owned(), ..skill("b") };
    session.inputs.skills = Some(vec![skill("c"), edited.clone()]);
    let [Attachment::SkillListing(listing)] = &session.due()[..] else {
        panic!("a skill and a description are new")
    };
    assert_eq!(listing.skills, [skill("c"), edited]);
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.push(compact());
    assert_eq!(session.turns(2), ["skill_listing", ""]);
}

#[test]
fn a_removed_skill_is_withdrawn_once() {
    let skill = |name: &str| Skill { name: name.into(), description: "d".into(), path: None };
    let mut session = Session::new(inputs(|it| it.skills = Some(vec![skill("a"), skill("b")])));
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    session.inputs.skills = Some(vec![skill("a")]);
    let [due] = &session.due()[..] else { panic!("one skill is gone") };
    let parts = &due.clone().into_entries()[0].parts;
    let [Part::Reminder { body }] = &parts[..] else { panic!("it is one reminder: {parts:?}") };
    assert_eq!(&**body, "These skills are no longer available:\n- b");
    assert_eq!(session.turns(2), ["skill_listing", ""]);
    // Another source may have had them.
    session.inputs.skills = None;
    assert_eq!(session.turns(2), ["", ""]);
    session.inputs.skills = Some(vec![skill("b"), skill("a")]);
    let [Attachment::SkillListing(listing)] = &session.due()[..] else { panic!("one is back") };
    assert_eq!((&listing.skills[..], listing.removed.len()), (&[skill("b")][..], 0));
    session.inputs.skills = Some(Vec::new());
    let [Attachment::SkillListing(listing)] = &session.due()[..] else { panic!("all are gone") };
    assert_eq!((listing.skills.len(), &listing.removed[..]), (0, &["a".to_owned()][..]));
}

#[test]
fn changes_of_tools_are_sent_by_name() {
    let tools = |names: &[&str]| {
        inputs(|it| it.tools = Some(names.iter().map(|&name| name.into()).collect()))
    };
    let mut session = Session::new(tools(&[]));
    assert_eq!(session.turn(), [""; 0]);
    session.inputs = tools(&["b", "a", "b"]);
    let change = |session: &mut Session| match &session.due()[..] {
        [Attachment::ToolsDelta(delta)] => (delta.added.join(" "), delta.removed.join(" ")),
        other => panic!("{other:?}"),
    };
    assert_eq!(change(&mut session), ("a b".into(), String::new()));
    session.turn();
    session.inputs = tools(&["c", "b"]);
    assert_eq!(change(&mut session), ("c".into(), "a".into()));
    assert_eq!(session.turns(2), ["tools_delta", ""]);
    session.push(compact());
    assert_eq!(change(&mut session), ("b c".into(), String::new()));
    // A tool that is available again is announced again.
    session.turn();
    session.inputs = tools(&["b"]);
    session.turn();
    session.inputs = tools(&["b", "c"]);
    assert_eq!(change(&mut session), ("c".into(), String::new()));
}

#[test]
fn a_changed_description_is_sent_again() {
    let agent = |description: &str| AgentListing {
        agent_type: "reviewer".into(),
        description: description.into(),
    };
    let server = |instructions: &str| McpServerInstructions {
        server: "docs".into(),
        instructions: instructions.into(),
    };
    let described = |text: &str| {
        inputs(|it| {
            it.agents = Some(vec![agent(text)]);
            it.mcp_instructions = Some(vec![server(text)]);
        })
    };
    let mut session = Session::new(described("1"));
    let both = "agents_delta+mcp_instructions_delta";
    assert_eq!(session.turns(2), [both, ""]);
    session.inputs = described("2");
    assert_eq!(session.turns(2), [both, ""]);
    session.inputs.agents = Some(vec![]);
    session.inputs.mcp_instructions = None;
    assert_eq!(session.turns(2), ["agents_delta", ""]);
}
