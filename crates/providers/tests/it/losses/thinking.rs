//! Thinking on other wires: what is sent of it, and why the rest is lost.

use aside_providers::{Options, Reasoning};

use super::{GEMINI, GROK, HI, OPENAI, check, request, written};

#[test]
fn the_budget_of_thinking() {
    let keys = r#","thinking":{"type":"enabled","budget_tokens":2048}"#;
    let sent = r#""thinkingConfig":{"includeThoughts":true,"thinkingBudget":2048}"#;
    check(GEMINI, "gemini-2.5-pro", keys, sent, "");
    let lost = "thinking.budget_tokens: left out: the model takes a level of thinking, not a budget of tokens";
    let sent = r#""thinkingConfig":{"includeThoughts":true}"#;
    for model in ["gemini-3.8-flash", "gemini-4-argon"] {
        check(GEMINI, model, keys, sent, lost);
    }
    let lost =
        "thinking.budget_tokens: left out: the model takes an effort, not a budget of tokens";
    check(OPENAI, "gpt-6.2-sol", keys, r#""reasoning":{"summary":"auto"}"#, lost);
}

#[test]
fn thinking_to_read() {
    let keys = |display: &str| format!(r#","thinking":{{"type":"adaptive"{display}}}"#);
    let lost = "thinking: left out: the wire returns no thinking";
    for display in ["", r#","display":"summarized""#] {
        check(OPENAI, "gpt-5.2", &keys(display), "", lost);
        check(OPENAI, "gpt-5.5", &keys(display), r#""reasoning":{"summary":"auto"}"#, "");
    }
    // To omit it is to ask for nothing.
    let omitted = request("m", &keys(r#","display":"omitted""#), &[HI]);
    for (provider, model) in [
        (OPENAI, "gpt-5.2"),
        (OPENAI, "gpt-5.5"),
        (GROK, "grok-4.5"),
        (GEMINI, "gemini-2.5-flash"),
        (GEMINI, "gemini-4-argon"),
    ] {
        let (body, losses) = written(&omitted, provider, &Options::for_model(model));
        assert!(!body.contains("summary") && !body.contains("includeThoughts"), "{body}");
        assert_eq!(losses, format!("model: m is replaced by {model}"));
    }
    let lost = "thinking: left out: the provider documents no summaries of reasoning on this wire";
    check(GROK, "grok-4.5", &keys(""), "", lost);
    let request = request("gpt-5.2", &keys(""), &[HI]);
    let options = Options { reasoning: Reasoning::Passed, ..Options::for_model("gpt-5.2") };
    assert_eq!(written(&request, OPENAI, &options).1, "");
}

/// Sonnet 5.5 has another word for it than the other models.
#[test]
fn disabled_thinking() {
    for kind in ["disabled", "between_tools"] {
        let keys = &*format!(r#","thinking":{{"type":"{kind}"}}"#);
        let none = r#""reasoning":{"effort":"none"}"#;
        check(OPENAI, "gpt-6-luna", keys, none, "");
        check(OPENAI, "gpt-4.1", keys, "", "");
        check(GEMINI, "gemini-2.5-flash", keys, r#""thinkingBudget":0"#, "");
        let always = "thinking: left out: the model always reasons";
        check(OPENAI, "gpt-6.2-sol", keys, "", always);
        check(GEMINI, "gemini-4-argon", keys, "", always);
        let unknown =
            "thinking: left out: it is not known that the model can answer without reasoning";
        for (provider, model) in [
            (OPENAI, "gpt-5.2"),
            (OPENAI, "gpt-9"),
            (GEMINI, "gemini-2.5-pro"),
            (GEMINI, "gemini-4-neon"),
        ] {
            check(provider, model, keys, "", unknown);
        }
        let both = format!(r#"{keys},"output_config":{{"effort":"low"}}"#);
        let lost = "output_config.effort: replaced by none: thinking is disabled, and the wire has one key for both";
        check(OPENAI, "gpt-6-luna", &both, none, lost);
    }
}
