//! Attachments as JSON.

use aside_attachments::Attachment;
use aside_attachments::cadence::CadenceInputs;

use crate::examples::examples;

#[test]
fn every_attachment_survives_a_round_trip() {
    for (name, attachment) in examples() {
        let json = serde_json::to_string(&attachment).unwrap();
        let kind = attachment.kind();
        assert!(json.starts_with(&format!(r#"{{"type":"{kind}""#)), "{json}");
        let read: Attachment = serde_json::from_str(&json).unwrap();
        assert_eq!(read, attachment, "{name}");
    }
}

fn check_error(json: &str, expected: &str) {
    let error = serde_json::from_str::<Attachment>(json).unwrap_err().to_string();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn errors_name_the_fault() {
    check_error(r#"{"type":"directroy"}"#, "unknown variant `directroy`");
    check_error(r#"{"type":"directory","path":"a"}"#, "missing field `entries`");
    check_error(r#"{"type":"opened_file_in_ide","path":"a","line":1}"#, "unknown field `line`");
    check_error(
        r#"{"type":"file","path":"a","content":{"type":"text","content":"a","start_line":-1}}"#,
        "invalid value: integer `-1`",
    );
}

#[test]
fn fields_with_defaults_may_be_left_out() {
    for json in [
        r#"{"type":"file","path":"a","content":{"type":"text","content":"a"}}"#,
        r#"{"type":"queued_command","text":"a"}"#,
        r#"{"type":"tools_delta","added":["a"]}"#,
        r#"{"type":"async_hook_response"}"#,
        r#"{"type":"auto_mode_exit"}"#,
        r#"{"type":"plan_mode_exit"}"#,
        r#"{"type":"plan_mode","detail":"full"}"#,
        r#"{"type":"pdf_reference","path":"a.pdf","pages":30}"#,
        r#"{"type":"task_status","id":"a","description":"b","status":{"state":"failed","task_type":"agent"}}"#,
    ] {
        serde_json::from_str::<Attachment>(json).unwrap();
    }
    let inputs: CadenceInputs = serde_json::from_str("{}").unwrap();
    assert_eq!(inputs, CadenceInputs::default());
}

#[test]
fn variants_without_fields_refuse_any() {
    check_error(r#"{"type":"auto_mode_exit","plan_file":"a"}"#, "unknown field `plan_file`");
    check_error(
        r#"{"type":"queued_command","text":"a","origin":{"type":"human","server":"chat"}}"#,
        "unknown field `server`",
    );
    check_error(
        r#"{"type":"task_status","id":"a","description":"b","status":{"state":"stopped","task_type":"agent"}}"#,
        "unknown field `task_type`",
    );
}
