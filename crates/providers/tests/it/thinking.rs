//! Thinking that is off, limited or left to the model, from one wire to another.

use aside_providers::{Destination, Options, Provider, convert_body};

/// Converts the parameters of a body for a model. Checks a part of the result, and the losses but
/// for those of the model and the answer's limit. Returns the body.
#[track_caller]
fn check(body: &str, to: &str, model: &str, sent: &str, lost: &[&str]) -> String {
    let Destination { provider, server } = to.parse().unwrap();
    let options = Options { server, ..Options::for_model(model) };
    let converted = convert_body(body.as_bytes(), None, provider, options).unwrap();
    let outgoing = converted.outgoing.unwrap();
    let losses = converted.losses.iter().chain(&outgoing.losses);
    let losses = losses.filter(|it| !["model", "max_tokens"].contains(&it.path.as_str()));
    let losses: Vec<_> = losses.map(ToString::to_string).collect();
    let written = String::from_utf8(outgoing.body()).unwrap();
    assert_eq!(losses, lost, "{model}: {written}");
    assert!(written.contains(sent), "{model}: {written}");
    assert!(!sent.is_empty() || !written.contains("thinking"), "{model}: {written}");
    written
}

const CHAT: &str =
    r#"{"model":"gpt-5.6","reasoning_effort":"none","messages":[{"role":"user","content":"hi"}]}"#;
const RESPONSES: &str = r#"{"model":"gpt-5.6","reasoning":{"effort":"none"},"input":"hi"}"#;

fn gemini(thinking: &str) -> String {
    format!(
        r#"{{"generationConfig":{{"thinkingConfig":{{{thinking}}}}},"contents":[{{"role":"user","parts":[{{"text":"hi"}}]}}]}}"#
    )
}

#[test]
fn reasoning_that_is_off() {
    let budget = gemini(r#""thinkingBudget":0"#);
    for (body, path) in [
        (CHAT, "reasoning_effort"),
        (RESPONSES, "reasoning.effort"),
        (&budget, "generationConfig.thinkingConfig.thinkingBudget"),
    ] {
        let off = r#""thinking":{"type":"disabled"}"#;
        check(body, "messages", "claude-opus-5", off, &[]);
        check(body, "messages", "claude-opus-4-5", off, &[]);
        let between = r#""thinking":{"type":"between_tools"}"#;
        let replaced =
            format!("{path}: replaced by between_tools, which turns thinking off on this model");
        check(body, "messages", "claude-sonnet-5-5", between, &[&replaced]);
        check(body, "vertex", "claude-sonnet-5-5", between, &[&replaced]);
        let left_out = format!("{path}: left out: the model always reasons");
        check(body, "messages", "claude-opus-5-5", "", &[&left_out]);
        check(body, "messages", "claude-fable-5-1", "", &[&left_out]);
    }
}

#[test]
fn a_mode_that_the_model_refuses() {
    let path = "generationConfig.thinkingConfig";
    let budget = gemini(r#""thinkingBudget":2048,"includeThoughts":true"#);
    let enabled = r#""thinking":{"type":"enabled","budget_tokens":2048,"display":"summarized"}"#;
    check(&budget, "messages", "claude-opus-4-5", enabled, &[]);
    let adaptive = r#""thinking":{"type":"adaptive","display":"summarized"}"#;
    let lost = format!(
        "{path}.thinkingBudget: left out: the model takes an effort, not a budget of tokens"
    );
    check(&budget, "messages", "claude-opus-5", adaptive, &[&lost]);
    let shown = gemini(r#""includeThoughts":true"#);
    check(&shown, "messages", "claude-opus-5", adaptive, &[]);
    let lost =
        format!("{path}.includeThoughts: left out: the model thinks only with a budget of tokens");
    check(&shown, "messages", "claude-opus-4-5", "", &[&lost]);
}

/// Models that think by default omit it from the answer by default, so what you want to read is
/// always written for them.
#[test]
fn summaries_are_requested_where_they_were() {
    let summary = RESPONSES.replace(r#""effort":"none""#, r#""summary":"auto""#);
    let thoughts = gemini(r#""includeThoughts":true"#);
    let shown = r#""thinking":{"type":"adaptive","display":"summarized"}"#;
    let own = |model: &str, display: &str| {
        format!(
            r#"{{"model":"{model}","max_tokens":500,"thinking":{{"type":"adaptive"{display}}},"messages":[{{"role":"user","content":"hi"}}]}}"#
        )
    };
    let (at_openai, at_gemini) = (r#""summary":"auto""#, r#""includeThoughts":true"#);
    for model in ["claude-opus-5-5", "claude-opus-5", "claude-sonnet-5-5", "claude-opus-4-8"] {
        for body in [&summary, &thoughts] {
            let body = check(body, "messages", model, shown, &[]);
            check(&body, "openai", "gpt-6-sol", at_openai, &[]);
            check(&body, "gemini", "gemini-4-argon", at_gemini, &[]);
        }
        let is_default = model == "claude-opus-4-8";
        for (display, is_shown) in [
            ("", is_default),
            (r#","display":null"#, is_default),
            (r#","display":"omitted""#, false),
            (r#","display":"summarized""#, true),
        ] {
            for (to, target, key) in
                [("openai", "gpt-6-sol", at_openai), ("gemini", "gemini-4-argon", at_gemini)]
            {
                let sent = check(&own(model, display), to, target, "hi", &[]);
                assert_eq!(sent.contains(key), is_shown, "{model}{display}: {sent}");
            }
        }
    }
}

/// A budget does not ask for thoughts.
#[test]
fn a_budget_of_thinking_that_is_not_shown() {
    for shown in ["", r#","includeThoughts":false"#] {
        let body = gemini(&format!(r#""thinkingBudget":2048{shown}"#));
        let sent = r#""thinkingConfig":{"thinkingBudget":2048}"#;
        check(&body, "gemini", "gemini-2.5-flash", sent, &[]);
        let omitted = r#""thinking":{"type":"enabled","budget_tokens":2048,"display":"omitted"}"#;
        check(&body, "messages", "claude-opus-4-5", omitted, &[]);
        let lost = "generationConfig.thinkingConfig.thinkingBudget: left out: the model takes an effort, not a budget of tokens";
        let sent = check(&body, "openai", "gpt-6.2-sol", "", &[lost]);
        assert!(!sent.contains("summary"), "{sent}");
    }
}

/// The limit that the Messages API needs is above the budget, which it includes.
#[test]
fn a_budget_without_a_limit() {
    for (model, budget, limit) in [
        ("claude-opus-4-5", 2_048, 10_240),
        ("claude-opus-4-5", 60_000, 64_000),
        ("claude-haiku-4-5", 24_000, 32_192),
        ("claude-sonnet-4-6", 60_000, 68_192),
        ("claude-opus-4-1", 24_000, 32_000),
    ] {
        let body = gemini(&format!(r#""thinkingBudget":{budget}"#));
        let sent = format!(r#""max_tokens":{limit},"thinking""#);
        let written = check(&body, "messages", model, &sent, &[]);
        assert!(written.contains(&format!(r#""budget_tokens":{budget}"#)), "{written}");
    }
    for (budget, taken) in [(31_999, 31_999), (32_000, 31_999), (32_768, 31_999)] {
        let lost = "generationConfig.thinkingConfig.thinkingBudget: lowered to 31999, the most that the model takes";
        let lost = if budget == taken { &[][..] } else { &[lost] };
        let body = gemini(&format!(r#""thinkingBudget":{budget}"#));
        let sent =
            format!(r#""max_tokens":32000,"thinking":{{"type":"enabled","budget_tokens":{taken}"#);
        check(&body, "messages", "claude-opus-4-1", &sent, lost);
    }
    let body = gemini(r#""thinkingBudget":24000"#);
    let written = check(&body, "gemini", "gemini-2.5-flash", "24000", &[]);
    assert!(!written.contains("maxOutputTokens"), "{written}");
    let limited =
        body.replace(r#"{"thinkingConfig""#, r#"{"maxOutputTokens":9000,"thinkingConfig""#);
    let options = Options::for_model("claude-opus-4-5");
    let converted = convert_body(limited.as_bytes(), None, Provider::FirstParty, options).unwrap();
    assert!(converted.outgoing.is_err(), "{limited}");
}

/// Pro takes a larger budget than the others, and -1 lets a model decide that does not think by
/// default.
#[test]
fn budgets_of_generation_2_5() {
    let path = "generationConfig.thinkingConfig.thinkingBudget";
    for (model, most) in [
        ("gemini-2.5-pro", 32_768),
        ("gemini-2.5-flash", 24_576),
        ("gemini-2.5-flash-lite", 24_576),
    ] {
        for taken in [512, most, -1] {
            let sent = format!(r#""thinkingConfig":{{"thinkingBudget":{taken}}}"#);
            check(&gemini(&format!(r#""thinkingBudget":{taken}"#)), "gemini", model, &sent, &[]);
        }
        let lost = format!("{path}: lowered to {most}, the most that the model takes");
        let sent = format!(r#""thinkingBudget":{most}"#);
        let over = gemini(&format!(r#""thinkingBudget":{}"#, most + 1));
        check(&over, "gemini", model, &sent, &[&lost]);
    }
    // Flash-Lite does not think by default.
    let shown = gemini(r#""includeThoughts":true"#);
    let sent = r#""thinkingConfig":{"includeThoughts":true}}"#;
    check(&shown, "gemini", "gemini-2.5-flash-lite", sent, &[]);
    let adaptive = gemini(r#""thinkingBudget":-1,"includeThoughts":true"#);
    let sent = r#""includeThoughts":true,"thinkingBudget":-1"#;
    check(&adaptive, "gemini", "gemini-2.5-flash-lite", sent, &[]);
    let shown = r#""thinkingConfig":{"includeThoughts":true}"#;
    check(&adaptive, "gemini", "gemini-4-argon", shown, &[]);
}

/// The effort is kept where only the summary has no counterpart.
#[test]
fn a_summary_that_the_wire_does_not_have() {
    let both = RESPONSES.replace(r#""none""#, r#""low","summary":"auto""#);
    let lost = "reasoning.summary: left out: the wire returns no thinking";
    check(&both, "chat-completions", "gpt-5", r#""reasoning_effort":"low""#, &[lost]);
    let lost = "reasoning.summary: left out: the provider documents no summaries of reasoning on this wire";
    check(&both, "grok", "grok-4.5", r#""reasoning":{"effort":"low"}"#, &[lost]);
    // A kind of summary is reported only where there are summaries.
    let detailed = both.replace("auto", "detailed");
    check(&detailed, "grok", "grok-4.5", r#""reasoning":{"effort":"low"}"#, &[lost]);
    let kind = "reasoning.summary: replaced by auto: the Messages API, through which it is converted, has one kind of summary";
    check(&detailed, "openai", "gpt-6.2-sol", r#""summary":"auto""#, &[kind]);
    let effort = RESPONSES.replace("none", "low");
    check(&effort, "chat-completions", "gpt-5", r#""reasoning_effort":"low""#, &[]);
}

#[test]
fn reasoning_that_the_model_cannot_combine_with_tools_comes_back() {
    let tools = r#""tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]"#;
    let body = |keys: &str| {
        format!(
            r#"{{"model":"claude-opus-5-5","max_tokens":500,"messages":[{{"role":"user","content":"hi"}}]{keys}}}"#
        )
    };
    let none = r#""reasoning_effort":"none""#;
    let why = "set to none: on Chat Completions the model takes tools only without reasoning";
    let (effort, thinking) = (format!("output_config.effort: {why}"), format!("thinking: {why}"));
    let with = |keys: &str, lost: &[&str]| {
        check(&body(&format!(",{tools}{keys}")), "chat-completions", "gpt-5.6", none, lost)
    };
    with(r#","thinking":{"type":"disabled"}"#, &[]);
    with(r#","thinking":{"type":"adaptive"}"#, &[&thinking]);
    with(r#","output_config":{"effort":"low"}"#, &[&effort]);
    let written = with("", &[&effort]);
    check(&body(""), "chat-completions", "gpt-5.6", "", &[]);
    let lost = "reasoning_effort: left out: the model always reasons";
    check(&written, "messages", "claude-opus-5-5", "", &[lost]);
    let off = r#""thinking":{"type":"disabled"}"#;
    check(&written, "messages", "claude-opus-5", off, &[]);
}

/// What Gemini's parameter becomes in the Messages API.
#[test]
fn thinking_at_gemini_has_every_form() {
    let read = |config: &str, thinking: &str| {
        check(&gemini(config), "messages", "m", &format!(r#""thinking":{{{thinking}}}"#), &[]);
    };
    for (budget, thinking) in [
        ("-1", r#""type":"adaptive""#),
        ("0", r#""type":"disabled""#),
        ("4000", r#""type":"enabled","budget_tokens":4000"#),
    ] {
        let [omitted, summarized] = ["omitted", "summarized"].map(|display| match budget {
            "0" => String::new(),
            _ => format!(r#","display":"{display}""#),
        });
        let budget = format!(r#""thinkingBudget":{budget}"#);
        read(&budget, &format!("{thinking}{omitted}"));
        read(&format!(r#"{budget},"includeThoughts":false"#), &format!("{thinking}{omitted}"));
        read(&format!(r#"{budget},"includeThoughts":true"#), &format!("{thinking}{summarized}"));
    }
    read(r#""includeThoughts":true"#, r#""type":"adaptive","display":"summarized""#);
    let lost =
        "generationConfig.thinkingConfig.other: left out: the Messages API has no counterpart";
    check(&gemini(r#""other":1"#), "messages", "m", "", &[lost]);
}

/// A placeholder in the place of a signature signs nothing, as text and in base64.
#[test]
fn a_placeholder_of_gemini_is_no_signature() {
    let read = |signature: &str| {
        let part = format!(r#"{{"text":"a","thoughtSignature":"{signature}"}}"#);
        let body = format!(r#"{{"contents":[{{"role":"model","parts":[{part}]}}]}}"#);
        let imported = aside_providers::from_gemini(body.as_bytes()).unwrap();
        serde_json::to_string(&imported.request).unwrap()
    };
    assert!(read("c2tpcA==").contains("gemini:c2tpcA=="));
    for placeholder in [
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
        "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
    ] {
        let sent = read(placeholder);
        assert!(!sent.contains("gemini:"), "{sent}");
    }
}

#[test]
fn an_unspecified_level_is_no_level() {
    let read = |level: &str| {
        let config = format!(r#"{{"thinkingConfig":{{"thinkingLevel":"{level}"}}}}"#);
        let contents = r#"[{"role":"user","parts":[{"text":"Hi"}]}]"#;
        let body = format!(r#"{{"contents":{contents},"generationConfig":{config}}}"#);
        aside_providers::from_gemini(body.as_bytes()).unwrap().request.output_config
    };
    assert!(read("LOW").is_some());
    assert!(read("THINKING_LEVEL_UNSPECIFIED").is_none());
}
