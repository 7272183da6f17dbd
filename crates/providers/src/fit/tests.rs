use super::*;
use crate::provider::Provider;
use crate::provider_spec::ServerKind;

#[track_caller]
fn check(provider: Provider, model: &str, messages: &str, expected: &str, losses: &[&str]) {
    let body = format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#);
    let mut request = Request::parse(body.as_bytes()).expect("the test's JSON is valid").value;
    let found = fit(&mut request, provider, &Options::for_model(model));
    let paths: Vec<_> = found.iter().map(|loss| loss.path.as_str()).collect();
    assert_eq!(paths, losses);
    let roles: Vec<_> = request.messages.iter().map(|it| it.role.as_str()).collect();
    assert_eq!(roles.join(" "), expected);
}

const MIDDLE: &str = r#"[{"role":"user","content":"a"},{"role":"system","content":"b"},
    {"role":"user","content":"c"},{"role":"assistant","content":"d"},
    {"role":"system","content":"e"},{"role":"assistant","content":"f"}]"#;

#[test]
fn system_messages_come_to_their_place() {
    check(
        Provider::FirstParty,
        "claude-opus-5",
        MIDDLE,
        "user user system assistant user assistant",
        &["messages[1]", "messages[4].content[0]"],
    );
    let reminders = ["messages[1].content[0]", "messages[4].content[0]"];
    let roles = "user user assistant user assistant";
    check(Provider::Gemini, "gemini-4-argon", MIDDLE, roles, &reminders);
    check(Provider::FirstParty, "claude-sonnet-4-5", MIDDLE, roles, &reminders);
    // Responses takes them anywhere.
    let roles = "user system user assistant system assistant";
    check(Provider::OpenAi, "gpt-6.2-sol", MIDDLE, roles, &[]);
}

#[test]
fn an_effort_keeps_its_place() {
    let effort = r#"{"role":"system","content":[],"output_config":{"effort":"low"}}"#;
    let both = effort.replace("[]", r#""b""#);
    let turn = |role: &str| format!(r#"{{"role":"{role}","content":"a"}}"#);
    let (user, assistant) = (turn("user"), turn("assistant"));
    let own = Provider::FirstParty;
    for (messages, roles) in [
        ([effort, &user, &assistant, &user], "system user assistant user"),
        ([&user, &assistant, effort, &user], "user assistant system user"),
        ([&user, effort, &user, &assistant], "user system user assistant"),
        ([&user, effort, &assistant, &user], "user system assistant user"),
    ] {
        let messages = format!("[{}]", messages.join(","));
        check(own, "claude-opus-5-5", &messages, roles, &[]);
        let lost = roles.split(' ').position(|it| it == "system").expect("it is there");
        let lost = [&*format!("messages[{lost}].output_config")];
        check(
            own,
            "claude-opus-4-5",
            &messages,
            &roles.replace("system", "").trim().replace("  ", " "),
            &lost,
        );
    }
    // With text, it is placed as text, and the effort stays if the text cannot.
    let messages = format!("[{user},{both},{user}]");
    check(own, "claude-opus-5-5", &messages, "user user system", &["messages[1]"]);
    let messages = format!("[{user},{assistant},{effort},{both},{user},{effort}]");
    let roles = "user assistant system user system system";
    check(own, "claude-opus-5-5", &messages, roles, &["messages[3]"]);
    let messages = format!("[{user},{assistant},{both},{assistant}]");
    let lost = ["messages[2].content[0]"];
    check(own, "claude-opus-5-5", &messages, "user assistant user system assistant", &lost);
}

#[test]
fn many_efforts_take_linear_time() {
    let effort = r#"{"role":"system","content":[],"output_config":{"effort":"low"}},"#;
    let user = r#"{"role":"user","content":"a"}"#;
    let result = |id: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}"#
        )
    };
    // The results are joined although messages are between them.
    let calls = ["c", "d"]
        .map(|id| format!(r#"{{"type":"tool_use","id":"{id}","name":"f","input":{{}}}}"#));
    let calls = format!(r#"{{"role":"assistant","content":[{}]}}"#, calls.join(","));
    let messages = format!("[{user},{calls},{},{effort}{}]", result("c"), result("d"));
    let chat = "some-model";
    let spec = Provider::OpenAi;
    let compatible = Options { server: ServerKind::Compatible, ..Options::for_model(chat) };
    let roles = |messages: &str| {
        let body = format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#);
        let mut request = Request::parse(body.as_bytes()).expect("the test's JSON is valid").value;
        fit(&mut request, spec, &compatible);
        request.messages.iter().map(|it| it.role.as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(roles(&messages), ["user", "assistant", "user", "system"]);
    // Looking back from each message would take minutes.
    let many = format!("[{}{user}]", effort.repeat(100_000));
    assert_eq!(roles(&many).len(), 100_001);
}

#[test]
fn a_summary_stands_for_what_it_replaces() {
    let summary = |content: &str| {
        format!(
            r#"[{{"role":"assistant","content":[{{"type":"compaction","content":{content}}}]}},
            {{"role":"user","content":"b"}}]"#
        )
    };
    let (read, sealed) = (summary(r#""S""#), summary("null"));
    let path = ["messages[0].content[0]"];
    check(Provider::OpenAi, "gpt-5.5", &read, "user user", &path);
    check(Provider::OpenAi, "gpt-5.5", &sealed, "assistant user", &[]);
    let own = "claude-opus-5-5";
    check(Provider::FirstParty, own, &read, "assistant user", &[]);
    // A compaction by a threshold is in the message that it belongs to.
    let replayed = r#"[{"role":"user","content":"a"},
        {"role":"assistant","content":[{"type":"compaction","content":"old"},{"type":"text","text":"b"}]},
        {"role":"user","content":"c"},
        {"role":"assistant","content":[{"type":"compaction","content":"S"},{"type":"text","text":"d"}]},
        {"role":"user","content":"e"},
        {"role":"assistant","content":[{"type":"compaction","content":null},{"type":"text","text":"f"}]}]"#;
    let lost = ["messages[0]", "messages[3].content[0]"];
    check(Provider::Gemini, "gemini-2.5-pro", replayed, "user assistant user assistant", &lost);
    check(Provider::FirstParty, own, replayed, "user assistant user assistant user assistant", &[]);
}

#[test]
fn a_tool_that_cannot_be_added_later_is_given_at_once() {
    let item = r#"{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"g","parameters":{"type":"object"}}]}"#;
    let given = |tools: &str, model: &str| {
        let body = format!(
            r#"{{"model":"gpt-6.2-sol","input":[{{"role":"user","content":"a"}},{item},{{"role":"user","content":"b"}}],"tools":[{tools}]}}"#
        );
        let mut read = crate::from_responses(body.as_bytes()).expect("the test's JSON is valid");
        let own = Provider::FirstParty.spec();
        let options = Options::for_model(model);
        let losses = fit_from(&mut read.request, &mut read.sources, own, &options);
        let added = read.request.tools.last().expect("a tool");
        let blocks = read.request.messages.iter().flat_map(|it| &it.content);
        let is_added = blocks.filter(|it| it.tool_change().is_some()).count();
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        (added.defer_loading.is_none(), is_added, losses)
    };
    let lost = vec!["input[1].tools[0]: given at once: it cannot be added later".to_owned()];
    let own = r#"{"type":"function","name":"f"}"#;
    assert_eq!(given("", "claude-opus-5-5"), (true, 0, lost.clone()));
    let moved =
        "input[1]: moved behind the messages of the user: a response follows a system message";
    assert_eq!(given(own, "claude-opus-5-5"), (false, 1, vec![moved.to_owned()]));
    // The model takes no changes of tools.
    assert_eq!(given(own, "claude-sonnet-4-5"), (true, 0, lost));
}

#[test]
fn sampling_parameters_are_left_out_of_an_api_version() {
    let check = |model: &str, provider: Provider, version: ApiVersion, expected: Option<&str>| {
        let body = r#"{"model":"gpt-4.1","max_tokens":9,"messages":[],"temperature":1.0,"top_p":1,"top_k":5}"#;
        let mut request = Request::parse(body.as_bytes()).unwrap().value;
        let options = Options { api_version: version, ..Options::for_model(model) };
        let losses = fit(&mut request, provider, &options);
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        let keys = ["temperature", "top_p", "top_k"].iter();
        let expected = expected
            .into_iter()
            .flat_map(|why| keys.clone().map(move |key| format!("{key}: {why}")));
        assert_eq!(losses, expected.collect::<Vec<_>>(), "{model} {version:?}");
    };
    let (own, old, new) = (Provider::FirstParty, ApiVersion::V2023_06_01, ApiVersion::V2026_10_21);
    for model in ["claude-opus-4-5", "claude-sonnet-4-6", "claude-nova-9"] {
        check(model, own, old, None);
        check(model, own, new, Some("left out: this API version takes no sampling parameters"));
    }
    check("claude-opus-5-5", own, new, Some("left out: the model takes no sampling parameters"));
    check("gpt-4.1", Provider::OpenAi, new, None);
}

#[test]
fn sampling_parameters_are_left_out_while_the_model_thinks() {
    let check_at = |top_p: f64, provider: Provider, model: &str, keys: &str, expected: &[&str]| {
        let body = format!(r#"{{"model":"m","max_tokens":9,"messages":[],"top_p":{top_p}{keys}}}"#);
        let mut request = Request::parse(body.as_bytes()).unwrap().value;
        let losses = fit(&mut request, provider, &Options::for_model(model));
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        assert_eq!(losses, expected, "{model} {keys}");
    };
    let check = |provider: Provider, model: &str, keys: &str, expected: &[&str]| {
        check_at(0.5, provider, model, keys, expected);
    };
    let on = r#","temperature":0.2,"thinking":{"type":"adaptive"}"#;
    let off = r#","temperature":0.2,"thinking":{"type":"disabled"}"#;
    let between_tools = r#","temperature":0.2,"thinking":{"type":"between_tools"}"#;
    let unset = r#","temperature":0.2"#;
    let what = "left out: the model takes no sampling parameters while it thinks";
    let [temperature, top_p] = ["temperature", "top_p"].map(|it| format!("{it}: {what}"));
    let both = [&*temperature, &*top_p];
    for model in ["gpt-6-sol", "gpt-6-luna"] {
        check(Provider::OpenAi, model, on, &both);
        check(Provider::OpenAi, model, unset, &both);
        check(Provider::OpenAi, model, off, &[]);
        check(Provider::OpenAi, model, between_tools, &[]);
    }
    let own = Provider::FirstParty;
    check(own, "claude-opus-4-6", on, &both);
    check(own, "claude-opus-4-6", unset, &[]);
    check(own, "claude-opus-4-6", off, &[]);
    let default = r#","temperature":1.0,"thinking":{"type":"adaptive"}"#;
    check(own, "claude-opus-4-6", default, &both[1..]);
    check(Provider::OpenAi, "gpt-4.1", on, &[]);
    // Claude takes nearly all of the mass.
    check_at(0.97, own, "claude-opus-4-6", on, &both[..1]);
    check_at(0.97, Provider::OpenAi, "gpt-6-sol", on, &both);
}

#[test]
fn thinking_is_off_in_the_way_of_the_model() {
    let check = |model: &str, kind: &str, expected: Option<&str>, lost: &[&str]| {
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[],"thinking":{{"type":"{kind}"}}}}"#
        );
        let mut request = Request::parse(body.as_bytes()).unwrap().value;
        let losses = fit(&mut request, Provider::FirstParty, &Options::for_model(model));
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        assert_eq!(request.thinking.as_ref().map(|it| &*it.kind), expected, "{model} {kind}");
        assert_eq!(losses, lost, "{model} {kind}");
    };
    let (disabled, between) = ("disabled", "between_tools");
    let lost = "thinking: replaced by disabled, which turns thinking off on this model";
    for model in ["claude-opus-4-5", "claude-opus-4-6", "claude-opus-5"] {
        check(model, between, Some(disabled), &[lost]);
        check(model, disabled, Some(disabled), &[]);
    }
    check("claude-sonnet-5-5", between, Some(between), &[]);
    let lost = "thinking: left out: the model always reasons";
    check("claude-opus-5-5", between, None, &[lost]);
}

#[test]
fn a_reminder_is_not_cleared() {
    let messages = r#"[{"role":"user","content":"a"},
        {"role":"system","content":"b","clear_at":"next_user_message"}]"#;
    let lost = ["messages[1].clear_at", "messages[1].content[0]"];
    check(Provider::Gemini, "gemini-4-argon", messages, "user", &lost);
}

#[test]
fn an_effort_is_one_that_the_model_takes() {
    let check = |provider: Provider, model: &str, effort: &str, expected: &str, what: &str| {
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[],"output_config":{{"effort":"{effort}","a":1}}}}"#
        );
        let mut request = Request::parse(body.as_bytes()).unwrap().value;
        let losses = fit(&mut request, provider, &Options::for_model(model));
        assert_eq!(request.output_config.unwrap().get(), expected, "{model}");
        let losses: Vec<_> = losses.iter().map(|it| &*it.what).collect();
        assert_eq!(losses.join("; "), what, "{model}");
    };
    let own = Provider::FirstParty;
    let low = r#"{"effort":"low","a":1}"#;
    let nearest = "replaced by low, the nearest level that the model takes";
    check(own, "claude-opus-5", "minimal", low, nearest);
    check(own, "m", "minimal", low, nearest);
    check(own, "claude-opus-5", "low", low, "");
    let high = r#"{"effort":"high","a":1}"#;
    let nearest = "replaced by high, the nearest level that the model takes";
    check(own, "claude-opus-4-5", "max", high, nearest);
    let none = "left out: the model takes no effort";
    check(own, "claude-haiku-4-5", "low", r#"{"a":1}"#, none);
    check(Provider::OpenAi, "gpt-4.1", "low", r#"{"a":1}"#, none);
    let max = r#"{"effort":"max","a":1}"#;
    check(Provider::OpenAi, "gpt-5", "max", max, "");
}

#[test]
fn tools_of_messages_are_given_at_once() {
    let addition = r#"{"role":"system","content":[{"type":"text","text":"b"},{"type":"tool_addition","tool":
        {"type":"tool_definition","definition":{"name":"ls","input_schema":{"type":"object"}}}}]}"#;
    let messages = format!(r#"[{{"role":"user","content":"a"}},{addition}]"#);
    let path = ["messages[1].content[1]"];
    let roles = "user system";
    check(Provider::OpenAi, "gpt-4.1", &messages, roles, &path);
    check(Provider::OpenAi, "gpt-6.2-sol", &messages, roles, &[]);
    check(Provider::FirstParty, "claude-opus-5-5", &messages, roles, &[]);
    let lost = [path[0], "messages[1].content[0]"];
    check(Provider::Gemini, "gemini-4-argon", &messages, "user", &lost);
}

#[test]
fn a_removed_tool_is_left_out_where_no_message_removes_it() {
    let tool = |name: &str| format!(r#"{{"type":"function","function":{{"name":"{name}"}}}}"#);
    let body = format!(
        r#"{{"model":"gpt-4.1","messages":[{{"role":"user","content":"Hi"}}],"tools":[{},{},{}],
        "tool_choice":{{"type":"allowed_tools","allowed_tools":{{"mode":"required","tools":[{}]}}}}}}"#,
        tool("a"),
        tool("b"),
        tool("c"),
        tool("b")
    );
    let check = |provider: Provider, model: &str, tools: &str, roles: &str| {
        let mut request = crate::from_openai(body.as_bytes()).unwrap().request;
        let losses = fit(&mut request, provider, &Options::for_model(model));
        let paths: Vec<_> = losses.iter().map(|it| it.path.as_str()).collect();
        let lost: &[&str] = if tools == "b" { &["tools[0]", "tools[2]"] } else { &[] };
        assert_eq!(paths, lost, "{model}");
        let names: Vec<_> = request.tools.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names.join(" "), tools, "{model}");
        let found: Vec<_> = request.messages.iter().map(|it| it.role.as_str()).collect();
        assert_eq!(found.join(" "), roles, "{model}");
        assert_eq!(request.tool_choice.unwrap().kind, "any", "{model}");
    };
    check(Provider::FirstParty, "claude-opus-5-5", "a b c", "user system");
    check(Provider::OpenAi, "gpt-6.2-sol", "a b c", "user system");
    check(Provider::FirstParty, "claude-opus-4-5", "b", "user");
    check(Provider::Gemini, "gemini-4-argon", "b", "user");
    check(Provider::OpenAi, "gpt-4.1", "b", "user system");
    check(Provider::Grok, "grok-4.5", "b", "user system");
}

#[test]
fn names_of_tools_fit_the_messages_api() {
    let body = r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a.b"}}]}],
        "tools":[{"functionDeclarations":[{"name":"a.b"}]}],"toolConfig":
        {"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a.b"]}}}"#;
    let mut request = crate::from_gemini(body.as_bytes()).unwrap().request;
    let options = Options::for_model("claude-opus-5");
    let losses = fit(&mut request, Provider::FirstParty, &options);
    assert_eq!(losses[0].path, "tools[0].name");
    let name = &request.tools[0].name;
    assert!(takes_name(Wire::Messages, name));
    assert_eq!(request.tool_choice.unwrap().name.as_ref(), Some(name));
    let text = serde_json::to_string(&request.messages).unwrap();
    assert!(text.contains(&format!(r#""name":"{name}""#)), "{text}");
}

#[test]
fn changes_name_a_renamed_tool() {
    let check = |model: &str, own: &str, tools: usize, changes: usize, lost: &[&str]| {
        let body = format!(
            r#"{{"contents":[{{"parts":[{{"text":"Hi"}}]}}],
            "tools":[{{"functionDeclarations":[{{"name":"{own}"}},{{"name":"k"}},{{"name":"l"}}]}}],
            "toolConfig":{{"functionCallingConfig":{{"mode":"ANY","allowedFunctionNames":["k","l"]}}}}}}"#
        );
        let mut read = crate::from_gemini(body.as_bytes()).unwrap();
        let spec = Provider::FirstParty.spec();
        let options = Options::for_model(model);
        let losses = fit_from(&mut read.request, &mut read.sources, spec, &options);
        let paths: Vec<_> = losses.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, lost, "{model} {own}");
        let request = read.request;
        assert_eq!(request.tools.len(), tools, "{model} {own}");
        let blocks = request.messages.iter().flat_map(|it| &it.content);
        let found: Vec<_> = blocks.filter_map(ContentBlock::tool_change).collect();
        assert_eq!(found.len(), changes, "{model} {own}");
        assert!(found.iter().all(|it| **it.tool() == *request.tools[0].name), "{model} {own}");
    };
    let tool = "tools[0].functionDeclarations[0]";
    check("claude-opus-4-6", "g_h", 2, 0, &[tool]);
    check("claude-opus-4-6", "g.h", 2, 0, &[tool]);
    check("claude-opus-5", "g_h", 3, 1, &[]);
    check("claude-opus-5", "g.h", 3, 1, &[&format!("{tool}.name")]);
}

#[test]
fn gemini_wants_the_user_first() {
    let messages = r#"[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]"#;
    let added = ["messages[0]"];
    check(Provider::Gemini, "gemini-4-argon", messages, "user assistant user", &added);
    check(Provider::FirstParty, "claude-opus-5", messages, "assistant user", &[]);
}
