//! The content of a tool result is the same as a string and as a list with one text.

use aside_cache_model::{Body, Cause, Difference, first_difference};

fn body(model: &str, list: &str, item: &str) -> Body {
    let end = r#"{"role":"user","content":"Go on"}"#;
    Body::parse(format!(r#"{{"model":"{model}","{list}":[{item},{end}]}}"#).as_bytes()).unwrap()
}

fn on_messages(kind: &str, content: &str) -> Body {
    let block = format!(r#"{{"type":"{kind}","tool_use_id":"t","content":{content}}}"#);
    body("claude-opus-5-5", "messages", &format!(r#"{{"role":"user","content":[{block}]}}"#))
}

fn on_responses(kind: &str, output: &str) -> Body {
    let item = format!(r#"{{"type":"{kind}","call_id":"t","output":{output}}}"#);
    body("gpt-5.6", "input", &item)
}

/// A wire: how it writes a result's content, a text, an image and a marker.
struct Wire<'a> {
    body: &'a dyn Fn(&str) -> Body,
    key: &'a str,
    text: &'a str,
    image: &'a str,
    marker: &'a str,
}

impl Wire<'_> {
    fn block(&self, text: &str, members: &str) -> String {
        format!(r#"{{"type":"{}","text":{text}{members}}}"#, self.text)
    }

    fn list(&self, blocks: &[String]) -> Body {
        (self.body)(&format!("[ {} ]", blocks.join(",")))
    }
}

fn parts(body: &Body) -> Vec<(u64, u64, u64)> {
    body.blocks().map(|(.., it)| (it.hash, it.bound, it.tokens.tokens())).collect()
}

fn check(wire: &Wire<'_>) {
    let text = r#""a \"  b""#;
    let string = (wire.body)(text);
    let marker = format!(r#","{}":{{"type":"ephemeral"}}"#, wire.marker);
    for list in [wire.block(text, ""), wire.block(text, &marker)] {
        let list = wire.list(&[list]);
        assert_eq!(parts(&string), parts(&list));
        for (a, b) in [(&string, &list), (&list, &string)] {
            let found = first_difference(a, b);
            assert!(found.as_ref().is_none_or(Difference::is_harmless), "{found:?}");
        }
    }
    let one = wire.block(text, "");
    for (other, path) in [
        (vec![wire.block(r#""a \" b""#, "")], "[0].text"),
        (vec![wire.block(text, r#","annotations":[]"#)], ""),
        (vec![one.clone(), wire.block(r#""""#, "")], "[1]"),
        (vec![one, wire.image.to_owned()], "[1]"),
        (vec![wire.image.to_owned()], ""),
        (vec![], ""),
    ] {
        let other = wire.list(&other);
        assert_ne!(parts(&string), parts(&other));
        let found = first_difference(&string, &other).unwrap();
        assert_eq!(found.path, format!("{}{path}", wire.key));
        assert!(first_difference(&other, &string).is_some());
    }
}

#[test]
fn a_string_result_is_a_list_of_one_text() {
    check(&Wire {
        body: &|it| on_messages("tool_result", it),
        key: "messages[0].content[0].content",
        text: "text",
        image: r#"{"type":"image","source":{"type":"url","url":"https://a.b/c.png"}}"#,
        marker: "cache_control",
    });
    for kind in ["function_call_output", "custom_tool_call_output"] {
        check(&Wire {
            body: &|it| on_responses(kind, it),
            key: "input[0].output",
            text: "input_text",
            image: r#"{"type":"input_image","image_url":"https://a.b/c.png"}"#,
            marker: "prompt_cache_breakpoint",
        });
    }
}

/// The results of a provider's own tools are no strings.
#[test]
fn other_blocks_have_the_content_that_they_state() {
    let list = on_messages("web_search_tool_result", r#"[{"type":"text","text":"a"}]"#);
    let found = first_difference(&on_messages("web_search_tool_result", r#""a""#), &list);
    assert_eq!(found.unwrap().cause, Cause::StringAgainstArray);
}
