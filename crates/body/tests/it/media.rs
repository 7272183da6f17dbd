//! Images, documents and sounds are estimated by their data, wherever they are.

use aside_body::Body;

/// The header of a PNG of 300 by 100 pixels: 44 tokens.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAASwAAABkCAYAAA==";

/// Returns the estimate for a body with this input, whose other tokens are few.
fn tokens(body: &str) -> u64 {
    let body = Body::parse(body.as_bytes()).expect("a body");
    let blocks = body.blocks();
    blocks.map(|(_, _, _, block)| block.tokens.tokens()).sum()
}

#[test]
fn media_count_by_their_data_on_every_wire() {
    let url = format!("data:image/png;base64,{IMAGE}");
    for (body, least, most) in [
        (
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{IMAGE}"}}}}]}}]}}"#
            ),
            44,
            44,
        ),
        (
            format!(
                r#"{{"input":[{{"role":"user","content":[{{"type":"input_image","image_url":"{url}"}}]}}]}}"#
            ),
            44,
            44,
        ),
        (
            format!(
                r#"{{"model":"gpt-5.5","messages":[{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"{url}"}}}}]}}]}}"#
            ),
            44,
            44,
        ),
        (
            format!(
                r#"{{"contents":[{{"role":"user","parts":[{{"inlineData":{{"mimeType":"image/png","data":"{IMAGE}"}}}}]}}]}}"#
            ),
            44,
            44,
        ),
        // In results, with the keys around it.
        (
            format!(
                r#"{{"input":[{{"type":"function_call_output","call_id":"c","output":[{{"type":"input_image","image_url":"{url}"}}]}}]}}"#
            ),
            44,
            60,
        ),
        (
            format!(
                r#"{{"input":[{{"type":"computer_call_output","call_id":"c","output":{{"type":"computer_screenshot","image_url":"{url}"}}}}]}}"#
            ),
            44,
            70,
        ),
        (
            format!(
                r#"{{"input":[{{"type":"image_generation_call","id":"i","status":"completed","result":"{IMAGE}"}}]}}"#
            ),
            44,
            60,
        ),
        (
            format!(
                r#"{{"contents":[{{"role":"user","parts":[{{"functionResponse":{{"name":"f","response":{{}},"parts":[{{"inlineData":{{"mimeType":"image/png","data":"{IMAGE}"}}}}]}}}}]}}]}}"#
            ),
            44,
            70,
        ),
    ] {
        let found = tokens(&body);
        assert!((least..=most).contains(&found), "{found} {body}");
    }
}

#[test]
fn files_and_sounds_are_no_text() {
    let data = "QUJD".repeat(100_000);
    for (part, most) in [
        (
            format!(
                r#"{{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,{data}"}}"#
            ),
            12_000,
        ),
        (format!(r#"{{"type":"file","file":{{"file_data":"{data}"}}}}"#), 12_000),
        (
            format!(r#"{{"type":"input_audio","input_audio":{{"data":"{data}","format":"wav"}}}}"#),
            500,
        ),
        (format!(r#"{{"type":"input_image","image_url":"data:image/png;base64,{data}"}}"#), 1_568),
    ] {
        let found = tokens(&format!(
            r#"{{"model":"gpt-5.5","input":[{{"role":"user","content":[{part}]}}]}}"#
        ));
        assert!(found <= most, "{found} of {most}: {}", &part[..60]);
    }
    // An address, and a file that the provider has.
    for part in [
        r#"{"type":"input_image","image_url":"https://a.example/b.png"}"#,
        r#"{"type":"input_image","file_id":"f"}"#,
    ] {
        let found = tokens(&format!(
            r#"{{"model":"gpt-5.5","input":[{{"role":"user","content":[{part}]}}]}}"#
        ));
        assert_eq!(found, 1_568);
    }
}
