//! The model's task list.

use crate::run::{Place, READ};

#[test]
fn a_todo_list_is_delivered_again_after_a_resume() {
    let place = Place::new();
    let write = |id: &str, content: &str| {
        let todos = format!(r#"[{{"content":"{content}","status":"in_progress"}}]"#);
        format!(
            r#"{{"content":[{{"type":"tool_use","id":"{id}","name":"TodoWrite","input":{{"todos":{todos}}}}}]}}"#
        )
    };
    let read = |n: usize| READ.replace("t1", &format!("r{n}"));
    let mut answers = vec![write("w1", "Sing"), write("w2", " ")];
    answers.extend((0..9).map(read));
    answers.push(r#"{"content":"Done."}"#.to_owned());
    let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
    let ran = place.replay(&["Go"], &answers);
    assert_eq!(ran.code, Some(0), "{ran:?}");

    let list = r#"The current list:\n1. [in_progress] Sing"#;
    let again = format!(r#"{{"expect":{{"anywhere":["{list}"]}},"content":"Still."}}"#);
    let ran = place.replay(&["On", "--resume", &ran.id()], &[&again]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
