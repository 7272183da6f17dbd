use Wire::{ChatCompletions, GenerateContent, Messages, Responses};
use aside_body::Wire;
use aside_body::body::Body;
use aside_body::path::Level;
use aside_body::wire::Reason::{Address, Model, Platform as ByPlatform, Shape, Wire as ByWire};
use aside_body::wire::{Hints, Keys, Reason, decide};
use aside_json::Tape;
use aside_models::Platform;

fn check(body: &str, hints: Hints<'_>, wire: Wire, reason: Reason) {
    let decision = decide(body.as_bytes(), &hints);
    assert_eq!((decision.wire, decision.reason), (wire, reason), "{body} {hints:?}");
    if let Ok(tape) = Tape::parse(body.as_bytes()) {
        assert_eq!(Keys::from_tape(&tape).decide(&hints), decision, "{body} {hints:?}");
    }
}
#[test]
fn the_first_fact_decides() {
    let body = r#"{"model":"gpt-5.5","messages":[],"stop":["x"]}"#;
    let mut hints = Hints::default();
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
    check(body, hints, GenerateContent, ByWire);
}

#[test]
fn models_and_shapes() {
    let none = Hints::default();
    for (body, form, reason) in [
        (r#"{"model":"claude-opus-9","n":1}"#, Messages, Model),
        (r#"{"model":"us.anthropic.claude-opus-5","input":[]}"#, Messages, Model),
        (r#"{"model":"gpt-5.5","input":[]}"#, Responses, Model),
        (r#"{"model":"gpt-5.5","messages":[{"type":"message"}]}"#, ChatCompletions, Model),
        (r#"{"model":"gemini-3-pro-preview","messages":[]}"#, ChatCompletions, Model),
        (r#"{"model":"gemini-3-pro-preview","contents":[],"messages":[]}"#, GenerateContent, Model),
        (
            r#"{"model":"grok-4.5","messages":[],"system":"a","max_tokens":5}"#,
            ChatCompletions,
            Model,
        ),
        (r#"{"model":"grok-4.5","input":[]}"#, Responses, Model),
        (r#"{"model":"anthropic/claude-opus-5","messages":[],"n":1}"#, ChatCompletions, Shape),
        (r#"{"model":"llama-5","messages":[],"system":"a"}"#, Messages, Shape),
        (
            r#"{"model":"deepseek-chat","messages":[{"role":"user","content":"Hi"}]}"#,
            ChatCompletions,
            Shape,
        ),
        (r#"{"model":"qwen3-coder","messages":[],"temperature":0}"#, ChatCompletions, Shape),
        (r#"{"model":"qwen3-coder","messages":[],"max_tokens":9}"#, Messages, Shape),
        // The body of a count, at a gateway.
        (r#"{"model":"anthropic/claude-opus-5","messages":[]}"#, Messages, Shape),
        (r#"{"messages":[{"role":"user","content":"Hi"}]}"#, Messages, Shape),
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
    check(body, Hints { platform, ..Hints::default() }, ChatCompletions, Shape);
    let hints = Hints { address_platform: platform, ..Hints::default() };
    check(body, hints, ChatCompletions, Shape);
}

/// The last value of a doubled key counts, also when only the first one is a list.
#[test]
fn the_last_of_doubled_keys_counts() {
    let body = br#"{"model":"claude-opus-5","system":[{"type":"text","text":"a"}],"system":"bb","messages":[]}"#;
    let body = Body::parse(body).unwrap();
    let system = body.section(Level::System);
    let texts = system.iter().map(|it| &body.as_bytes()[it.span()]);
    assert_eq!(texts.collect::<Vec<_>>(), [br#""bb""#]);
    let body = br#"{"model":"gpt-5.5","messages":[{"role":"user","content":"a","content":"bb"}]}"#;
    let body = Body::parse(body).unwrap();
    let message = &body.section(Level::Messages)[0];
    let text = message.at(&message.item.blocks[0].span);
    assert_eq!(&body.as_bytes()[text], br#""bb""#);
}

#[test]
fn a_null_is_no_value() {
    let body = br#"{"model":"gpt-5.5","input":"Hi","store":null,"previous_response_id":"r"}"#;
    let body = Body::parse(body).unwrap();
    assert_eq!(body.get("store"), None);
    assert!(body.get("previous_response_id").is_some());
}

/// Responses needs no input next to a stored prompt, a conversation or an earlier response.
#[test]
fn what_the_provider_keeps_stands_for_messages() {
    let check = |body: &str, expected: Option<Wire>| {
        let request = Body::parse(body.as_bytes());
        assert_eq!(request.ok().map(|it| it.wire()), expected, "{body}");
        assert_eq!(Keys::read(body.as_bytes()).has_messages(), Some(expected.is_some()), "{body}");
    };
    let responses = Some(Responses);
    check(r#"{"prompt":{"id":"pmpt_1"}}"#, responses);
    check(r#"{"prompt":{"nodes":{}}}"#, None);
    check(r#"{"model":"m","conversation":[{"role":"user","content":"Hi"}]}"#, None);
    check(r#"{"model":"m","conversation":{"turns":[]}}"#, None);
    check(r#"{"model":"gpt-5.5","prompt":{"id":"pmpt_1"},"input":"Hi"}"#, responses);
    check(r#"{"model":"gpt-5.5","conversation":{"id":"conv_1"}}"#, responses);
    check(r#"{"model":"a","previous_response_id":"resp_1"}"#, responses);
    check(r#"{"model":"gpt-5.5","input":"Hi"}"#, responses);
    check(r#"{"model":"gpt-5.5","messages":[],"conversation":null}"#, Some(ChatCompletions));
    check(r#"{"model":"gpt-3.5-turbo-instruct","prompt":"Hi"}"#, None);
    check(r#"{"model":"gpt-5.5","previous_response_id":null}"#, None);
    check(r#"{"previous_response_id":"resp_1"}"#, None);
}
