use super::*;
use Form::{ChatCompletions, GenerateContent, Messages, Responses};
use WireReason::{Address, Model, Platform as ByPlatform, Shape, Wire};

fn check(body: &str, hints: WireHints<'_>, form: Form, reason: WireReason) {
    let decision = Form::decide(body.as_bytes(), &hints);
    assert_eq!(
        (decision.form, decision.reason),
        (form, reason),
        "{body} {hints:?}"
    );
}

#[test]
fn the_first_fact_decides() {
    let body = r#"{"model":"gpt-5.5","messages":[],"stop":["x"]}"#;
    let mut hints = WireHints::default();
    check(body, hints, ChatCompletions, Model);
    hints.model = Some("claude-opus-5");
    check(body, hints, Messages, Model);
    hints.address_platform = Some(Platform::OpenAi);
    check(body, hints, ChatCompletions, Address);
    hints.address = Some(Responses);
    check(body, hints, Responses, Address);
    hints.platform = Some(Platform::BedrockMessages);
    check(body, hints, Messages, ByPlatform);
    hints.wire = Some(GenerateContent);
    check(body, hints, GenerateContent, Wire);
}

#[test]
fn models_and_shapes() {
    let none = WireHints::default();
    for (body, form, reason) in [
        (r#"{"model":"claude-opus-9","n":1}"#, Messages, Model),
        (
            r#"{"model":"us.anthropic.claude-opus-5","input":[]}"#,
            Messages,
            Model,
        ),
        (r#"{"model":"gpt-5.5","input":[]}"#, Responses, Model),
        (
            r#"{"model":"gpt-5.5","messages":[{"type":"message"}]}"#,
            ChatCompletions,
            Model,
        ),
        (
            r#"{"model":"gemini-3-pro-preview","messages":[]}"#,
            ChatCompletions,
            Model,
        ),
        (
            r#"{"model":"gemini-3-pro-preview","contents":[],"messages":[]}"#,
            GenerateContent,
            Model,
        ),
        (
            r#"{"model":"anthropic/claude-opus-5","messages":[],"n":1}"#,
            ChatCompletions,
            Shape,
        ),
        (
            r#"{"model":"llama-5","messages":[],"system":"a"}"#,
            Messages,
            Shape,
        ),
        (r#"{"contents":[]}"#, GenerateContent, Shape),
        (r#"[{"role":"tool"}]"#, ChatCompletions, Shape),
        ("nonsense", Messages, Shape),
    ] {
        check(body, none, form, reason);
    }
}

#[test]
fn on_a_compatible_server_the_shape_decides() {
    let body = r#"{"model":"claude-opus-5","messages":[],"n":1}"#;
    let platform = Some(Platform::Compatible);
    check(
        body,
        WireHints {
            platform,
            ..WireHints::default()
        },
        ChatCompletions,
        Shape,
    );
    let hints = WireHints {
        address_platform: platform,
        ..WireHints::default()
    };
    check(body, hints, ChatCompletions, Shape);
}
