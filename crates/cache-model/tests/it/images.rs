//! Images in messages and in tool results: what is a change of one, and what is not.

use aside_cache_model::{Body, Cause, first_difference};

const IMAGE: &str =
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}"#;

/// Two requests on Messages with this user message, and what follows it.
#[track_caller]
fn check(before: &str, after: &str, cause: Cause) {
    let body = |message: &str| {
        let text = format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":9,"messages":[{message},{{"role":"assistant","content":"Yes?"}},{{"role":"user","content":"Go on."}}]}}"#
        );
        Body::parse(text.as_bytes()).unwrap()
    };
    let found = first_difference(&body(before), &body(after)).unwrap();
    assert_eq!(found.cause, cause, "{found:#?}");
}

fn text(text: &str) -> String {
    format!(r#"{{"type":"text","text":"{text}"}}"#)
}

#[test]
fn an_image_in_a_result_is_changed() {
    let result = |content: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{content}}}]}}"#
        )
    };
    let list = |elements: &[&str]| result(&format!("[{}]", elements.join(",")));
    let shot = text("A picture.");
    let before = list(&[&shot, IMAGE]);
    let other = IMAGE.replace("iVBORw0KGgo=", "iVBORw0KAAA=");
    check(&before, &list(&[&shot, &other]), Cause::ImageChanged);
    check(&before, &list(&[&shot]), Cause::ImageChanged);
    check(&before, &list(&[&shot, &text("[image removed]")]), Cause::ImageChanged);
    check(&list(&[IMAGE]), &result("\"[image removed]\""), Cause::ImageChanged);
    // The text before it, or all of the result.
    check(&before, &list(&[&text("A photo."), IMAGE]), Cause::TextEdited);
    check(&before, &result("\"[cleared]\""), Cause::TextTrimmed);
    check(
        &before,
        &list(&[&shot, &IMAGE.replace("image/png", r"image\/png")]),
        Cause::StringEscapes,
    );
}

/// The text after it may be another one, too.
#[test]
fn an_image_is_changed_with_its_caption() {
    let message = |image: &str, caption: &str| {
        format!(r#"{{"role":"user","content":[{image},{}]}}"#, text(caption))
    };
    for [one, other] in [["iVBORw0KGgo=", "iVBORw0KAAA="], ["/9j/4AAQSkZJ", "/9j/4QAYRXhp"]] {
        let [one, other] = [one, other].map(|it| IMAGE.replace("iVBORw0KGgo=", it));
        let before = message(&one, "Step 1");
        check(&before, &message(&other, "Step 2"), Cause::ImageChanged);
        check(&before, &message(&one, "Step two"), Cause::TextEdited);
    }
}

#[test]
fn another_screenshot_is_an_image_changed() {
    let body = |image: &str| {
        let json = format!(
            r#"{{"model":"gpt-6-sol","input":[{{"type":"computer_call_output","call_id":"c","output":{{"type":"computer_screenshot",{image}}}}},{{"role":"user","content":"Go on."}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let before = body(r#""image_url":"data:image/png;base64,iVBORw0KGgo3f2b9c1e=""#);
    for other in
        [r#""image_url":"data:image/png;base64,iVBORw0KGgo9d01ffe2=""#, r#""file_id":"file_1""#]
    {
        let found = first_difference(&before, &body(other)).unwrap();
        assert_eq!(found.cause, Cause::ImageChanged, "{found:#?}");
    }
}

/// A string can stand for a list with one text, and for no other list.
#[test]
fn a_string_is_no_list_with_an_image() {
    let message = |content: &str| format!(r#"{{"role":"user","content":{content}}}"#);
    let hi = text("Hi");
    let string = message("\"Hi\"");
    for list in [format!("[{IMAGE},{hi}]"), format!("[{hi},{IMAGE}]"), format!("[{IMAGE}]")] {
        check(&message(&list), &string, Cause::ImageChanged);
        check(&string, &message(&list), Cause::ImageChanged);
    }
    let document =
        r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"Ho"}}"#;
    check(&message(&format!("[{document}]")), &string, Cause::TextEdited);
    let cited = hi.replace('}', r#","citations":[]}"#);
    check(&message(&format!("[{cited}]")), &string, Cause::StringAgainstArray);
}

#[test]
fn a_message_with_the_same_image_has_no_other() {
    let message = |key: &str| format!(r#"{{"role":"user",{key}"content":[{IMAGE}]}}"#);
    let scoped = message(r#""clear_at":"next_user_message","#);
    check(&message(""), &scoped, Cause::TextEdited);
}
