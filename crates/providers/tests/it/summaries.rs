//! A summary on Responses, which stands for the conversation before it.

use aside_models::Wire;
use aside_providers::{Destination, Options, convert_body};

/// Converts items, and returns the body or the error, and the losses.
fn converted(items: &str, to: &str, model: &str) -> (Result<String, String>, Vec<String>) {
    let body = format!(r#"{{"model":"gpt-5.5","max_output_tokens":99,"input":[{items}]}}"#);
    let to: Destination = to.parse().unwrap();
    let options = Options { server: to.server, ..Options::for_model(model) };
    let from = Some(Wire::Responses);
    let converted = convert_body(body.as_bytes(), from, to.provider, options).unwrap();
    let losses = converted.losses.iter().map(ToString::to_string).collect();
    let sent = converted.outgoing.map(|it| String::from_utf8(it.body()).unwrap());
    (sent.map_err(|it| it.to_string()), losses)
}

const USER: &str =
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}"#;

#[test]
fn a_summary_returns_to_its_provider() {
    let reply = r#"{"type":"message","role":"assistant","content":"Yes."}"#;
    for summary in [
        r#"{"type":"compaction","encrypted_content":"gAAA"}"#,
        r#"{"type":"compaction","id":"cmp_1","encrypted_content":"gAAA"}"#,
    ] {
        for items in [
            format!("{summary},{USER}"),
            format!("{USER},{summary}"),
            format!("{USER},{summary},{USER}"),
            format!("{USER},{reply},{summary},{reply},{USER}"),
        ] {
            let (sent, losses) = converted(&items, "responses", "gpt-5.5");
            let sent = sent.unwrap();
            assert!(sent.contains(&format!(r#""input":[{items}]"#)), "{sent}");
            assert_eq!(losses, Vec::<String>::new());
        }
    }
}

#[test]
fn a_summary_that_the_target_cannot_read_is_an_error() {
    let summary = r#"{"type":"compaction","encrypted_content":"gAAA"}"#;
    let items = format!("{USER},{summary},{USER}");
    let what =
        "left out: only the provider that wrote this summary of the conversation can read it";
    let lost = format!("input[1]: {what}");
    // Thinking is left out with a warning: the conversation is whole without it.
    let reasoning = format!(
        r#"{USER},{{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}},{{"role":"assistant","content":"Yes."}},{USER}"#
    );
    for (to, model) in [
        ("messages", "claude-sonnet-5-5"),
        ("chat-completions", "gpt-4.1"),
        ("generate-content", "gemini-3.8-flash"),
        ("grok", "grok-4.5"),
    ] {
        for items in [&items, &format!("{USER},{summary}")] {
            let (sent, _) = converted(items, to, model);
            assert_eq!(sent, Err(format!("foreign-kind: {lost}")), "{to}");
        }
        let (sent, _) = converted(&reasoning, to, model);
        assert!(sent.is_ok(), "{to}: {sent:?}");
    }
}

#[test]
fn a_summary_needs_its_content() {
    let body = format!(r#"{{"model":"gpt-5.5","input":[{{"type":"compaction"}},{USER}]}}"#);
    let error = aside_providers::from_responses(body.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "input[0].encrypted_content: expected a string");
}
