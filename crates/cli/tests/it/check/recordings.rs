//! Recorded exchanges, and lists and batches of them.

use std::fs;
use std::process::Command;

use super::{BLANK, GOOD, check};

/// A recording's headers give the API version and the betas.
#[test]
fn recordings_have_headers() {
    let body = GOOD.replace("\"messages\"", "\"compaction\":{\"type\":\"summarize\"},\"messages\"");
    let recording = |headers: &str, body: &str| {
        format!("{{\"request\":{{\"method\":\"POST\",\"headers\":{headers},\"body\":{body}}}}}")
    };
    let source = "(platform docs, compaction)\n";
    let missing = "FILE: compaction-beta: compaction: {\"type\":\"summarize\"}, expected the beta \
                   of compaction on demand";
    let needs = format!("{missing} (compact-2026-09-04) (needs; platform docs, compaction)\n");
    check(&body, &[], 0, &needs);
    check(&body, &["--beta", "none"], 1, &format!("{missing} {source}"));
    let unknown = "FILE: unknown-beta: the beta \"a\", expected a beta that a public list names \
                   (unknown; anthropic (Python) 2.12.0, types)\n";
    check(&body, &["--beta", "a,compact-2026-09-04"], 0, unknown);
    check(&body, &["--beta", "pdfs-2024-09-25,compact-2026-09-04"], 0, "");
    check(&recording("{}", &body), &[], 1, &format!("{missing} {source}"));
    let headers = r#"{"Anthropic-Beta":["pdfs-2024-09-25, compact-2026-09-04"]}"#;
    check(&recording(headers, &body), &[], 0, "");
    // A recorder may keep the body as text.
    let text = serde_json::to_string(&body).unwrap();
    check(&recording(headers, &text), &[], 0, "");
    let sampled = GOOD
        .replace("\"messages\"", "\"top_k\":1,\"messages\"")
        .replace("claude-opus-4-8", "claude-haiku-4-5");
    let old = r#"{"anthropic-version":"2023-06-01"}"#;
    check(&recording(old, &sampled), &[], 0, "");
}

/// A cloud's `anthropic_version` is for that cloud only.
#[test]
fn the_address_of_a_recording_decides_the_platform() {
    let vertex = "https://a.test/publishers/anthropic/models/claude-opus-4-8:rawPredict";
    let recording = |url: &str, keys: &str| {
        let keys = format!("{keys},\"max_tokens\":9");
        let body = format!("{{{keys},\"messages\":[{{\"role\":\"user\",\"content\":\"a\"}}]}}");
        format!("{{\"url\":\"{url}\",\"headers\":{{}},\"body\":{body}}}")
    };
    let other = "\"anthropic_version\":\"bedrock-2023-05-31\"";
    let own = "\"anthropic_version\":\"vertex-2023-10-16\"";
    let fault = "FILE: platform-key: anthropic_version: \"bedrock-2023-05-31\", on google-cloud, \
                 expected a key that the platform takes in the body (platform docs and AWS, \
                 features by platform)\n";
    check(&recording(vertex, other), &[], 1, fault);
    check(&recording(vertex, own), &[], 0, "");

    let first_party = "https://api.anthropic.com/v1/messages";
    let model = "\"model\":\"claude-opus-4-8\"";
    let fault = "FILE: unknown-key: anthropic_version: \"vertex-2023-10-16\", expected no other key \
                 (anthropic (Python) 2.12.0, types)\n";
    check(&recording(first_party, &format!("{model},{own}")), &[], 1, fault);
    check(&recording(first_party, model), &[], 0, "");
}

/// Checks every entry in HAR files and YAML cassettes, by its headers and
/// address.
#[test]
fn cassettes_and_har_files() {
    let fault = |line: usize| {
        format!(
            "FILE:{line}: blank-text: messages[0].content: blank text, expected text with a \
             character other than white space (platform docs, errors)\n"
        )
    };
    let cassette = |uri: &str, headers: &str, body: &str| {
        format!(
            "- request:\n    method: POST\n    uri: {uri}\n    headers: {headers}\n    \
             body: '{body}'\n  response:\n    status: {{code: 400}}\n"
        )
    };
    let messages = "https://api.anthropic.com/v1/messages";
    let entries = [
        cassette(messages, "{}", GOOD),
        cassette(messages, "{}", BLANK),
        // Another endpoint, which has no messages.
        cassette("https://api.anthropic.com/v1/files", "{}", "{\"a\":1}"),
    ];
    let text = format!("interactions:\n{}version: 1\n", entries.concat());
    check(&text, &[], 1, &fault(2));

    // A request to count tokens has no max_tokens.
    let count = GOOD.replace("\"max_tokens\":1,", "");
    let entries = cassette(&format!("{messages}/count_tokens"), "{}", &count);
    check(&format!("interactions:\n{entries}"), &[], 0, "");
    let google = "https://aiplatform.googleapis.com/v1/publishers/anthropic/models";
    let version = "\"anthropic_version\":\"vertex-2023-10-16\"";
    let count = count.replacen('{', &format!("{{{version},"), 1);
    let whole = GOOD.replacen("\"model\":\"claude-opus-4-8\"", version, 1);
    for (model, body) in [("count-tokens", &count), ("claude-opus-4-6", &whole)] {
        let entries = cassette(&format!("{google}/{model}:rawPredict"), "{}", body);
        check(&format!("interactions:\n{entries}"), &[], 0, "");
    }

    // When the headers are known, so are the betas.
    let compact =
        GOOD.replace("\"messages\"", "\"compaction\":{\"type\":\"summarize\"},\"messages\"");
    for (headers, code) in [
        ("{accept: ['*/*']}", 0),
        ("{anthropic-version: ['2023-06-01']}", 1),
        ("{anthropic-version: ['2023-06-01'], anthropic-beta: ['x', 'compact-2026-09-04']}", 0),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cassette.yaml");
        let text = cassette(messages, headers, &compact);
        fs::write(&file, format!("interactions:\n{text}")).unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_aside"))
            .arg("check")
            .arg(file)
            .output()
            .unwrap()
            .status;
        assert_eq!(status.code(), Some(code), "{headers}");
    }

    let entry = |body: &str| {
        let body = serde_json::to_string(body).unwrap();
        format!(
            "{{\"request\":{{\"url\":\"{messages}\",\"headers\":[],\
             \"postData\":{{\"text\":{body}}}}},\"response\":{{\"status\":200}}}}"
        )
    };
    let har = format!("{{\"log\":{{\"entries\":[{},\n{}]}}}}", entry(BLANK), entry(GOOD));
    check(&har, &[], 1, &fault(1));
    check(&har.replace('\n', ""), &[], 1, &fault(1));
}

/// A list of recordings, like SDK snapshots.
#[test]
fn lists_of_recordings() {
    let entry = |body: &str| format!("{{\"request\": {{\n\"headers\": {{}}, \"body\": {body}}}}}");
    let list = format!("[\n{},\n{}\n]", entry(GOOD), entry(BLANK));
    let fault = "FILE:2: blank-text: messages[0].content: blank text, expected text with a \
                 character other than white space (platform docs, errors)\n";
    check(&list, &[], 1, fault);
    check(&list.replace('\n', ""), &[], 1, fault);
    // A list of bodies is a log of them, as other commands read it.
    check(&format!("[{GOOD},{GOOD}]"), &[], 0, "");
    // Any other list is no body.
    for text in ["[]".to_owned(), "[[]]".to_owned()] {
        let shown = text.get(..40).map_or(text.clone(), |it| format!("{it}…"));
        let fault = format!(
            "FILE: json: {shown}, expected one JSON object (anthropic (Python) 2.12.0, types)\n"
        );
        check(&text, &[], 1, &fault);
    }
}

#[test]
fn an_unread_figure_of_a_log_has_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let line = |usage: &str| format!("{{\"t\":1,\"body\":{GOOD},\"usage\":{usage}}}\n");
    let log = line(r#"{"input_tokens":9}"#) + &line(r#"{"input_tokens":-9}"#);
    fs::write(directory.path().join("log.jsonl"), log).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    let output = command.args(["check", "log.jsonl"]).current_dir(&directory).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("log.jsonl: line 2: a figure"), "{stderr}");
}

/// The lines of a batch, and Anthropic's batch as one body. They have no headers, so the betas are
/// unknown.
#[test]
fn batches() {
    let fault = |line: &str| {
        format!(
            "FILE:{line} blank-text: messages[0].content: blank text, expected text with a \
             character other than white space (platform docs, errors)\n"
        )
    };
    let line = |body: &str| format!(r#"{{"custom_id":"a","params":{body}}}"#);
    check(&line(GOOD), &[], 0, "");
    check(&line(BLANK), &[], 1, &fault(""));
    let (good, blank) = (line(GOOD), line(BLANK).replacen("\"a\"", "\"b\"", 1));
    let lines = format!("{good}\n{blank}\n");
    check(&lines, &[], 1, &fault("2:"));
    let batch = format!(r#"{{"requests":[{good},{blank}]}}"#);
    check(&batch, &[], 1, &fault("2:"));
    // Within recordings, with the number of the entry.
    let har = |url: &str, body: &str| {
        let body = serde_json::to_string(body).unwrap();
        format!(
            r#"{{"log":{{"entries":[{{"request":{{"url":"{url}","headers":[],"postData":{{"text":{body}}}}}}}]}}}}"#
        )
    };
    check(&har("https://api.anthropic.com/v1/messages/batches", &batch), &[], 1, &fault("1:"));
    let form = format!("--x\r\nContent-Disposition: form-data\r\n\r\n{lines}\r\n--x--\r\n");
    for body in [&lines, &form] {
        check(&har("https://api.openai.com/v1/files", body), &[], 1, &fault("1:"));
    }
    let skipped = "not checked: log (1): it has no whole body\n";
    check(&har("https://api.openai.com/v1/files", "--x"), &[], 0, skipped);
    let cassette = format!(
        "interactions:\n- request:\n    uri: https://api.anthropic.com/v1/messages/batches\n    \
         headers: {{}}\n    body: '{batch}'\n"
    );
    check(&cassette, &[], 1, &fault("1:"));
    // The same id twice in one batch.
    let doubled = |line: &str| {
        format!(
            "FILE:{line} doubled-custom-id: custom_id: \"a\" again, expected a new custom_id for \
             each request of a batch (platform docs, batch processing)\n"
        )
    };
    check(&format!("{good}\n{good}\n"), &[], 1, &doubled("2:"));
    let batch = format!(r#"{{"requests":[{good},{good}]}}"#);
    check(&batch, &[], 1, &doubled("2:"));
    check(&har("https://api.anthropic.com/v1/messages/batches", &batch), &[], 1, &doubled("1:"));
    let once = format!(r#"{{"requests":[{good}]}}"#);
    check(&format!("{once}\n{once}\n"), &[], 0, "");
    let stream = GOOD.replace("\"messages\"", "\"stream\":true,\"messages\"");
    let fault = "FILE: value: stream: true, expected no stream in a batch (anthropic (Python) \
                 2.12.0, types)\n";
    check(&line(&stream), &[], 1, fault);
    let openai = |url: &str| {
        format!(
            r#"{{"custom_id":"a","method":"POST","url":"{url}","body":{{"model":"gpt-4.1","messages":[{{"role":"user","content":"a"}}],"stream_options":{{}}}}}}"#
        )
    };
    let fault = "FILE: stream-options: stream_options: no stream, expected stream_options only \
                 with stream (issue threads of SDKs and agents)\n";
    check(&openai("/v1/chat/completions"), &[], 1, fault);
    let compact =
        GOOD.replace("\"messages\"", "\"compaction\":{\"type\":\"summarize\"},\"messages\"");
    let needs = "FILE: compaction-beta: compaction: {\"type\":\"summarize\"}, expected the beta of \
                 compaction on demand (compact-2026-09-04) (needs; platform docs, compaction)\n";
    check(&line(&compact), &[], 0, needs);
}
