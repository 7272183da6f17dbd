//! Files at an address, in Gemini's bodies and on every wire.

use aside_providers::{Options, Provider, ServerKind, convert_body};

const TARGETS: [(Provider, &str); 3] = [
    (Provider::FirstParty, "claude-opus-5"),
    (Provider::OpenAi, "gpt-6.1-sol"),
    (Provider::Gemini, "gemini-3.6-flash"),
];

/// Checks what is written for this `fileData` at each target, and which loss names it. Empty texts
/// mean that nothing is written, or lost.
fn check(file: &str, expected: [(&str, &str); 3]) {
    let body = format!(
        r#"{{"model":"m","contents":[{{"parts":[{{"text":"Hi"}},{{"fileData":{file}}}]}}]}}"#
    );
    for ((provider, model), (written, lost)) in TARGETS.into_iter().zip(expected) {
        let options = Options::for_model(model);
        let converted = convert_body(body.as_bytes(), None, provider, options).unwrap();
        let outgoing = converted.outgoing.unwrap();
        let body = String::from_utf8(outgoing.body()).unwrap();
        let media = ["\"source\"", "\"input_image\"", "\"input_file\"", "\"fileData\""];
        let has_media = media.iter().any(|it| body.contains(it));
        assert!(body.contains(written) && has_media != written.is_empty(), "{model}: {body}");
        let losses: Vec<_> = converted.losses.iter().map(ToString::to_string).collect();
        let losses: Vec<_> = losses.iter().filter(|it| it.starts_with("contents")).collect();
        let expected: Vec<_> = Some(lost).filter(|it| !it.is_empty()).into_iter().collect();
        assert_eq!(losses, expected, "{model}");
    }
}

#[test]
fn an_image_and_a_pdf_keep_their_address() {
    let file = r#"{"fileUri":"https://x/y.pdf","mimeType":"application/pdf"}"#;
    let pdf = [
        (r#"{"type":"document","source":{"type":"url","url":"https://x/y.pdf"}}"#, ""),
        (r#"{"type":"input_file","file_url":"https://x/y.pdf"}"#, ""),
        (r#""fileData":{"mimeType":"application/pdf","fileUri":"https://x/y.pdf"}"#, ""),
    ];
    check(file, pdf);
    check(r#"{"fileUri":"https://x/y.pdf"}"#, pdf);
    let image = |url: &str, own: &str| {
        let file = format!(r#"{{"file_uri":"{url}","mime_type":"image/png"}}"#);
        let [messages, responses, gemini] = [
            format!(r#"{{"type":"image","source":{{"type":"url","url":"{url}"}}}}"#),
            format!(r#"{{"type":"input_image","detail":"auto","image_url":"{url}"}}"#),
            format!(r#""fileData":{{{own}"fileUri":"{url}"}}"#),
        ];
        check(&file, [(&*messages, ""), (&*responses, ""), (&*gemini, "")]);
    };
    image("https://x/y.PNG?z=1.gif", r#""mimeType":"image/png","#);
    image("https://x/y", r#""mimeType":"image/png","#);
}

#[test]
fn only_gemini_reads_googles_storage() {
    let lost = "contents[0].parts[1]: left out: only Google's servers can read this address";
    for url in ["gs://b/y.png", "https://generativelanguage.googleapis.com/v1beta/files/y.png"] {
        let file = format!(r#"{{"fileUri":"{url}"}}"#);
        let own = format!(r#""fileData":{{"mimeType":"image/png","fileUri":"{url}"}}"#);
        check(&file, [("", lost), ("", lost), (&*own, "")]);
    }
}

#[test]
fn gemini_keeps_a_declared_type() {
    let lost = "contents[0].parts[1]: left out: only Google's servers can read this address";
    for (url, declared) in [
        ("gs://b/a", "image/png"),
        ("https://generativelanguage.googleapis.com/v1beta/files/x", "image/heic"),
        ("gs://b/a.png", "image/webp"),
    ] {
        let file = format!(r#"{{"mimeType":"{declared}","fileUri":"{url}"}}"#);
        check(&file, [("", lost), ("", lost), (&format!(r#""fileData":{file}"#), "")]);
    }
    let file = r#"{"fileData":{"mimeType":"image/png","fileUri":"gs://b/a"}}"#;
    let body = format!(
        r#"{{"contents":[{{"parts":[{{"text":"q"}}]}},{{"role":"model","parts":[{{"functionCall":{{"name":"f"}}}}]}},{{"parts":[{{"functionResponse":{{"name":"f","response":{{"output":"x"}},"parts":[{file}]}}}}]}}]}}"#
    );
    let options = Options::for_model("gemini-3.6-flash");
    let converted = convert_body(body.as_bytes(), None, Provider::Gemini, options).unwrap();
    let body = String::from_utf8(converted.outgoing.unwrap().body()).unwrap();
    assert!(body.contains(file), "{body}");
    assert_eq!(converted.losses, []);
}

#[test]
fn other_files_have_no_counterpart() {
    let lost = "contents[0].parts[1].fileData: left out: the Messages API has no counterpart";
    let elsewhere = "contents[0].parts[1].fileData: left out: the Messages API, through which it is converted, has no counterpart";
    for file in [
        r#"{"fileUri":"https://x/y.mp4","mimeType":"video/mp4"}"#,
        r#"{"fileUri":"https://www.youtube.com/watch?v=1"}"#,
        r#"{"mimeType":"image/png"}"#,
        "{}",
    ] {
        check(
            file,
            TARGETS.map(|(provider, _)| match provider {
                Provider::FirstParty => ("", lost),
                _ => ("", elsewhere),
            }),
        );
    }
}

#[test]
fn a_provider_without_addresses_gets_the_rest() {
    let lost = "left out: the provider takes such a file in the request only, not at an address";
    let converted = |parts: &str, (provider, model, server)| {
        let body = format!(r#"{{"contents":[{{"parts":[{parts}{{"text":"q"}}]}}]}}"#);
        let options = Options { server, ..Options::for_model(model) };
        let converted = convert_body(body.as_bytes(), None, provider, options).unwrap();
        let losses = converted.losses.into_iter().filter(|it| it.path.starts_with("contents"));
        let losses: Vec<_> = losses.map(|it| it.to_string()).collect();
        (String::from_utf8(converted.outgoing.unwrap().body()).unwrap(), losses.join("; "))
    };
    let chat = (Provider::OpenAi, "some-model", ServerKind::Compatible);
    let bedrock = (Provider::Bedrock, "claude-opus-4-5", ServerKind::Own);
    let pdf = r#"{"fileData":{"mimeType":"application/pdf","fileUri":"https://e.com/a.pdf"}},"#;
    let image = r#"{"fileData":{"fileUri":"https://e.com/a.png"}},"#;
    for (part, to) in [(pdf, chat), (pdf, bedrock), (image, bedrock)] {
        let (body, losses) = converted(part, to);
        assert!(body.contains("q") && !body.contains("e.com"), "{body}");
        assert_eq!(losses, format!("contents[0].parts[0]: {lost}"));
    }
    let (body, losses) = converted(image, chat);
    assert!(body.contains(r#""image_url":{"url":"https://e.com/a.png"}"#), "{body}");
    assert_eq!(losses, "");
}

/// What you wrote for the Messages API is refused, so that you can send the data instead.
#[test]
fn an_address_in_the_own_form_is_refused() {
    let body = br#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"url","url":"https://e.com/a.pdf"}}]}]}"#;
    let options = Options { server: ServerKind::Compatible, ..Options::for_model("some-model") };
    let converted = convert_body(body, None, Provider::OpenAi, options).unwrap();
    let error = converted.outgoing.unwrap_err();
    assert!(error.to_string().contains("base64-only"), "{error}");
}
