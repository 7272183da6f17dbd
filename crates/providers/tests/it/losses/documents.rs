//! Keys of tools and documents.

use super::*;

/// Tools that need no schema, since Claude knows them or Anthropic's servers run them.
#[test]
fn tools_without_a_schema() {
    for (tool, reason) in [
        (r#"{"type":"bash_20250124","name":"bash"}"#, "only Claude knows what this tool takes"),
        (r#"{"type":"computer_toolset_20260801"}"#, "only Claude knows what this tool takes"),
        (
            r#"{"type":"mcp_toolset","mcp_server_name":"a"}"#,
            "only Anthropic's servers run this tool",
        ),
    ] {
        let keys = format!(r#","tools":[{tool}]"#);
        let lost = format!("tools[0]: left out: {reason}");
        for (provider, model) in WIRES {
            check(provider, model, &keys, "", &lost);
        }
    }
}

#[test]
fn keys_of_tools_and_the_automatic_marker() {
    let keys = r#","cache_control":{"type":"ephemeral"},"tools":[{"name":"Now","input_schema":{"type":"object","properties":{}},"input_examples":[{}],"eager_input_streaming":true,"allowed_callers":null}]"#;
    for (provider, model) in WIRES {
        let request = request(model, keys, &[HI]);
        let (_, losses) = written(&request, provider, &Options::for_model(model));
        for key in ["input_examples", "eager_input_streaming"] {
            let lost = format!("tools[0].{key}: left out: tools have no such key on the wire");
            assert!(losses.contains(&lost), "{model}: {losses}");
        }
        assert!(losses.contains("cache_control: "), "{model}: {losses}");
        assert!(!losses.contains("allowed_callers"), "{losses}");
    }
}

#[test]
fn images_in_a_document() {
    let content = r#"[{"type":"text","text":"cc"},{"type":"image","source":{"type":"url","url":"https://x/a.png"}}]"#;
    let document =
        format!(r#"{{"type":"document","source":{{"type":"content","content":{content}}}}}"#);
    let message = format!(r#"{{"role":"user","content":[{document}]}}"#);
    for (provider, model) in WIRES {
        let request = request(model, "", &[&message]);
        let (body, losses) = written(&request, provider, &Options::for_model(model));
        assert!(body.contains("cc"), "{body}");
        let expected = "messages[0].content[0]: only its texts are sent: the wire takes no document with other blocks";
        assert_eq!(losses, expected, "{model}");
    }
}

#[test]
fn keys_of_a_document() {
    let keys = r#","title":"T","context":"C","citations":{"enabled":true}"#;
    let block = |source: &str| format!(r#"{{"type":"document","source":{{{source}}}{keys}}}"#);
    let pdf = r#""type":"base64","media_type":"application/pdf","data":"JVBERi0=""#;
    let url = r#""type":"url","url":"https://x/a.pdf""#;
    let text = r#""type":"text","media_type":"text/plain","data":"d""#;
    // Grok takes plain text only.
    for (provider, model) in WIRES.into_iter().filter(|it| it.0 != GROK) {
        let lost = |source: &str, is_result: bool| {
            let block = block(source);
            let block = if is_result {
                format!(r#"{{"type":"tool_result","tool_use_id":"a","content":[{block}]}}"#)
            } else {
                block
            };
            let message = format!(r#"{{"role":"user","content":[{block}]}}"#);
            let before: &[&str] = if is_result { &[HI, CALL] } else { &[] };
            let messages = [before, &[&message]].concat();
            let (_, losses) =
                written(&request(model, "", &messages), provider, &Options::for_model(model));
            let at = if is_result {
                "messages[2].content[0].content[0]."
            } else {
                "messages[0].content[0]."
            };
            losses.replace(at, "")
        };
        let title = "title: left out: the wire has no title of a document here; ";
        let context = "context: left out: the wire has no context of a document; ";
        let citations = "citations: left out: the wire cannot ask for citations";
        let is_gemini = provider == GEMINI;
        for is_result in [false, true] {
            assert_eq!(lost(text, is_result), citations, "{model}");
            let title = if is_gemini { title } else { "" };
            assert_eq!(lost(pdf, is_result), format!("{title}{context}{citations}"), "{model}");
        }
        let found = r#"{"type":"search_result","source":"s","title":"t","content":[],"citations":{"enabled":true}}"#;
        let found = format!(r#"{{"role":"user","content":[{found}]}}"#);
        let found = request(model, "", &[&found]);
        let (_, losses) = written(&found, provider, &Options::for_model(model));
        assert_eq!(losses, format!("messages[0].content[0].{citations}"), "{model}");
        if model.starts_with("gpt-6") {
            assert_eq!(lost(url, false), format!("{title}{context}{citations}"), "{model}");
        }
    }
}

#[test]
fn citations_and_files_that_are_no_pdf() {
    let cited = r#"{"role":"assistant","content":[{"type":"text","text":"So.","citations":[{"type":"char_location","cited_text":"a"}]}]}"#;
    let sound =
        r#"{"type":"document","source":{"type":"base64","media_type":"audio/wav","data":"UklG"}}"#;
    let heard = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":[{sound}]}}]}}"#
    );
    let sound = format!(r#"{{"role":"user","content":[{{"type":"text","text":"Hi"}},{sound}]}}"#);
    for (provider, model) in WIRES {
        let options = Options::for_model(model);
        let cited = request(model, "", &[HI, cited, HI]);
        let (_, losses) = written(&cited, provider, &options);
        let lost = "messages[1].content[0]: sent without its citations: the wire takes none back";
        assert_eq!(losses, lost, "{model}");
        if provider == OPENAI {
            let sound = request(model, "", &[&sound]);
            let (body, losses) = written(&sound, provider, &options);
            assert!(!body.contains("UklG"), "{body}");
            assert_eq!(
                losses,
                "messages[0].content[1]: left out: the wire takes no file of this type here"
            );
            let (body, losses) =
                written(&request(model, "", &[HI, CALL, &heard]), provider, &options);
            assert!(!body.contains("UklG"), "{body}");
            let lost = "messages[2].content[0].content[0]: left out: the wire takes no file of this type here";
            assert_eq!(losses, lost, "{model}");
        }
    }
}

/// No other wire marks a text inside a document or a search result.
#[test]
fn a_marker_inside_a_document_is_reported() {
    let document = |texts: &str| {
        format!(r#"{{"type":"document","source":{{"type":"content","content":[{texts}]}}}}"#)
    };
    let found = |texts: &str| {
        format!(r#"{{"type":"search_result","source":"a","title":"b","content":[{texts}]}}"#)
    };
    let marked = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#;
    let plain = r#"{"type":"text","text":"the \"cache_control\" key"}"#;
    for (texts, is_lost) in [(marked, true), (plain, false)] {
        for block in [document(texts), found(texts)] {
            let direct = format!(r#"{{"role":"user","content":[{block}]}}"#);
            let result = format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"a","content":[{block}]}}]}}"#
            );
            for messages in [vec![HI, CALL, &result], vec![&direct]] {
                for (provider, model) in
                    [(OPENAI, "gpt-4.1"), (OPENAI, "gpt-5.6"), (GEMINI, "gemini-2.5-flash")]
                {
                    let request = request(model, "", &messages);
                    let (_, losses) = written(&request, provider, &Options::for_model(model));
                    assert_eq!(losses.contains("cache_control"), is_lost, "{model}: {losses}");
                }
            }
        }
    }
}
