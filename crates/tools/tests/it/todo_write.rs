use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::wire::Role;
use aside_tools::{TaskProgress, TodoWrite};
use uuid::Uuid;

use crate::tree::{call, text_of};

#[test]
fn the_list_is_kept() {
    let tool = TodoWrite::default();
    let input = r#"{"todos":[
        {"content":"a","status":"completed"},
        {"content":"b","status":"in_progress"},
        {"content":"c","status":"pending"}]}"#;
    let output = call(&tool, input);
    assert_eq!(text_of(&output), "The list is kept: 3 items, 2 still to be done.");
    let list = tool.clone().list();
    assert_eq!((list.len(), list[1].status), (3, TaskProgress::InProgress));
    assert_eq!(TodoWrite::new(list.clone()).list(), list);
    call(&tool, r#"{"todos":[]}"#);
    assert_eq!(tool.list(), []);
}

#[test]
fn a_bad_list_changes_nothing() {
    let tool = TodoWrite::default();
    call(&tool, r#"{"todos":[{"content":"a","status":"pending"}]}"#);
    let item = r#"{"content":"a","status":"pending"},"#.repeat(201);
    let many = format!(r#"{{"todos":[{}]}}"#, item.trim_end_matches(','));
    let long = format!(r#"{{"todos":[{{"content":"{}","status":"pending"}}]}}"#, "x".repeat(1_001));
    for (input, expected) in [
        (r#"{"todos":[{"content":" ","status":"pending"}]}"#, "todos[0].content: it says nothing"),
        (r#"{"todos":[{"content":"b","status":"done"}]}"#, "bad input: unknown variant `done`"),
        (r#"{"todos":7}"#, "bad input: invalid type: integer `7`"),
        (&many, "todos: more than 200 items"),
        (&long, "todos[0].content: more than 1000 characters"),
    ] {
        let output = call(&tool, input);
        assert!(
            text_of(&output).starts_with(&format!("error: {expected}")),
            "{}",
            text_of(&output)
        );
    }
    assert_eq!(tool.list().len(), 1);
}

#[test]
fn a_list_of_a_conversation_continues() {
    let mut conversation = Conversation::new(Uuid::nil());
    assert!(TodoWrite::of(&conversation).is_none());
    let input = r#"{"todos":[{"content":"a","status":"in_progress"}]}"#;
    let first = TodoWrite::default();
    let model = Origin::Model { provider: "p".into(), name: "m".into() };
    let made = vec![Part::tool_use("1", "TodoWrite", input)];
    conversation.push(EntryDraft::message(Role::Assistant, model, made));
    let result = vec![Part::tool_result("1", text_of(&call(&first, input)))];
    conversation.push(EntryDraft::message(Role::User, Origin::Human, result));
    let resumed = TodoWrite::of(&conversation).unwrap();
    assert_eq!(resumed.list(), first.list());
    assert_eq!(resumed.list().len(), 1);
}
