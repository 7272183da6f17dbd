//! A labelled pair for each cause, and pairs that have no label. `OtherWorkspace` is no part of a
//! body: see the lint rules.

use aside_cache_model::{
    Body, CacheRules, Cause, Difference, Level, Relation, compare, first_difference,
};

fn parse(json: &str) -> Body {
    Body::parse(json.as_bytes()).unwrap()
}

pub(crate) fn difference(before: &str, after: &str) -> Option<Difference> {
    first_difference(&parse(before), &parse(after))
}

#[track_caller]
pub(crate) fn check(before: &str, after: &str, path: &str, cause: Cause) {
    let found = difference(before, after).unwrap();
    assert_eq!((found.path.as_str(), found.cause), (path, cause), "{found:#?}");
}

/// A request with these messages, tools and system prompt.
pub(crate) fn body(system: &str, tools: &str, messages: &str) -> String {
    format!(
        r#"{{"model":"m","max_tokens":9,"tools":[{tools}],"system":{system},"messages":[{messages}]}}"#
    )
}

fn system(before: &str, after: &str, cause: Cause) {
    let text = |text: &str| body(&format!("{text:?}"), "", r#"{"role":"user","content":"Hi"}"#);
    check(&text(before), &text(after), "system", cause);
}

pub(crate) fn messages(before: &str, after: &str, path: &str, cause: Cause) {
    check(&body("\"s\"", "", before), &body("\"s\"", "", after), path, cause);
}

fn tools(before: &str, after: &str, path: &str, cause: Cause) {
    let hi = r#"{"role":"user","content":"Hi"}"#;
    check(&body("\"s\"", before, hi), &body("\"s\"", after, hi), path, cause);
}

#[test]
fn every_cause_has_a_pair() {
    let words = || include_str!("causes.rs").split(|it: char| !it.is_alphanumeric());
    for cause in Cause::ALL {
        let name = format!("{cause:?}");
        assert!(words().any(|word| word == name), "{name} has no pair");
    }
}

#[test]
fn texts() {
    system("Today is 2026-11-21.", "Today is 2026-11-22.", Cause::DateOrClock);
    system("cwd /home/mia/a", "cwd /home/tom/a", Cause::Directory);
    system("id 3f2b9c1e77aa", "id 9d01ffe2c3b4", Cause::RandomId);
    system("Git status:\nM a.rs", "Git status:\nM b.rs", Cause::GitStatus);
    system("a\r\nb", "a\nb", Cause::LineEndings);
    system("Be kind.", "Be careful.", Cause::TextEdited);
    system("Be kind. Be careful.", "Be kind.", Cause::TextTrimmed);
    system("Hi <system-reminder>x</system-reminder>", "Hi", Cause::ReminderMovedOrRemoved);
}

const READ: &str = r#"{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{"n":{"maximum":1.0}}}}"#;
const WRITE: &str = r#"{"name":"write","description":"Writes.","input_schema":{"type":"object"}}"#;

#[test]
fn tool_definitions() {
    let both = format!("{READ},{WRITE}");
    tools(&both, &format!("{WRITE},{READ}"), "tools[0].name", Cause::ToolOrder);
    tools(&both, READ, "tools[1]", Cause::ToolAddedOrRemoved);
    tools(WRITE, &both, "tools[0].name", Cause::ToolAddedOrRemoved);
    let edited = READ.replace("Reads.", "Reads a file.");
    tools(READ, &edited, "tools[0].description", Cause::ToolDefinitionEdited);
    let number = READ.replace("1.0", "1");
    let path = "tools[0].input_schema.properties.n.maximum";
    tools(READ, &number, path, Cause::NumberFormat);
    let order = WRITE.replace(
        r#""name":"write","description":"Writes.""#,
        r#""description":"Writes.","name":"write""#,
    );
    tools(WRITE, &order, "tools[0]", Cause::KeyOrder);
}

#[test]
fn messages_and_blocks() {
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let user = |blocks: &str| format!(r#"{{"role":"user","content":[{blocks}]}}"#);
    let assistant = |blocks: &str| format!(r#"{{"role":"assistant","content":[{blocks}]}}"#);
    let thinking = r#"{"type":"thinking","thinking":"hm","signature":"s"}"#;
    messages(
        &assistant(&format!("{thinking},{}", text("Yes"))),
        &assistant(&text("Yes")),
        "messages[0].content[0].type",
        Cause::ThinkingDropped,
    );
    let image = |data: &str| {
        format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
        )
    };
    messages(
        &user(&image("AAAA")),
        &user(&image("AAAB")),
        "messages[0].content[0].source.data",
        Cause::ImageChanged,
    );
    let result = |content: &str| {
        user(&format!(r#"{{"type":"tool_result","tool_use_id":"t","content":{content}}}"#))
    };
    messages(
        &result("\"ok\""),
        &result(r#"[{"type":"text","text":"ok","citations":[]}]"#),
        "messages[0].content[0].content",
        Cause::StringAgainstArray,
    );
    messages(
        &user(&text("one two")),
        &user(&format!("{},{}", text("one"), text("two"))),
        "messages[0].content[0].text",
        Cause::BlockSplitOrJoined,
    );
    let reminder = text("<system-reminder>todo</system-reminder>");
    messages(
        &user(&format!("{},{reminder}", text("Hi"))),
        &user(&text("Hi")),
        "messages[0].content[1]",
        Cause::ReminderMovedOrRemoved,
    );
    let long: Vec<String> = (0..3)
        .map(|it| format!("{},{}", user(&text(&format!("turn {it}"))), assistant(&text("Yes"))))
        .collect();
    messages(
        &long.join(","),
        &user(&text("This session is continued from a summary: …")),
        "messages[0].content[0].text",
        Cause::Compaction,
    );
    messages(
        r#"{"role":"user","content":"é"}"#,
        r#"{"role":"user","content":"\u00e9"}"#,
        "messages[0].content",
        Cause::StringEscapes,
    );
}

#[test]
fn a_system_prompt_in_more_blocks_is_split() {
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let [one, two] = [text("a b c"), format!("{},{}", text("a b"), text(" c"))];
    let hi = r#"{"role":"user","content":"Hi"}"#;
    let [one, two] = [one, two].map(|it| body(&format!("[{it}]"), "", hi));
    check(&one, &two, "system[0].text", Cause::BlockSplitOrJoined);
    check(&two, &one, "system[0].text", Cause::BlockSplitOrJoined);
}

#[test]
fn differences_outside_the_messages() {
    let body = |model: &str, choice: &str, mark: &str| {
        format!(
            r#"{{"model":"{model}","tool_choice":{{"type":"{choice}"}},"messages":[{{"role":"user","content":[{{"type":"text","text":"Hi"{mark}}}]}}]}}"#
        )
    };
    let one = body("a", "auto", "");
    check(&one, &body("b", "auto", ""), "model", Cause::OtherModel);
    check(&one, &body("a", "none", ""), "tool_choice.type", Cause::Parameter);
    let marked = body("a", "auto", r#","cache_control":{"type":"ephemeral"}"#);
    let path = "messages[0].content[0].cache_control";
    check(&one, &marked, path, Cause::MarkerOnly);
    check(&marked, &one, path, Cause::MarkerOnly);
    // A missing marker is before the brace that ends its block.
    let [at, brace] = [marked.find("\"cache_control"), one.find("}]}]")].map(Option::unwrap);
    let offsets = |it: Difference| (it.byte_offset_before.unwrap(), it.byte_offset.unwrap());
    assert_eq!(difference(&marked, &one).map(offsets), Some((at, brace)));
    assert_eq!(difference(&one, &marked).map(offsets), Some((brace, at)));
    assert_eq!(difference(&marked, &marked), None);
}

#[test]
fn equal_json_with_other_bytes_is_reported() {
    let body = |input: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"n","input":{input}}}]}}]}}"#
        )
    };
    let found = difference(&body(r#"{"a":1,"b":2}"#), &body(r#"{"b":2,"a":1}"#)).unwrap();
    assert_eq!((found.cause, found.is_json_equal), (Cause::KeyOrder, true));
    assert_eq!(found.path, "messages[0].content[0].input");
    let found = difference(&body(r#"{"a":1}"#), &body(r#"{"a":1.0}"#)).unwrap();
    assert_eq!((found.cause, found.is_json_equal), (Cause::NumberFormat, true));
    let found = difference(&body(r#"{"a":"\ud800"}"#), &body(r#"{"a":"\uD800"}"#)).unwrap();
    assert_eq!((found.cause, found.is_json_equal), (Cause::StringEscapes, true));
    // A float, or a text in UTF-8, would not have the difference.
    for (before, after) in [
        ("1e400", "2e400"),
        ("9007199254740993.0", "9007199254740992.0"),
        (r#""\ud800""#, r#""\udfff""#),
        (r#""\ud800""#, r#""\ufffd""#),
    ] {
        let [before, after] = [before, after].map(|value| body(&format!(r#"{{"a":{value}}}"#)));
        let found = difference(&before, &after).unwrap();
        assert_eq!((found.cause, found.is_json_equal), (Cause::TextEdited, false));
    }
    // The same image, and another.
    let image = |source: &str| {
        format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"image","source":{source}}}]}}]}}"#
        )
    };
    let first = image(r#"{"type":"base64","media_type":"image/png","data":"AAAA"}"#);
    let found = |source: &str| {
        let found = difference(&first, &image(source)).unwrap();
        (found.cause, found.is_json_equal)
    };
    let turned = found(r#"{"data":"AAAA","type":"base64","media_type":"image/png"}"#);
    assert_eq!(turned, (Cause::KeyOrder, true));
    let escaped = found(r#"{"type":"base64","media_type":"image\/png","data":"AAAA"}"#);
    assert_eq!(escaped, (Cause::StringEscapes, true));
    let other = found(r#"{"type":"base64","media_type":"image/png","data":"BBBB"}"#);
    assert_eq!(other, (Cause::ImageChanged, false));
    // White space is no difference.
    assert_eq!(difference(&body(r#"{"a":1}"#), &body("{ \"a\" :\n1 }")), None);
    // A key with that name in tool input is content.
    let found = difference(&body("{}"), &body(r#"{"cache_control":{}}"#)).unwrap();
    assert!(!found.is_harmless());
}

/// On OpenAI's wires a call's arguments are JSON in a string.
#[test]
fn arguments_are_compared_as_json() {
    let call = |arguments: &str| {
        format!(
            r#"{{"model":"m","input":[{{"role":"user","content":"Hi"}},{{"type":"function_call","call_id":"c","name":"read","arguments":{arguments:?}}}]}}"#
        )
    };
    let arguments = |before: &str, after: &str, cause| {
        check(&call(before), &call(after), "input[1].arguments", cause);
    };
    arguments(r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, Cause::KeyOrder);
    arguments(r#"{"a":1}"#, r#"{"a":1.0}"#, Cause::NumberFormat);
    arguments(r#"{"a":1}"#, r#"{"a": 1}"#, Cause::JsonSpacing);
    arguments(r#"{"a":"é"}"#, r#"{"a":"\u00e9"}"#, Cause::StringEscapes);
    arguments(r#"{"a":"10:53"}"#, r#"{"a":"10:54"}"#, Cause::DateOrClock);
    arguments(r#"{"a":"be kind"}"#, r#"{"a":"be calm"}"#, Cause::TextEdited);
    arguments(r#"{"a":1}"#, r#"{"a":2}"#, Cause::TextEdited);
    arguments("{a", "{b", Cause::TextEdited);
}

#[test]
fn unrelated_changes_have_no_cause() {
    let labels = [Cause::TextEdited, Cause::ToolDefinitionEdited];
    let text = |text: &str| body(&format!("{text:?}"), "", r#"{"role":"user","content":"Hi"}"#);
    for (before, after) in [
        ("Answer in one word.", "Answer in two words."),
        ("Version 1.2.3 of the tool", "Version 1.2.4 of the tool"),
        ("Use src/main.rs", "Use src/lib.rs"),
        ("Prefer tabs", "Prefer tabs and say why"),
        ("The limit is 10 lines", "The limit is 25 lines"),
        ("see https://a.example/x", "see https://a.example/y"),
    ] {
        let found = difference(&text(before), &text(after)).unwrap();
        assert!(labels.contains(&found.cause), "{before} {:?}", found.cause);
    }
}

#[test]
fn a_continued_request_has_no_difference() {
    let one = body("\"s\"", READ, r#"{"role":"user","content":"Hi"}"#);
    let two = body(
        "\"s\"",
        READ,
        r#"{"role":"user","content":"Hi"},{"role":"assistant","content":"Yes"},{"role":"user","content":"Go"}"#,
    );
    assert_eq!(difference(&one, &two), None);
    let found = difference(&two, &one).unwrap();
    assert_eq!(found.path, "messages[1]");
}

/// As in most parsers, including the providers'.
#[test]
fn the_last_of_duplicate_keys_counts() {
    let message = r#"{"role":"user","content":"Hi"}"#;
    let request = parse(&format!(
        r#"{{"model":"claude-opus-4","messages":[{message},{message}],"model":"claude-opus-5","messages":[{message}]}}"#
    ));
    assert_eq!(request.model(), Some("claude-opus-5"));
    assert_eq!(request.message_count(), 1);
}

/// String content and a list with one text are the same, with or without a
/// marker.
#[test]
fn a_string_content_is_a_list_of_one_text() {
    let string = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let list = |text: &str, more: &str| {
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"{more}}}]}}"#)
    };
    let whole = |system: &str, message: &str| body(system, "", message);
    let marker = r#","cache_control":{"type":"ephemeral"}"#;
    for (before, after) in [
        (string("Hi"), list("Hi", "")),
        (list("Hi", ""), string("Hi")),
        (list("Hi", marker), string("Hi")),
        (r#"{"role":"user","content":[{"text":"Hi","type":"text"}]}"#.to_owned(), string("Hi")),
    ] {
        let found = difference(&whole("\"s\"", &before), &whole("\"s\"", &after));
        let is_harmless = found.as_ref().is_none_or(Difference::is_harmless);
        assert!(is_harmless, "{before} {after} {found:?}");
    }
    let system = r#"[{"type":"text","text":"s"}]"#;
    let found = difference(&whole("\"s\"", &string("Hi")), &whole(system, &string("Hi")));
    assert_eq!(found, None);

    // Other texts differ at their byte, and any other key makes another block.
    messages(
        &string("It is 10:53."),
        &list("It is 10:54.", ""),
        "messages[0].content[0].text",
        Cause::DateOrClock,
    );
    messages(
        &list("It is 10:53.", ""),
        &string("It is 10:54."),
        "messages[0].content",
        Cause::DateOrClock,
    );
    // A block appended to a string: an edit, unless it is the end of the conversation.
    let two = list("Hi", "},{\"type\":\"text\",\"text\":\"Ho\"");
    let answered = |message: &str| format!(r#"{message},{{"role":"assistant","content":"Yes?"}}"#);
    let [one, more] = [string("Hi"), two.clone()].map(|it| answered(&it));
    messages(&one, &more, "messages[0].content[1]", Cause::TextEdited);
    assert_eq!(difference(&whole("\"s\"", &string("Hi")), &whole("\"s\"", &two)), None);
    messages(&two, &string("Hi"), "messages[0].content[1]", Cause::TextEdited);
    let cited = list("Hi", r#","citations":[]"#);
    messages(&string("Hi"), &cited, "messages[0].content", Cause::StringAgainstArray);
    let found = difference(
        &whole("\"It is 10:53.\"", &string("Hi")),
        &whole(r#"[{"type":"text","text":"It is 10:54."}]"#, &string("Hi")),
    );
    let found = found.expect("the texts differ");
    assert_eq!((found.path.as_str(), found.cause), ("system[0].text", Cause::DateOrClock));
}

/// A deferred tool has no position in the prompt, wherever it is in the list.
#[test]
fn deferred_tools_are_no_difference() {
    let tool = |name: &str, more: &str| format!(r#"{{"name":"{name}","input_schema":{{}}{more}}}"#);
    let deferred = tool("New", r#","defer_loading":true"#);
    let (read, write) = (tool("Read", ""), tool("Write", ""));
    let hi = r#"{"role":"user","content":"Hi"}"#;
    let with = |tools: &str| parse(&body("\"s\"", tools, hi));
    let before = with(&format!("{read},{write}"));
    for tools in [
        format!("{read},{write},{deferred}"),
        format!("{read},{deferred},{write}"),
        format!("{deferred},{read},{write}"),
    ] {
        for (a, b) in [(before.clone(), with(&tools)), (with(&tools), before.clone())] {
            let found = compare(&a, &b, &CacheRules::anthropic());
            assert_eq!(found.relation, Relation::Identical, "{tools} {found:#?}");
            assert_eq!((found.lost_tokens, found.difference), (0, None));
        }
    }
    // The same tool without the key is new, and an order is an order.
    tools(
        &format!("{read},{write}"),
        &format!("{read},{deferred},{},{write}", tool("New", "")),
        "tools[2].name",
        Cause::ToolAddedOrRemoved,
    );
    tools(
        &format!("{read},{deferred},{write}"),
        &format!("{write},{read}"),
        "tools[0].name",
        Cause::ToolOrder,
    );
}

/// A deferred tool that a message has loaded is in the prompt.
#[test]
fn a_loaded_tool_is_compared() {
    let tool = |name: &str, more: &str| {
        format!(
            r#"{{"name":"{name}","description":"{more}","input_schema":{{}},"defer_loading":true}}"#
        )
    };
    let read = r#"{"name":"Read","input_schema":{}}"#;
    let loads = [
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"New"}]}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_search_tool_result","tool_use_id":"t","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"New"}]}}]}"#,
        r#"{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"New"}}]}"#,
    ];
    for load in loads {
        let with = |tools: &str| body("\"s\"", &format!("{read},{tools}"), load);
        check(
            &with(&tool("New", "one")),
            &with(&format!("{},{}", tool("Other", ""), tool("New", "two"))),
            "tools[2].description",
            Cause::ToolDefinitionEdited,
        );
        check(
            &with(&tool("New", "one")),
            &with(&tool("Other", "")),
            "tools[1]",
            Cause::ToolAddedOrRemoved,
        );
        let (a, b) = (parse(&with(&tool("New", "one"))), parse(&with(&tool("New", "two"))));
        let found = compare(&a, &b, &CacheRules::anthropic());
        assert_eq!(found.relation, Relation::Broken, "{load}");
    }
}

/// The wires store the same edit in different places.
#[test]
fn an_edit_has_one_cause_on_every_wire() {
    let png = "iVBORw0KGgo=";
    let user = r#"{"role":"user","content":"Look"}"#;
    let answer = r#"{"role":"assistant","content":"A shop."}"#;
    let responses = |items: &str| format!(r#"{{"model":"gpt-5.5","input":[{items}]}}"#);
    let chat = |items: &str| format!(r#"{{"model":"gpt-5.5","n":1,"messages":[{items}]}}"#);
    let gemini = |items: &str| format!(r#"{{"model":"gemini-3.6-flash","contents":[{items}]}}"#);
    let [asked, said] = [("user", "Look"), ("model", "A shop.")]
        .map(|(role, text)| format!(r#"{{"role":"{role}","parts":[{{"text":"{text}"}}]}}"#));
    let cause = |before: &str, after: &str| difference(before, after).unwrap().cause;

    // A message with an image alone is taken out.
    let url = format!("data:image/png;base64,{png}");
    let image =
        format!(r#"{{"role":"user","content":[{{"type":"input_image","image_url":"{url}"}}]}}"#);
    let whole = responses(&format!("{user},{image}"));
    assert_eq!(cause(&whole, &responses(&format!("{user},{answer}"))), Cause::ImageChanged);
    let image = format!(
        r#"{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"{url}"}}}}]}}"#
    );
    let whole = chat(&format!("{user},{image}"));
    assert_eq!(cause(&whole, &chat(&format!("{user},{answer}"))), Cause::ImageChanged);
    let image = format!(
        r#"{{"role":"user","parts":[{{"inlineData":{{"mimeType":"image/png","data":"{png}"}}}}]}}"#
    );
    let whole = gemini(&format!("{asked},{image}"));
    assert_eq!(cause(&whole, &gemini(&format!("{asked},{said}"))), Cause::ImageChanged);

    // The text before a call is taken out.
    let call = r#"{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}"#;
    let calling = |content: &str| {
        chat(&format!(r#"{user},{{"role":"assistant",{content}"tool_calls":[{call}]}}"#))
    };
    // The last system text is taken out.
    let [first, last] =
        ["One.", "Two."].map(|it| format!(r#"{{"role":"developer","content":"{it}"}}"#));
    let instructed = format!(r#"{{"model":"gpt-5.5","instructions":"One.","input":[{user}]}}"#);
    for (whole, less) in [
        (responses(&format!("{first},{last},{user}")), responses(&format!("{first},{user}"))),
        (chat(&format!("{first},{user}")), chat(user)),
        (instructed, responses(user)),
    ] {
        for found in [difference(&whole, &less), difference(&less, &whole)].map(Option::unwrap) {
            assert_eq!((found.level, found.cause), (Some(Level::System), Cause::TextEdited));
        }
    }

    let text = calling(r#""content":"I look.","#);
    assert_eq!(cause(&text, &calling(r#""content":null,"#)), Cause::TextEdited);
    assert_eq!(cause(&text, &calling("")), Cause::TextEdited);
    let call = r#"{"functionCall":{"name":"f","args":{}}}"#;
    let calling =
        |text: &str| gemini(&format!(r#"{asked},{{"role":"model","parts":[{text}{call}]}}"#));
    assert_eq!(cause(&calling(r#"{"text":"I look."},"#), &calling("")), Cause::TextEdited);
}
