//! System messages, turn-scoped messages, tool changes and efforts.

use super::*;

/// Sends messages without thinking to a model with mid-conversation features.
fn outcome(model: &str, betas: &str, members: &str, messages: &[String]) -> String {
    let body = body(model, members, messages);
    let request = StrictRequest::new(body.as_bytes()).betas(betas);
    match judge().answer(&request) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("{} {}", error.status(), error.message()),
    }
}

fn check(messages: &[String], expected: &str) {
    check_all(UNBOUND, BETAS, "", messages, expected);
}

fn check_all(model: &str, betas: &str, members: &str, messages: &[String], expected: &str) {
    let found = outcome(model, betas, members, messages);
    let fits = match expected {
        "accepted" => found == expected,
        phrase => found.starts_with("400 ") && found.contains(phrase),
    };
    assert!(fits, "{messages:?}: expected {expected:?}, found {found:?}");
}

fn yes() -> String {
    assistant(r#"[{"type":"text","text":"Yes."}]"#)
}

#[test]
fn a_group_follows_a_user_and_precedes_an_answer() {
    let (u, a, s) = (user("x"), yes(), system("y"));
    let go = |order: &str| -> Vec<String> {
        let of = |kind| match kind {
            'u' => u.clone(),
            'a' => a.clone(),
            _ => s.clone(),
        };
        order.chars().map(of).collect()
    };
    for (order, expected) in [
        ("us", "accepted"),
        ("uss", "accepted"),
        ("usau", "accepted"),
        ("uusa u", "messages.4: role 'system' must follow"),
        ("su", "messages.0: use the top-level 'system' parameter"),
        ("uas", "messages.2: role 'system' must follow a 'user' message"),
        ("usu", "messages.1: role 'system' must precede an 'assistant' message"),
        ("ussu", "messages.2: role 'system' must precede"),
        ("usasu", "messages.3: role 'system' must follow"),
        ("au", "accepted"),
        ("ua", "does not support assistant message prefill"),
    ] {
        check(&go(order), expected);
    }
}

#[test]
fn a_model_without_system_messages_refuses_them() {
    let messages = [user("x"), system("y")];
    let text = "role 'system' is not supported on this model";
    check_all("claude-haiku-4-5", BETAS, "", &messages, text);
    check_all(BOUND, BETAS, "", &messages, "accepted");
}

#[test]
fn system_content_is_text_and_tool_changes() {
    let message = |content: &str| {
        let system = format!(r#"{{"role":"system","content":{content}}}"#);
        [user("x"), system]
    };
    check(&message(r#""text""#), "accepted");
    check(
        &message(r#"[{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}]"#),
        "accepted",
    );
    check(
        &message(r#"[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]"#),
        "supports text, tool_addition, and tool_removal blocks only",
    );
}

#[test]
fn turn_scoped_messages_hold_text_only() {
    let scoped = |rest: &str| {
        let message = format!(r#"{{"role":"system","clear_at":"next_user_message",{rest}}}"#);
        [user("x"), message]
    };
    let text = r#""content":[{"type":"text","text":"y"}]"#;
    check(&scoped(text), "accepted");
    let no_beta = "messages.1.clear_at: Extra inputs are not permitted";
    check_all(UNBOUND, "", "", &scoped(text), no_beta);
    let marked = text.replace("\"y\"", r#""y","cache_control":{"type":"ephemeral"}"#);
    check(&scoped(&marked), "messages.1.content.0: cache_control is not permitted");
    check(
        &scoped(&format!(r#"{text},"output_config":{{"effort":"low"}}"#)),
        "output_config is not permitted on a turn-scoped system message",
    );
    let wrong = scoped(text)[1].replace("next_user_message", "soon");
    check(&[user("x"), wrong], "messages.1.clear_at: Input should be ");
    let of_user = scoped(text)[1].replace(r#""role":"system""#, r#""role":"user""#);
    check(&[of_user], "only permitted on role 'system' messages");
}

#[test]
fn tool_changes_name_a_tool_of_the_request() {
    let change = |kind: &str, name: &str| {
        let block =
            format!(r#"{{"type":"{kind}","tool":{{"type":"tool_reference","name":"{name}"}}}}"#);
        [user("x"), format!(r#"{{"role":"system","content":[{block}]}}"#)]
    };
    let tools = r#""tools":[{"name":"Read","input_schema":{"type":"object"}}],"#;
    check_all(UNBOUND, BETAS, tools, &change("tool_removal", "Read"), "accepted");
    check_all(
        UNBOUND,
        BETAS,
        tools,
        &change("tool_addition", "Write"),
        "tool 'Write' is not defined",
    );
    check_all(
        UNBOUND,
        "",
        tools,
        &change("tool_removal", "Read"),
        "does not match any of the expected tags",
    );
    let of_user = change("tool_removal", "Read")[1].replace("system", "user");
    check_all(
        UNBOUND,
        BETAS,
        tools,
        &[of_user],
        "messages.0.content.0: a tool_removal of the user, expected ",
    );
}

#[test]
fn an_effort_is_accepted_at_any_position() {
    let effort = r#"{"role":"system","content":[],"output_config":{"effort":"low"}}"#.to_owned();
    let messages = [effort.clone(), user("x"), yes(), effort.clone(), user("y"), effort];
    check(&messages, "accepted");
    check_all(
        UNBOUND,
        "",
        "",
        &messages,
        "messages.0.output_config: Extra inputs are not permitted",
    );
    let text = "requires a model that supports per-turn effort";
    check_all("claude-opus-4-8", BETAS, "", &messages, text);
}

#[test]
fn an_effort_is_accepted_under_each_of_its_betas() {
    let messages = [
        user("x"),
        r#"{"role":"system","content":[{"type":"text","text":"y"}],"output_config":{"effort":"low"}}"#
            .to_owned(),
    ];
    for beta in [
        "mid-conversation-output-config-2026-07-01",
        "per-turn-control-2026-07-01",
        // An unknown beta may permit it as well.
        "made-up-2027-01-01",
    ] {
        check_all(UNBOUND, beta, "", &messages, "accepted");
    }
    let refused = "messages.1.output_config: Extra inputs are not permitted";
    check_all(UNBOUND, "interleaved-thinking-2025-05-14", "", &messages, refused);
}
