use aside_tools::{TodoStatus, TodoWrite};

use crate::tree::{call, told};

#[test]
fn the_list_is_kept() {
    let tool = TodoWrite::default();
    let input = r#"{"todos":[
        {"content":"a","status":"completed"},
        {"content":"b","status":"in_progress"},
        {"content":"c","status":"pending"}]}"#;
    let output = call(&tool, input);
    assert_eq!(
        told(&output),
        "The list is kept: 3 items, 2 still to be done."
    );
    let list = tool.clone().list();
    assert_eq!((list.len(), list[1].status), (3, TodoStatus::InProgress));
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
    let long = format!(
        r#"{{"todos":[{{"content":"{}","status":"pending"}}]}}"#,
        "x".repeat(1_001)
    );
    for (input, expected) in [
        (
            r#"{"todos":[{"content":" ","status":"pending"}]}"#,
            "todos[0].content: it says nothing",
        ),
        (
            r#"{"todos":[{"content":"b","status":"done"}]}"#,
            "bad input: unknown variant `done`",
        ),
        (r#"{"todos":7}"#, "bad input: invalid type: integer `7`"),
        (&many, "todos: more than 200 items"),
        (&long, "todos[0].content: more than 1000 characters"),
    ] {
        let output = call(&tool, input);
        assert!(
            told(&output).starts_with(&format!("error: {expected}")),
            "{}",
            told(&output)
        );
    }
    assert_eq!(tool.list().len(), 1);
}
