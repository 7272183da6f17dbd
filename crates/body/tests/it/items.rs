//! What items are, whatever form a client gives them.

use aside_body::body::{BlockKind, Body};
use aside_body::path::Level;

#[test]
fn items_of_the_model_are_known_in_each_form() {
    use BlockKind::{Other, ServerToolUse, Text, Thinking, ToolUse};
    for (item, kind, is_from_model, is_reference) in [
        (
            r#"{"type":"reasoning","id":"r","content":null,"encrypted_content":"g"}"#,
            Thinking,
            true,
            false,
        ),
        (
            r#"{"type":"reasoning","content":[{"type":"reasoning_text","text":"Hm."}]}"#,
            Thinking,
            true,
            false,
        ),
        (r#"{"type":"reasoning","id":"r","summary":[]}"#, Thinking, true, true),
        (r#"{"type":"item_reference","id":"r"}"#, Other, true, true),
        (r#"{"id":"r"}"#, Other, true, true),
        (r#"{"type":null,"id":"r"}"#, Other, true, true),
        (r#"{"type":"web_search_call","id":"w"}"#, ServerToolUse, true, false),
        (r#"{"type":"shell_call","call_id":"c"}"#, ToolUse, true, false),
        (r#"{"id":"m","role":"user"}"#, Other, false, false),
        (r#"{"id":"m","role":"user","content":"Hi"}"#, Text, false, false),
    ] {
        let body = format!(r#"{{"model":"gpt-6-sol","input":[{item}]}}"#);
        let body = Body::parse(body.as_bytes()).unwrap();
        let read = &body.section(Level::Messages)[0].item;
        let block = &read.blocks[0];
        let found = (block.kind, read.is_from_model(), block.is_reference);
        assert_eq!(found, (kind, is_from_model, is_reference), "{item}");
        assert_eq!(read.blocks.len(), 1);
    }
}
