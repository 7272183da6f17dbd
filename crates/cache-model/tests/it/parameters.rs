//! Parameters that are set to their defaults, and those that are changed.

use std::time::Duration;

use aside_cache_model::{
    Body, CacheModel, CacheRules, Comparison, Relation, compare, thinking_lost,
};

/// Compares a request without parameters to the same one with some.
fn compared(model: &str, parameters: &str) -> Comparison {
    let input = match model.split_once(' ') {
        Some((_, "responses")) => r#""input":"Hi""#,
        _ => r#""messages":[{"role":"user","content":"Hi"}]"#,
    };
    let name = model.split(' ').next().unwrap_or_default();
    let body = |parameters: &str| {
        let json = format!(r#"{{"model":"{name}",{parameters}{input}}}"#);
        Body::parse(json.as_bytes()).unwrap()
    };
    let is_claude = model.starts_with("claude");
    let rules = if is_claude { CacheRules::anthropic() } else { CacheRules::openai() };
    compare(&body(""), &body(&format!("{parameters},")), &rules)
}

#[test]
fn a_default_is_no_change() {
    for (model, parameters) in [
        ("claude-opus-5-5", r#""tool_choice":{"type":"auto"}"#),
        ("claude-opus-5-5", r#""tool_choice":{"type":"auto","disable_parallel_tool_use":false}"#),
        ("claude-opus-5-5", r#""tool_choice":{"disable_parallel_tool_use": false, "type":"auto"}"#),
        ("claude-opus-5-5", r#""tool_choice":null,"speed":null,"output_config":{"effort":null}"#),
        ("claude-opus-5-5", r#""thinking":{"type":"adaptive","display":"omitted"}"#),
        ("claude-opus-5", r#""thinking":{"type":"adaptive"}"#),
        ("claude-sonnet-4-5", r#""thinking":{"type":"disabled"}"#),
        ("claude-opus-5-5", r#""speed":"standard""#),
        ("gpt-5.5 responses", r#""text":{"format":{"type":"text"},"verbosity":"medium"}"#),
        ("gpt-5.5 responses", r#""service_tier":"default""#),
        ("gpt-5.5 chat", r#""response_format":{"type":"text"},"verbosity":"medium""#),
    ] {
        let found = compared(model, parameters);
        assert_eq!((found.parameter, found.lost_tokens), (None, 0), "{model} {parameters}");
        let is_kept = matches!(found.relation, Relation::Identical | Relation::Continues);
        assert!(is_kept, "{model} {parameters} {:?}", found.relation);
    }
}

#[test]
fn another_value_is_a_change() {
    for (model, parameters, name) in [
        ("claude-opus-5-5", r#""tool_choice":{"type":"none"}"#, "tool_choice"),
        (
            "claude-opus-5-5",
            r#""tool_choice":{"type":"auto","disable_parallel_tool_use":true}"#,
            "tool_choice.disable_parallel_tool_use",
        ),
        (
            "claude-opus-5-5",
            r#""thinking":{"type":"adaptive","display":"summarized"}"#,
            "thinking.display",
        ),
        ("claude-opus-5", r#""thinking":{"type":"disabled"}"#, "thinking.type"),
        (
            "claude-sonnet-4-5",
            r#""thinking":{"type":"enabled","budget_tokens":2000}"#,
            "thinking.type",
        ),
        // Whether it thinks without the parameter is not known.
        ("claude-unknown-9", r#""thinking":{"type":"disabled"}"#, "thinking.type"),
        ("gpt-5.5 responses", r#""text":{"format":{"type":"json_object"}}"#, "text.format"),
        ("gpt-5.5 responses", r#""text":{"verbosity":"low"}"#, "text.verbosity"),
        ("gpt-5.5 chat", r#""response_format":{"type":"json_object"}"#, "response_format"),
    ] {
        let found = compared(model, parameters);
        assert_eq!(found.parameter, Some(name), "{model} {parameters}");
        assert_eq!(found.relation, Relation::LevelLost, "{model} {parameters}");
    }
}

/// What the provider puts before the body is a part of the prefix.
#[test]
fn a_cache_or_a_stored_prompt_is_named() {
    let body = |json: &str| Body::parse(json.as_bytes()).unwrap();
    let gemini = |name: &str, more: &str| {
        body(&format!(
            r#"{{"model":"gemini-3.8-flash",{name}"contents":[{{"role":"user","parts":[{{"text":"a"}}]}}{more}]}}"#
        ))
    };
    let responses = |name: &str, more: &str| {
        body(&format!(
            r#"{{"model":"gpt-5.5",{name}"input":[{{"role":"user","content":"a"}}{more}]}}"#
        ))
    };
    let relation = |before: &Body, after: &Body, rules: CacheRules| {
        let found = compare(before, after, &rules);
        (found.relation, found.parameter)
    };
    let more = r#",{"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]}"#;
    let [abc, def] = ["abc", "def"].map(|it| format!(r#""cachedContent":"cachedContents/{it}","#));
    let check =
        |after: &str| relation(&gemini(&abc, ""), &gemini(after, more), CacheRules::gemini());
    assert_eq!(check(&abc), (Relation::Continues, None));
    assert_eq!(check(&def), (Relation::LevelLost, Some("cachedContent")));
    assert_eq!(check(""), (Relation::LevelLost, Some("cachedContent")));
    let more = r#",{"role":"assistant","content":"b"},{"role":"user","content":"c"}"#;
    let [abc, def] = ["abc", "def"].map(|it| format!(r#""prompt":{{"id":"{it}"}},"#));
    let check =
        |after: &str| relation(&responses(&abc, ""), &responses(after, more), CacheRules::openai());
    assert_eq!(check(&abc), (Relation::Continues, None));
    assert_eq!(check(&def), (Relation::LevelLost, Some("prompt")));
}

/// OpenAI's reasoning is bound to the format.
#[test]
fn reasoning_survives_the_default_format() {
    let body = |format: &str, more: &str| {
        let json = format!(
            r#"{{"model":"gpt-6.2-sol"{format},"input":[{{"role":"user","content":"x"}},
            {{"type":"reasoning","id":"r","summary":[],"encrypted_content":"e"}},
            {{"role":"assistant","content":"y"}}{more}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let more = r#",{"role":"user","content":"z"}"#;
    let lost = |format: &str| {
        let format = format!(r#","text":{{"format":{{"type":"{format}"}}}}"#);
        thinking_lost(&body("", ""), &body(&format, more)).is_some()
    };
    assert!(!lost("text"));
    assert!(lost("json_object"));
}

/// Web search belongs to the system prompt, wherever it stands: what is read ends at the tool where
/// it was written.
#[test]
fn web_search_is_counted_after_the_tools() {
    let body = |tools: &str| {
        let long = "Be careful. ".repeat(400);
        let tool = format!(
            r#"{{"name":"t","description":"{long}","input_schema":{{}},"cache_control":{{"type":"ephemeral"}}}}"#
        );
        let json = format!(
            r#"{{"model":"claude-opus-5-5","tools":[{}],"system":"{long}","messages":[{{"role":"user","content":"Hi"}}]}}"#,
            tools.replace("TOOL", &tool)
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let search = |more: &str| format!(r#"{{"type":"web_search_20250305","name":"s"{more}}}"#);
    let marker = r#","cache_control":{"type":"ephemeral"}"#;
    let second = |first: &str, second: &str| {
        let mut cache = CacheModel::new(CacheRules::anthropic());
        let written = cache.send(&body(first), Duration::ZERO).usage.write_5m;
        let hit = cache.send(&body(second), Duration::from_secs(60)).hit.unwrap();
        (hit.path.to_string(), hit.tokens == written)
    };
    let [after, before] = [format!("TOOL,{}", search("")), format!("{},TOOL", search(""))];
    assert_eq!(second("TOOL", &after), ("tools[0]".to_owned(), true));
    assert_eq!(second("TOOL", &before), ("tools[1]".to_owned(), true));
    // A marker at it works as at any other tool.
    let marked = format!("TOOL,{}", search(marker));
    assert_eq!(second(&marked, &marked), ("tools[1]".to_owned(), true));
    // A deferred one is no part of the prefix until a message names it.
    let deferred = format!("TOOL,{}", search(r#","defer_loading":true"#));
    assert_eq!(second("TOOL", &deferred), ("tools[0]".to_owned(), true));
}
