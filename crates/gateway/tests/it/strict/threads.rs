//! Conversations that the API keeps.

use super::*;

#[test]
fn a_continued_thread_has_all_messages() {
    let mut api = judge();
    let mut send = |thread: &str, messages: &[String]| {
        let body = body(UNBOUND, &format!(r#""thread":{thread},"#), messages);
        let request = StrictRequest::new(body.as_bytes()).betas("message-threads-2026-08-12");
        api.answer_with(&request, &Draft::new().text("Yes.").tool_use("ls", "{}").unwrap())
    };
    let first = send(r#"{"type":"create"}"#, &[user("Hi")]).unwrap();
    let thread = format!(r#"{{"type":"continue","previous_message_id":"{}"}}"#, first.id);
    let unanswered = send(&thread, &[user("Go on.")]).unwrap_err();
    assert!(unanswered.message().contains("without `tool_result` blocks"), "{unanswered}");
    let [_, ResponseBlock::ToolUse { id, .. }] = &first.content[..] else {
        panic!("{first:?}");
    };
    let result = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"a"}}]}}"#
    );
    let second = send(&thread, std::slice::from_ref(&result)).unwrap();
    let whole = [user("Hi"), assistant(&first.content_json()), result.clone()];
    let whole = send(r#"{"type":"create"}"#, &whole).unwrap();
    assert_eq!(second.usage.total_input(), whole.usage.total_input());
    // What was continued can be continued, too.
    let thread = thread.replace(&first.id, &second.id);
    assert!(send(&thread, &[user("Go on.")]).is_err());
    let again = send(&thread.replace(&second.id, &first.id), std::slice::from_ref(&result));
    let again = again.unwrap_err();
    assert_eq!((again.status(), again.code()), (400, Some("thread_already_continued")));
    assert!(again.message().contains("can be continued only once"), "{again}");
    let unknown = send(&thread.replace(&second.id, "msg_0"), &[result]).unwrap_err();
    assert_eq!((unknown.status(), unknown.code()), (404, Some("thread_not_found")));
}

#[test]
fn a_continued_thread_has_the_tools_and_the_system_prompt() {
    let mut api = judge();
    let mut send = |thread: &str, members: &str, messages: &[String]| {
        let members = format!(r#""thread":{thread},{members}"#);
        let body = body(BOUND, &members, messages);
        let request = StrictRequest::new(body.as_bytes()).betas("message-threads-2026-08-12");
        let draft = Draft::new().thinking("Hm.").tool_use_with_id("toolu_1", "ls", "{}").unwrap();
        api.answer_with(&request, &draft)
    };
    let own = r#""system":"Be brief.","tools":[{"name":"ls","input_schema":{"type":"object"}}],"#;
    let first = send(r#"{"type":"create"}"#, own, &[user("Hi")]).unwrap();
    let thread = |id: &str| format!(r#"{{"type":"continue","previous_message_id":"{id}"}}"#);
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"}]}"#;
    let repeated = send(&thread(&first.id), own, &[result.to_owned()]).unwrap_err();
    assert!(repeated.message().contains("(thread-fields)"), "{repeated}");
    // The thinking is bound to both.
    let second = send(&thread(&first.id), "", &[result.to_owned()]).unwrap();
    let whole = [user("Hi"), assistant(&first.content_json()), result.to_owned()];
    let whole = send(r#"{"type":"create"}"#, own, &whole).unwrap();
    assert_eq!(second.usage.total_input(), whole.usage.total_input());
}
