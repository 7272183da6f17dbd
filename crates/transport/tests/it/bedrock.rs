//! Bedrock: signed requests, and responses in frames.

use aside_providers::{Options, Provider, convert};
use aside_transport::{AwsKeys, Credentials, Endpoint, Secret};
use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::base64;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};

use crate::client::{http, request};
use crate::server::{Act, Server};

fn frame(headers: &[(&'static str, &'static str)], payload: String) -> Vec<u8> {
    let mut message = Message::new(payload.into_bytes());
    for &(name, value) in headers {
        message = message.add_header(Header::new(name, HeaderValue::String(value.into())));
    }
    let mut bytes = Vec::new();
    write_message_to(&message, &mut bytes).unwrap();
    bytes
}

fn chunk(json: &str) -> Vec<u8> {
    let payload = format!(r#"{{"bytes":"{}"}}"#, base64::encode(json));
    frame(&[(":message-type", "event"), (":event-type", "chunk")], payload)
}

const EVENTS: [&str; 6] = [
    r#"{"type":"message_start","message":{"id":"m","model":"c"}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"é"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}"#,
    r#"{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}"#,
];

/// Checks how many events these bytes give, and how they end.
async fn check(pieces: Vec<Vec<u8>>, count: usize, expected: Option<&str>) -> String {
    let act = Act::bytes("application/vnd.amazon.eventstream", pieces);
    let server = Server::start(vec![act]).await;
    let keys = AwsKeys {
        access_key_id: Secret::new("AKIDEXAMPLE"),
        secret_access_key: Secret::new("wJalrXUtnFEMI"),
        session_token: None,
    };
    let endpoint = Endpoint::new(
        Provider::Bedrock,
        Some(&server.base()),
        &[("region", "us-east-1")],
        Credentials::Aws(keys),
    )
    .unwrap();
    let options = Options::for_model("eu.anthropic.claude-v1:0");
    let converted = convert(&request(), Provider::Bedrock, &options).unwrap();
    let mut events = http().send(&endpoint, converted).await.unwrap();
    let (mut found, mut error) = (0, None);
    while let Some(event) = events.next().await {
        match event {
            Ok(_) => found += 1,
            Err(failure) => error = Some(failure.to_string()),
        }
    }
    assert_eq!((found, error.as_deref()), (count, expected));
    server.requests().remove(0)
}

#[tokio::test]
async fn frames_become_events() {
    let bytes: Vec<u8> = EVENTS.iter().flat_map(|event| chunk(event)).collect();
    let request = check(vec![bytes.clone()], 6, None).await;
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let first = "POST /model/eu.anthropic.claude-v1:0/invoke-with-response-stream HTTP/1.1\r\n";
    assert!(head.starts_with(first), "{head}");
    assert!(head.contains("\r\nauthorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "{head}");
    assert!(head.contains("\r\nx-amz-date: "), "{head}");
    assert!(
        body.starts_with(r#"{"anthropic_version":"bedrock-2023-05-31","max_tokens":8,"messages""#)
    );
    check(bytes.chunks(7).map(<[u8]>::to_vec).collect(), 6, None).await;
}

#[tokio::test]
async fn interruptions_and_failures_are_reported() {
    let mut bytes: Vec<u8> = EVENTS[..3].iter().flat_map(|event| chunk(event)).collect();
    check(vec![bytes.clone()], 3, Some("the response of 127.0.0.1 broke off (status 200)")).await;
    let cut = [&bytes[..], &chunk(EVENTS[3])[..20]].concat();
    check(vec![cut], 3, Some("the response of 127.0.0.1 broke off (status 200)")).await;
    bytes.extend(frame(
        &[(":message-type", "exception"), (":exception-type", "modelStreamErrorException")],
        r#"{"message":"It stopped."}"#.into(),
    ));
    let failure = "bedrock reported modelStreamErrorException: It stopped. (status 200)";
    check(vec![bytes], 3, Some(failure)).await;
}
