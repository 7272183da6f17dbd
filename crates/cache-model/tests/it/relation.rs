//! How two requests relate, and what is lost.

use aside_cache_model::{
    Body, CacheRules, Cause, Comparison, Relation, compare, first_difference, thinking_lost,
};

/// A request with a long tool and a long system prompt. A tool's marker does not change the bytes
/// that are compared.
fn request(tool_marker: &str, system: &str, system_marker: &str) -> Body {
    let long = "A long description. ".repeat(200);
    let json = format!(
        r#"{{"model":"claude-opus-5-5","tools":[{{"name":"Read","description":"{long}","input_schema":{{"type":"object"}}{tool_marker}}}],
        "system":[{{"type":"text","text":"{system} {long}"{system_marker}}}],"messages":[{{"role":"user","content":"Hi"}}]}}"#
    );
    Body::parse(json.as_bytes()).unwrap()
}

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

fn changed(tool_marker: &str, system_marker: &str) -> Comparison {
    let [before, after] = ["a", "b"].map(|system| request(tool_marker, system, system_marker));
    let found = compare(&before, &after, &CacheRules::anthropic());
    assert_eq!(found.relation, Relation::Broken);
    found
}

/// Tools without a marker are the same bytes, and no entry ends after them.
#[test]
fn what_no_entry_holds_is_lost_too() {
    let all = changed("", MARKER).lost_tokens;
    let system = changed(MARKER, MARKER).lost_tokens;
    assert!(all > system + 500 && system > 500, "{all} {system}");
    // Without any marker, the whole request counts as cached.
    let unmarked = changed("", "").lost_tokens;
    assert!(unmarked < all, "{unmarked} {all}");
}

/// With `previous_response_id` a body has only new messages; the levels before them are compared.
#[test]
fn the_provider_keeps_the_earlier_messages() {
    let body = |instructions: &str, message: &str, more: &str| {
        let long = "A long instruction. ".repeat(400);
        let json = format!(
            r#"{{"model":"gpt-5.5","instructions":"{instructions} {long}","input":[{{"role":"user","content":"{message}"}}]{more}}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let previous = r#","previous_response_id":"resp_1""#;
    let rules = CacheRules::openai();
    let first = body("a", "Hi", "");
    let found = compare(&first, &body("a", "Go on", previous), &rules);
    assert_ne!(found.relation, Relation::Broken, "{found:#?}");
    assert_eq!(found.lost_tokens, 0);
    let found = compare(&first, &body("b", "Go on", previous), &rules);
    assert_eq!(found.relation, Relation::Broken);
    assert!(found.lost_tokens > 1_000);
    let found = compare(&first, &body("a", "Go on", ""), &rules);
    assert_eq!(found.relation, Relation::Broken);
    // Back to whole bodies.
    let kept = body("a", "Go on", previous);
    let found = compare(&kept, &first, &rules);
    assert_eq!((found.relation, found.lost_tokens), (Relation::Continues, 0));
    assert_eq!(compare(&kept, &body("b", "Hi", ""), &rules).relation, Relation::Broken);
}

/// The API ignores what stands before its newest summary, and thinking binds to what follows.
#[test]
fn thinking_is_bound_to_what_follows_the_summary() {
    let thinking = |id: &str| {
        format!(
            r#"{{"type":"thinking","thinking":"","signature":"{id}"}},{{"type":"text","text":"r"}}"#
        )
    };
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let answer = |content: &str| format!(r#"{{"role":"assistant","content":[{content}]}}"#);
    let summary = |text: &str| format!(r#"{{"type":"compaction","content":"{text}"}}"#);
    let lost = |before: &[String], after: &[String]| {
        let [before, after] = [before, after].map(|messages| {
            let messages = messages.join(",");
            let json = format!(r#"{{"model":"claude-opus-5-5","messages":[{messages}]}}"#);
            Body::parse(json.as_bytes()).unwrap()
        });
        thinking_lost(&before, &after).map(|it| it.first)
    };
    let [first, second, third] = ["a", "b", "c"].map(user);
    let [one, two] = ["E1", "E2"].map(|id| answer(&thinking(id)));
    // A client can leave out thinking from the oldest on, but none before an answer that keeps its own.
    let sent = [first.clone(), one.clone(), second.clone(), two.clone(), third.clone()];
    let bare = answer(r#"{"type":"text","text":"r"}"#);
    let next = |one: &String, two: &String, last: &String| {
        lost(&sent, &[&first, one, &second, two, &third, last].map(Clone::clone))
    };
    let new = answer(&thinking("E3"));
    assert_eq!(next(&bare, &two, &new), None);
    assert_eq!(next(&bare, &bare, &new), None);
    assert_eq!(next(&one, &bare, &bare), None);
    assert_eq!(next(&one, &bare, &new).unwrap(), "messages[5].content[0]");
    // By threshold: the summary stays in its place.
    let compacted = |text| answer(&format!("{},{}", summary(text), thinking("E1")));
    let whole = [first.clone(), compacted("s"), second.clone()];
    assert_eq!(lost(&whole, &whole[1..]), None);
    let edited = [user("edited"), compacted("s"), second.clone()];
    assert_eq!(lost(&whole, &edited), None);
    let other = [first.clone(), compacted("t"), second.clone()];
    assert_eq!(lost(&whole, &other).unwrap(), "messages[1].content[1]");
    // On demand: the kept messages follow the summary.
    let long = [first, one, second.clone(), two.clone(), third.clone()];
    let swapped = |second: String| [answer(&summary("s")), second, two.clone(), third.clone()];
    assert_eq!(lost(&long, &swapped(second)), None);
    assert_eq!(lost(&long, &swapped(user("edited"))).unwrap(), "messages[2].content[0]");
}

/// Thinking is bound to what stands before it, in its own message too.
#[test]
fn thinking_before_a_change_is_kept() {
    let body = |answer: &str, more: &str| {
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"a"}},{{"role":"assistant","content":[{answer}]}},{{"role":"user","content":"b"}}{more}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let thinking = |id: &str| format!(r#"{{"type":"thinking","thinking":"","signature":"{id}"}}"#);
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let answer = |parts: &[String]| parts.join(",");
    let later = format!(
        r#",{{"role":"assistant","content":[{}]}},{{"role":"user","content":"c"}}"#,
        thinking("T3")
    );
    let (one, two) = (thinking("T1"), thinking("T2"));
    let before = body(&answer(&[one.clone(), text("x"), two.clone(), text("y")]), "");
    let lost = |parts: &[String], more: &str| {
        thinking_lost(&before, &body(&answer(parts), more)).map(|it| (it.first, it.blocks))
    };
    let at = |path: &str, blocks| Some((path.to_owned(), blocks));
    let last_edited = [one.clone(), text("x"), two.clone(), text("Y")];
    assert_eq!(lost(&last_edited, ""), None);
    assert_eq!(lost(&last_edited, &later), at("messages[3].content[0]", 1));
    let second = at("messages[1].content[2]", 1);
    assert_eq!(lost(&[one.clone(), text("X"), two.clone(), text("y")], ""), second);
    assert_eq!(lost(&[one.clone(), text("x"), thinking("T"), text("y")], ""), second);
    // A block that was taken out stood before what follows.
    assert_eq!(lost(&[one.clone(), two, text("y")], ""), at("messages[1].content[1]", 1));
    // A block that moved stands after another text.
    let moved = [one.clone(), text("x"), text("y"), thinking("T2")];
    assert_eq!(lost(&moved, ""), at("messages[1].content[3]", 1));
    let moved = [text("x"), one.clone(), thinking("T2"), text("y")];
    assert_eq!(lost(&moved, ""), at("messages[1].content[1]", 2));
    assert_eq!(lost(&[text("x"), thinking("T2"), text("y")], ""), None);
    assert_eq!(lost(&[one, text("x")], ""), None);
}

/// The API ignores a text in thinking that it sent without one.
#[test]
fn a_text_in_omitted_thinking_loses_none() {
    let body = |text: &str, signature: &str, more: &str| {
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":"a"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"{text}","signature":"{signature}"}},{{"type":"text","text":"r"}}]}},{{"role":"user","content":"b"}}{more}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let more = r#",{"role":"assistant","content":"x"},{"role":"user","content":"c"}"#;
    let lost = |before: &Body, after: &Body| thinking_lost(before, after).map(|it| it.first);
    let first = Some("messages[1].content[0]".to_owned());
    assert_eq!(lost(&body("", "S", ""), &body("Hm.", "S", more)), None);
    assert_eq!(lost(&body("", "S", ""), &body("Hm.", "T", more)), first);
    assert_eq!(lost(&body("Hm.", "S", ""), &body("Ah.", "S", more)), first);
}

/// Models of OpenAI bind the answer's format, and not the instructions.
#[test]
fn reasoning_is_bound_to_the_format_of_the_answer() {
    let body = |instructions: &str, format: &str, more: &str| {
        let json = format!(
            r#"{{"model":"gpt-6.2-sol","instructions":"{instructions}","text":{{"format":{{"type":"{format}"}}}},"input":[{{"role":"user","content":"a"}}{more}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let more = r#",{"type":"reasoning","summary":[],"encrypted_content":"g"},{"role":"assistant","content":"x"}"#;
    let before = body("I", "text", "");
    assert!(thinking_lost(&before, &body("J", "text", more)).is_none());
    assert!(thinking_lost(&before, &body("I", "json_object", more)).is_some());
}

#[test]
fn spellings_of_a_model_are_no_difference() {
    let body = |model: &str| {
        let json =
            format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"Hi"}}]}}"#);
        Body::parse(json.as_bytes()).unwrap()
    };
    let compare = |before: &str, after: &str| {
        compare(&body(before), &body(after), &CacheRules::anthropic()).relation
    };
    let dated = "claude-opus-4-5-20251101";
    assert_eq!(compare("claude-opus-4-5", dated), Relation::Identical);
    assert_eq!(compare("claude-opus-4-6", dated), Relation::Broken);
    assert_eq!(compare("a", "b"), Relation::Broken);
}

#[test]
fn a_new_image_hides_no_difference() {
    let body = |content: &str| {
        let json = format!(
            r#"{{"model":"claude-opus-5-5","messages":[{{"role":"user","content":[{content}]}},{{"role":"assistant","content":"r"}},{{"role":"user","content":"q"}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let image = r#"{"type":"image","source":{"type":"url","url":"https://x/a.png"}}"#;
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let after = body(&format!("{},{image}", text("edited")));
    let found = compare(&body(&text("old")), &after, &CacheRules::anthropic());
    assert_eq!(found.parameter, Some("images"));
    assert_eq!(found.difference.unwrap().path, "messages[0].content[0].text");
}

/// The later body's parameters are compared in order, then those that it lacks. When keys are
/// doubled the last one counts.
#[test]
fn parameters_are_compared_in_the_order_of_the_later_body() {
    let changed = |before: &str, after: &str| {
        let body = |parameters: &str| {
            let json = format!(r#"{{"model":"claude-opus-5-5",{parameters}"messages":[]}}"#);
            Body::parse(json.as_bytes()).unwrap()
        };
        let found = first_difference(&body(before), &body(after));
        found.map(|it| it.path)
    };
    let path = |path: &str| Some(path.to_owned());
    assert_eq!(changed(r#""a":1,"b":1,"#, r#""b":1,"a":1,"#), None);
    assert_eq!(changed(r#""a":1,"b":1,"#, r#""b":2,"a":2,"#), path("b"));
    assert_eq!(changed(r#""gone":1,"a":1,"#, r#""a":2,"#), path("a"));
    assert_eq!(changed(r#""gone":1,"a":1,"#, r#""a":1,"#), path("gone"));
    assert_eq!(changed(r#""a":1,"a":2,"#, r#""a":2,"#), None);
    let many = |last: &str| -> String {
        let keys = (0..20_000).map(|it| format!(r#""k{it}":1,"#));
        keys.chain([last.to_owned()]).collect()
    };
    assert_eq!(changed(&many(r#""z":1,"#), &many(r#""z":2,"#)), path("z"));
}

/// A block that is added to the last message leaves every cached byte as it was.
#[test]
fn a_longer_last_message_continues() {
    let body = |content: &str| {
        let long = "A rule. ".repeat(2_000);
        let json = format!(
            r#"{{"model":"claude-opus-5-5","system":"{long}","messages":[{{"role":"user","content":{content}}}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let text = |text: &str, marker: &str| format!(r#"{{"type":"text","text":"{text}"{marker}}}"#);
    let list = |blocks: &[String]| body(&format!("[{}]", blocks.join(",")));
    let relation = |before: &Body, after: &Body| {
        let found = compare(before, after, &CacheRules::anthropic());
        assert_eq!(found.lost_tokens, 0);
        (found.relation, found.difference.map(|it| it.cause))
    };
    let [hi, more] = [text("Hi", MARKER), text("Go on.", "")];
    let first = list(std::slice::from_ref(&hi));
    let continues = (Relation::Continues, None);
    assert_eq!(relation(&first, &list(&[hi.clone(), more.clone()])), continues);
    assert_eq!(relation(&body(r#""Hi""#), &list(&[text("Hi", ""), more.clone()])), continues);
    let moved = list(&[text("Hi", ""), text("Go on.", MARKER)]);
    assert_eq!(relation(&first, &moved), (Relation::Continues, Some(Cause::MarkerOnly)));
    // An edit, or a block taken out, after the marker.
    let longer = list(&[hi.clone(), more]);
    let edited = list(&[hi.clone(), text("Stop.", "")]);
    let after_marker = |cause| (Relation::AfterMarker, Some(cause));
    assert_eq!(relation(&longer, &edited), after_marker(Cause::TextEdited));
    assert_eq!(relation(&longer, &list(&[hi])).0, Relation::AfterMarker);
}

#[test]
fn bodies_for_two_apis_are_not_compared() {
    let body = |json: &str| Body::parse(json.as_bytes()).unwrap();
    let relation = |before: &str, after: &str| {
        compare(&body(before), &body(after), &CacheRules::openai()).relation
    };
    let responses = r#"{"model":"gpt-5.5","input":"Hi"}"#;
    let chat = r#"{"model":"gpt-5.5","messages":[{"role":"user","content":"Hi"}]}"#;
    let messages = r#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    for (before, after) in [(responses, chat), (chat, responses), (messages, chat)] {
        assert_eq!(relation(before, after), Relation::OtherApi, "{before} {after}");
    }
    assert_eq!(relation(chat, chat), Relation::Identical);
    // Whether a short body is for Chat Completions may show only later.
    let first = chat.replace("gpt-5.5", "mine");
    let next = first.replace("]}", r#",{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}]}"#);
    assert_eq!(relation(&first, &next), Relation::Continues);
}

/// The API fetches a file by its address, and binds thinking to the file.
#[test]
fn thinking_survives_another_address_of_a_file() {
    let body = |source: &str, more: &str| {
        let image = format!(r#"{{"type":"image","source":{source}}}"#);
        let json = format!(
            r#"{{"model":"claude-fable-5-2","messages":[{{"role":"user","content":[{image},{{"type":"tool_result","tool_use_id":"t","content":[{image}]}}]}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"Hm.","signature":"S"}},{{"type":"text","text":"r"}}]}},{{"role":"user","content":"b"}}{more}]}}"#
        );
        Body::parse(json.as_bytes()).unwrap()
    };
    let more = r#",{"role":"assistant","content":"x"},{"role":"user","content":"c"}"#;
    let lost =
        |before: &str, after: &str| thinking_lost(&body(before, ""), &body(after, more)).is_some();
    let url = |url: &str| format!(r#"{{"type":"url","url":"{url}"}}"#);
    assert!(!lost(&url("https://a/y.png?sig=1"), &url("https://a/y.png?sig=2")));
    assert!(lost(&url("data:image/png;base64,aa"), &url("data:image/png;base64,bb")));
    let base64 =
        |data: &str| format!(r#"{{"type":"base64","media_type":"image/png","data":"{data}"}}"#);
    assert!(lost(&base64("aa"), &base64("bb")));
    assert!(lost(&url("https://a/y.png"), r#"{"type":"file","file_id":"f"}"#));
}

/// On Gemini and on Bedrock, the path names the model, and no byte of the body does.
#[test]
fn a_model_that_the_path_names_has_no_byte() {
    let body = |model: Option<&str>| {
        let body =
            Body::parse(br#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#).unwrap();
        model.map_or(body.clone(), |model| body.with_model(model))
    };
    let check = |before: &Body, after: &Body, texts: [&str; 2], bytes: [Option<usize>; 2]| {
        let found = first_difference(before, after).unwrap();
        assert_eq!((found.path.as_str(), found.cause), ("model", Cause::OtherModel));
        let excerpts = [&found.before, &found.after].map(|it| it.text.as_deref());
        assert_eq!(excerpts, texts.map(Some));
        assert_eq!([found.byte_offset_before, found.byte_offset], bytes);
        found.value_offset
    };
    let [one, other] = ["gemini-3.5-flash", "gemini-2.5-flash"].map(|it| body(Some(it)));
    let names = ["\"gemini-3.5-flash\"", "\"gemini-2.5-flash\""];
    assert_eq!(check(&one, &other, names, [None, None]), 7);
    assert_eq!(first_difference(&one, &one), None);
    check(&body(None), &other, ["", names[1]], [None, None]);
    check(&one, &body(None), [names[0], ""], [None, None]);
    let inside = Body::parse(br#"{"model":"m","contents":[]}"#).unwrap();
    check(&one, &inside, [names[0], "\"m\""], [None, Some(10)]);
    check(&inside, &one, ["\"m\"", names[0]], [Some(10), None]);
}
