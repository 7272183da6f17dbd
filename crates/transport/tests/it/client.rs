mod again;
mod broken_off;

use std::time::Duration;

use aside_messages::wire::Request;
use aside_providers::{Event, Options, Outgoing, Provider, ProviderSpec, ServerKind, convert};
use aside_transport::{
    Credentials, Endpoint, Http, Limits, Proxies, RetryPolicy, Secret, Tokens, TransportError,
    TransportErrorKind,
};
use wiremock::matchers::{body_json_string, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const MILLI: Duration = Duration::from_millis(1);

/// Returns a client with generous time limits.
pub(crate) fn http() -> Http {
    waiting(10_000 * MILLI)
}

/// A client that waits this long for the next bytes.
fn waiting(limit: Duration) -> Http {
    let limits =
        Limits { connect: 10_000 * MILLI, silence: limit, answer: limit, ..Limits::default() };
    with_limits(limits)
}

fn with_limits(limits: Limits) -> Http {
    let retries = RetryPolicy {
        first_wait: 2 * MILLI,
        longest_wait: 4 * MILLI,
        patience: 2_000 * MILLI,
        ..RetryPolicy::default()
    };
    Http::new(limits, retries, Proxies::None)
}

fn key() -> Credentials {
    Credentials::ApiKey(Secret::new("test-key"))
}

pub(crate) fn first_party(base: &str) -> Endpoint {
    Endpoint::new(Provider::FirstParty, Some(base), &[], key()).unwrap()
}

pub(crate) fn request() -> Request {
    let json = br#"{"model":"m","max_tokens":8,"stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
    Request::parse(json).unwrap().value
}

pub(crate) fn converted(provider: impl Into<&'static ProviderSpec>) -> Outgoing {
    convert(&request(), provider, &Options::default()).unwrap()
}

pub(crate) const START: &str =
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"c\"}}\n\n";
pub(crate) const HALF: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
    data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\n";
pub(crate) const END: &str = "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
    data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n\
    data: {\"type\":\"message_stop\"}\n\n";

pub(crate) fn whole() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(format!("{START}{HALF}{END}"), "text/event-stream")
}

/// A server that answers with these in turn, and with the last one from then
/// on.
pub(crate) async fn answering(templates: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let last = templates.len() - 1;
    for (place, template) in templates.into_iter().enumerate() {
        let mock = Mock::given(method("POST")).respond_with(template);
        let mock = if place < last { mock.up_to_n_times(1) } else { mock };
        server.register(mock).await;
    }
    server
}

/// Returns the events, and the error that ends them.
pub(crate) async fn read(http: &Http, endpoint: &Endpoint) -> (Vec<Event>, Option<TransportError>) {
    let mut events = Vec::new();
    let mut stream = match http.send(endpoint, converted(endpoint.provider())).await {
        Ok(stream) => stream,
        Err(error) => return (events, Some(error)),
    };
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none());
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

pub(crate) fn failing(status: u16) -> ResponseTemplate {
    let body = r#"{"type":"error","error":{"type":"some_error","message":"No."}}"#;
    ResponseTemplate::new(status)
        .insert_header("request-id", "req_1")
        .set_body_raw(body, "application/json")
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = answering(vec![whole()]).await;
    let server =
        answering(vec![ResponseTemplate::new(307).insert_header("location", elsewhere.uri())])
            .await;
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(error.unwrap().status(), Some(307));
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_whole_answer() {
    let body =
        r#"{"id":"c","model":"m","choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    let server = answering(vec![
        failing(503),
        ResponseTemplate::new(200).set_body_raw(body, "application/json"),
    ])
    .await;
    let endpoint = Endpoint::new(Provider::OpenAi, Some(&server.uri()), &[], key()).unwrap();
    let plain = Request { stream: None, ..request() };
    let options = Options { server: ServerKind::Compatible, ..Options::default() };
    let plain = convert(&plain, Provider::OpenAi, &options).unwrap();
    let answer = http().answer(&endpoint, plain.clone()).await.unwrap();
    assert_eq!(answer.content.len(), 1);
    assert!(matches!(
        http().send(&endpoint, plain).await.unwrap_err().kind(),
        TransportErrorKind::Refused(_)
    ));
    let streamed = converted(Provider::OpenAi);
    assert!(matches!(
        http().answer(&endpoint, streamed).await.unwrap_err().kind(),
        TransportErrorKind::Refused(_)
    ));
}

#[tokio::test]
async fn tokens_are_counted_where_they_can_be() {
    let server = MockServer::start().await;
    let counted = |at: &str, wanted: &str, body: &str| {
        let reply = ResponseTemplate::new(200).set_body_raw(body.to_owned(), "application/json");
        let mock = Mock::given(path(at)).and(body_json_string(wanted));
        mock.and(header("content-type", "application/json")).respond_with(reply)
    };
    let messages = r#""messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]"#;
    server
        .register(counted(
            "/v1/messages/count_tokens",
            &format!(r#"{{"model":"m",{messages}}}"#),
            r#"{"input_tokens":7}"#,
        ))
        .await;
    let inner =
        format!(r#"{{"anthropic_version":"bedrock-2023-05-31","max_tokens":8,{messages}}}"#);
    let inner = aws_smithy_types::base64::encode(inner);
    server
        .register(counted(
            "/model/m/count-tokens",
            &format!(r#"{{"input":{{"invokeModel":{{"body":"{inner}"}}}}}}"#),
            r#"{"inputTokens":8}"#,
        ))
        .await;
    let (http, options, request) = (http(), Options::default(), request());
    let base = server.uri();
    let endpoint = first_party(&base);
    assert_eq!(http.count_tokens(&endpoint, &request, &options).await.unwrap(), Tokens::Counted(7));
    let endpoint =
        Endpoint::new(Provider::Bedrock, Some(&base), &[("region", "us-east-1")], key()).unwrap();
    assert_eq!(http.count_tokens(&endpoint, &request, &options).await.unwrap(), Tokens::Counted(8));
    let endpoint = Endpoint::new(Provider::Gemini, Some(&base), &[], key()).unwrap();
    let estimated = http.count_tokens(&endpoint, &request, &options).await.unwrap();
    assert!(matches!(estimated, Tokens::Estimated(tokens) if (1..5).contains(&tokens.tokens())));
}

/// Returns Anthropic's headers in a server's only request.
async fn sent_headers(
    endpoint: impl Fn(&str) -> Endpoint,
    options: &Options,
) -> [Option<String>; 2] {
    let server = answering(vec![whole()]).await;
    let endpoint = endpoint(&server.uri());
    let converted = convert(&request(), endpoint.provider(), options).unwrap();
    http().send(&endpoint, converted).await.unwrap();
    let request = server.received_requests().await.unwrap().remove(0);
    ["anthropic-version", "anthropic-beta"]
        .map(|name| Some(request.headers.get(name)?.to_str().unwrap().to_owned()))
}

#[tokio::test]
async fn versions_and_betas_go_where_they_belong() {
    let new = Options {
        api_version: aside_providers::rules::ApiVersion::V2026_10_21,
        betas: vec!["a-1".into(), "b-2".into()],
        ..Options::default()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(sent_headers(first_party, &Options::default()).await, [some("2023-06-01"), None]);
    assert_eq!(sent_headers(first_party, &new).await, [some("2026-10-21"), some("a-1,b-2")]);
    let other = |base: &str| first_party(base).with_version("2030-01-01");
    assert_eq!(sent_headers(other, &Options::default()).await, [some("2030-01-01"), None]);
    let vertex = |base: &str| {
        Endpoint::new(Provider::Vertex, Some(base), &[("project", "p"), ("region", "r")], key())
            .unwrap()
    };
    assert_eq!(sent_headers(vertex, &new).await, [None, some("a-1,b-2")]);
    let bedrock = |base: &str| {
        Endpoint::new(Provider::Bedrock, Some(base), &[("region", "r")], key()).unwrap()
    };
    assert_eq!(sent_headers(bedrock, &new).await, [None, None]);
    let messages = |base: &str| {
        let region = [("region", "r")];
        Endpoint::new(Provider::BedrockMessages, Some(base), &region, key()).unwrap()
    };
    let betas = some("a-1,b-2");
    assert_eq!(sent_headers(messages, &new).await, [some("2026-10-21"), betas]);
    let gemini = |base: &str| Endpoint::new(Provider::Gemini, Some(base), &[], key()).unwrap();
    assert_eq!(sent_headers(gemini, &new).await, [None, None]);
}
