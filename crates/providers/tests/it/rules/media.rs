//! Images and documents.

use aside_providers::{Options, Provider, convert};

use crate::rules::{check, request};

#[test]
fn media_that_the_provider_cannot_get() {
    let url = r#"{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}"#;
    let file = r#"{"type":"document","source":{"type":"file","file_id":"file_1"}}"#;
    let pdf = r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":""}}"#;
    let (url, file, pdf) = (request("m", "", url), request("m", "", file), request("m", "", pdf));
    let refused_url = r#"base64-only: messages[0].content[0].source: "https://example.com/a.png""#;
    let refused_file = r#"base64-only: messages[0].content[0].source: "file_1""#;
    for provider in [
        Provider::FirstParty,
        Provider::Foundry,
        Provider::OpenAi,
        Provider::Grok,
        Provider::Gemini,
    ] {
        check(provider, &url, "");
    }
    for provider in [Provider::Bedrock, Provider::BedrockMessages, Provider::Vertex] {
        check(provider, &url, refused_url);
        check(provider, &pdf, "");
    }
    for provider in [Provider::Bedrock, Provider::Vertex, Provider::Gemini, Provider::OpenAi] {
        check(provider, &file, refused_file);
    }
    check(
        Provider::Grok,
        &pdf,
        "document: messages[0].content[0]: a document that is not plain text",
    );
}

#[test]
fn an_image_has_data_in_base64() {
    let path = "media-data: messages[0].content[0].source.data";
    for (data, fault) in [("aGk=", ""), ("", "no data"), ("a!", "another character at 1")] {
        let image = format!(
            r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
        );
        let expected = if fault.is_empty() { String::new() } else { format!("{path}: {fault}") };
        for provider in [Provider::FirstParty, Provider::OpenAi, Provider::Gemini] {
            check(provider, &request("m", "", &image), &expected);
        }
    }
}

/// Documents that are text are text everywhere.
#[test]
fn documents_of_text_become_text() {
    let document = r#"{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]},"title":"t"},{"type":"document","source":{"type":"content","content":"b"}}"#;
    let request = request("m", "", document);
    for provider in [Provider::OpenAi, Provider::Grok, Provider::Gemini] {
        let body = convert(&request, provider, &Options::default()).unwrap().body();
        let body = String::from_utf8(body).unwrap();
        assert!(body.contains(r#""text":"t\n\na\n\n[left out: no text]"}"#), "{body}");
        assert!(body.contains(r#""text":"b"}"#), "{body}");
    }
}
