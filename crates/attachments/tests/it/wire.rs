//! The exact wire text of every attachment.

use aside_attachments::Attachment;
use aside_messages::conversation::{Conversation, EntryDraft, Origin, Visibility};
use aside_messages::lower::{LowerOptions, Tail, lower};
use aside_messages::wire::{ContentBlock, Message};
use uuid::Uuid;

use crate::examples::examples;

/// Returns the blocks of an attachment that follows a user message.
pub(crate) fn blocks(attachment: Attachment) -> Vec<ContentBlock> {
    let mut conversation = Conversation::new(Uuid::nil());
    conversation.push(EntryDraft::human("go"));
    for entry in attachment.into_entries() {
        conversation.push(entry);
    }
    let lowered = lower(&conversation, Tail::default(), &LowerOptions::default()).unwrap();
    let sent = lowered.messages().next().unwrap();
    let message = Message::parse(sent.bytes()).unwrap().value;
    message.content[1..].to_vec()
}

/// Returns the body of an attachment's only reminder.
pub(crate) fn body(attachment: Attachment) -> String {
    let [ContentBlock::Text(text)] = &blocks(attachment)[..] else { panic!("more than one block") };
    let body = text.text.strip_prefix("<system-reminder>\n").unwrap();
    body.strip_suffix("\n</system-reminder>").unwrap().to_owned()
}

/// Returns a text block as text, another block as JSON.
pub(crate) fn shown(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.to_string(),
        other => serde_json::to_string(other).unwrap(),
    }
}

fn snapshot_name(name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> = name.split(|c| !is_word(c)).filter(|it| !it.is_empty()).collect();
    words.join("-")
}

#[test]
fn every_wire_text_is_as_in_its_snapshot() {
    for (name, attachment) in examples() {
        let blocks: Vec<String> = blocks(attachment).iter().map(shown).collect();
        insta::assert_snapshot!(snapshot_name(name), blocks.join("\n"));
    }
}

#[test]
fn fixed_texts_are_exact() {
    for (name, expected) in [
        (
            "mcp_resource, empty",
            "<mcp-resource server=\"docs\" uri=\"docs://style?a=1&amp;b=&quot;2&quot;\">(No content)</mcp-resource>",
        ),
        ("nested_memory", "Contents of /shop/web/CLAUDE.md:\n\nUse tabs."),
        (
            "selected_lines_in_ide",
            "The user selected lines 3 to 4 from src/main.rs:\nrun();\nstop();",
        ),
        ("opened_file_in_ide", "The user opened the file src/main.rs in the IDE."),
        ("critical_system_reminder", "The disk is full."),
        ("task_status: stopped", "Task \"Run the tests\" (t1) was stopped by the user."),
        ("hook_stopped_continuation", "PostToolUse hook stopped continuation: the build is broken"),
        ("async_hook_response", "The deployment is through.\nVersion 1.2 is live."),
        (
            "queued_command: task_notification",
            "A background agent completed a task:\nLint is green",
        ),
    ] {
        assert_eq!(body(example(name)), expected);
    }
    for (name, start) in [
        ("edited_text_file", "Note: src/main.rs was modified"),
        ("output_style", "Explanatory output style is active. Remember to follow"),
        ("plan_mode_exit", "## Exited Plan Mode\n"),
        ("auto_mode_exit", "## Exited Auto Mode\n"),
        ("agent_mention", "The user has expressed a desire to invoke the agent \"reviewer\"."),
        ("diagnostics", "<new-diagnostics>"),
        (
            "queued_command: human",
            "The user sent a new message while you were working:\nSkip the tests\n\nIMPORTANT: After",
        ),
    ] {
        let body = body(example(name));
        assert!(body.starts_with(start), "{body}");
    }
}

fn example(name: &str) -> Attachment {
    let mut examples = examples().into_iter();
    examples.find(|(it, _)| *it == name).unwrap().1
}

#[test]
fn only_messages_of_the_user_are_shown_to_the_user() {
    for (name, attachment) in examples() {
        let kind = attachment.kind();
        for entry in attachment.into_entries() {
            let is_humans = entry.origin == Origin::Human;
            let expected = if is_humans { Visibility::Shown } else { Visibility::Meta };
            assert_eq!(entry.visibility, expected, "{name}");
            assert_eq!(is_humans, name.starts_with("queued_command: human"));
            if let Origin::Attachment { kind: of_origin, .. } = entry.origin {
                let is_reference = name == "file: pdf, long" && of_origin == "pdf_reference";
                assert!(of_origin == kind || is_reference, "{name}: {of_origin}");
            }
        }
    }
}
