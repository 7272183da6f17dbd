use std::time::{Duration, Instant};

use aside_messages::wire::Request;
use aside_providers::{Collector, Converted, Event, Options, Provider, convert};
use aside_transport::{
    Credentials, Endpoint, Error, ErrorKind, Http, Limits, Proxies, RetryPolicy, Secret, Tokens,
};
use wiremock::matchers::{body_json_string, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::server::{Act, Server};

const MILLI: Duration = Duration::from_millis(1);

/// A client that is not in a hurry: what it asks for comes.
pub(crate) fn http() -> Http {
    waiting(10_000 * MILLI)
}

/// A client that waits so long for the next bytes.
fn waiting(limit: Duration) -> Http {
    let limits = Limits {
        connect: 10_000 * MILLI,
        silence: limit,
        answer: limit,
    };
    let retries = RetryPolicy {
        first_wait: 2 * MILLI,
        longest_wait: 4 * MILLI,
        patience: 2_000 * MILLI,
        ..RetryPolicy::default()
    };
    Http::new(limits, retries, Proxies::None).unwrap()
}

fn key() -> Credentials {
    Credentials::ApiKey(Secret::new("test-key"))
}

pub(crate) fn first_party(base: &str) -> Endpoint {
    Endpoint::first_party(Some(base), key()).unwrap()
}

pub(crate) fn request() -> Request {
    let json = br#"{"model":"m","max_tokens":8,"stream":true,"messages":[{"role":"user","content":"Hi"}]}"#;
    Request::parse(json).unwrap().value
}

pub(crate) fn converted(provider: Provider) -> Converted {
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

/// A server that answers with these in turn, and with the last one for ever.
pub(crate) async fn answering(templates: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    let last = templates.len() - 1;
    for (place, template) in templates.into_iter().enumerate() {
        let mock = Mock::given(method("POST")).respond_with(template);
        let mock = if place < last {
            mock.up_to_n_times(1)
        } else {
            mock
        };
        server.register(mock).await;
    }
    server
}

/// The events, and the error that ends them.
pub(crate) async fn read(http: &Http, endpoint: &Endpoint) -> (Vec<Event>, Option<Error>) {
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

/// How many requests a server got that answered so, and how it ended.
async fn check(templates: Vec<ResponseTemplate>, requests: usize, expected: Option<&str>) {
    let server = answering(templates).await;
    let (events, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(error.as_ref().map(ToString::to_string).as_deref(), expected);
    assert_eq!(server.received_requests().await.unwrap().len(), requests);
    assert_eq!(events.len(), if expected.is_none() { 6 } else { 0 });
}

pub(crate) fn failing(status: u16) -> ResponseTemplate {
    let body = r#"{"type":"error","error":{"type":"some_error","message":"No."}}"#;
    ResponseTemplate::new(status)
        .insert_header("request-id", "req_1")
        .set_body_raw(body, "application/json")
}

#[tokio::test]
async fn what_is_worth_it_is_sent_again() {
    check(vec![whole()], 1, None).await;
    for status in [408, 409, 500, 503, 529] {
        check(vec![failing(status), failing(status), whole()], 3, None).await;
    }
    check(
        vec![failing(529)],
        3,
        Some("first-party says some_error: No. (status 529, request req_1) (sent 3 times)"),
    )
    .await;
    for status in [400, 401, 403, 404, 413] {
        let told = format!("first-party says some_error: No. (status {status}, request req_1)");
        check(vec![failing(status), whole()], 1, Some(&told)).await;
    }
    check(
        vec![
            failing(400).insert_header("x-should-retry", "true"),
            whole(),
        ],
        2,
        None,
    )
    .await;
    let told = "first-party says some_error: No. (status 500, request req_1)";
    check(
        vec![
            failing(500).insert_header("x-should-retry", "false"),
            whole(),
        ],
        1,
        Some(told),
    )
    .await;
}

#[tokio::test]
async fn retry_after_is_kept_in_both_forms() {
    let told = "first-party says some_error: No. (status 429, request req_1)";
    check(vec![failing(429), whole()], 1, Some(told)).await;
    check(
        vec![failing(429).insert_header("retry-after", "0"), whole()],
        2,
        None,
    )
    .await;
    check(
        vec![failing(429).insert_header("retry-after", "3600"), whole()],
        1,
        Some(told),
    )
    .await;
    let past = "Sat, 31 Jan 2026 12:00:00 GMT";
    check(
        vec![failing(429).insert_header("retry-after", past), whole()],
        2,
        None,
    )
    .await;
    let far = "Fri, 31 Jan 2126 12:00:00 GMT";
    check(
        vec![failing(429).insert_header("retry-after", far), whole()],
        1,
        Some(told),
    )
    .await;

    // The wait is kept, not only the word.
    let server = answering(vec![
        failing(429).insert_header("retry-after-ms", "150"),
        whole(),
    ])
    .await;
    let before = Instant::now();
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(error, None);
    assert!(before.elapsed() >= 150 * MILLI);

    let server = answering(vec![failing(429).insert_header("retry-after", "3600")]).await;
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    let error = error.unwrap();
    assert_eq!(
        (error.status(), error.request_id()),
        (Some(429), Some("req_1"))
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
}

#[tokio::test]
async fn a_hang_is_ended_by_the_limit_and_sent_again() {
    let hanging = || whole().set_delay(60_000 * MILLI);
    let server = answering(vec![hanging(), whole()]).await;
    let (events, error) = read(&waiting(500 * MILLI), &first_party(&server.uri())).await;
    assert_eq!((events.len(), error), (6, None));
    assert_eq!(server.received_requests().await.unwrap().len(), 2);

    let server = answering(vec![hanging()]).await;
    let (_, error) = read(&waiting(20 * MILLI), &first_party(&server.uri())).await;
    let told = "127.0.0.1 said nothing for too long (sent 3 times)";
    assert_eq!(error.unwrap().to_string(), told);
}

#[tokio::test]
async fn no_connection_is_told() {
    let server = Server::start(vec![]).await;
    let base = server.base();
    drop(server);
    let (events, error) = read(&http(), &first_party(&base)).await;
    let error = error.unwrap();
    assert!(events.is_empty());
    assert_eq!((error.times_sent(), error.status()), (3, None));
    assert!(matches!(error.kind(), ErrorKind::Connection(_)), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("no connection to 127.0.0.1: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_reset_before_an_answer_is_sent_again() {
    let answer = format!("{START}{HALF}{END}");
    let server = Server::start(vec![Act::reset(), Act::reset(), Act::stream(&[&answer])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!((events.len(), error), (6, None));
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn a_reset_in_mid_stream_keeps_what_came() {
    let server = Server::start(vec![
        Act::stream(&[START, HALF]).then_reset(),
        Act::stream(&[END]),
    ])
    .await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    let error = error.unwrap();
    assert!(matches!(error.kind(), ErrorKind::Connection(_)), "{error}");
    assert_eq!((error.status(), error.times_sent()), (Some(200), 1));
    assert_eq!(server.requests().len(), 1);
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    let text = serde_json::to_string(&collector.finish().content).unwrap();
    assert_eq!(text, r#"[{"type":"text","text":"Hi"}]"#);
}

#[tokio::test]
async fn an_early_end_and_silence_keep_what_came() {
    let server = Server::start(vec![Act::stream(&[START, HALF])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!(
        (events.len(), error.unwrap().kind()),
        (3, &ErrorKind::Ended)
    );
    let server = Server::start(vec![Act::stream(&[START, HALF]).then_hang()]).await;
    let (events, error) = read(&waiting(500 * MILLI), &first_party(&server.base())).await;
    assert_eq!(
        (events.len(), error.unwrap().kind()),
        (3, &ErrorKind::Silence)
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_slow_trickle_is_no_silence() {
    let answer = format!("{START}{HALF}{END}");
    let pieces: Vec<&str> = answer
        .as_bytes()
        .chunks(40)
        .map(|it| std::str::from_utf8(it).unwrap())
        .collect();
    let server = Server::start(vec![Act::stream(&pieces).slowly(60 * MILLI).then_hang()]).await;
    let before = Instant::now();
    let (events, error) = read(&waiting(700 * MILLI), &first_party(&server.base())).await;
    // Its own end ends it: the server holds the connection open.
    assert_eq!((events.len(), error), (6, None));
    assert!(
        before.elapsed() > 200 * MILLI,
        "longer than the limit of one silence"
    );
}

#[tokio::test]
async fn an_error_after_200_is_told() {
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n";
    let server = Server::start(vec![Act::stream(&[START, HALF, error])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!(events.len(), 3);
    assert_eq!(
        error.unwrap().to_string(),
        "first-party says overloaded_error: m (status 200)"
    );
}

#[tokio::test]
async fn dropping_cancels() {
    let server = Server::start(vec![Act::hang(), Act::stream(&[START]).then_hang()]).await;
    let (http, endpoint) = (http(), first_party(&server.base()));
    // While it waits for the headers.
    tokio::select! {
        _ = http.send(&endpoint, converted(Provider::FirstParty)) => panic!("an answer"),
        () = server.asked(1) => {}
    }
    server.closed(1).await;
    // In mid-stream; a wait that is given up loses nothing.
    let mut events = http
        .send(&endpoint, converted(Provider::FirstParty))
        .await
        .unwrap();
    assert!(events.next().await.unwrap().is_ok());
    assert!(
        tokio::time::timeout(20 * MILLI, events.next())
            .await
            .is_err()
    );
    drop(events);
    server.closed(2).await;

    // While it waits for its second try.
    let server = answering(vec![failing(429).insert_header("retry-after", "1")]).await;
    let endpoint = first_party(&server.uri());
    let asked = async {
        while server.received_requests().await.unwrap().is_empty() {
            tokio::time::sleep(MILLI).await;
        }
    };
    tokio::select! {
        _ = http.send(&endpoint, converted(Provider::FirstParty)) => panic!("an answer"),
        () = asked => {}
    }
    tokio::time::sleep(1_200 * MILLI).await;
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = answering(vec![whole()]).await;
    let server = answering(vec![
        ResponseTemplate::new(307).insert_header("location", elsewhere.uri()),
    ])
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
    let endpoint = Endpoint::openai(Some(&server.uri()), key()).unwrap();
    let plain = Request {
        stream: None,
        ..request()
    };
    let plain = convert(&plain, Provider::OpenAi, &Options::default()).unwrap();
    let answer = http().answer(&endpoint, plain.clone()).await.unwrap();
    assert_eq!(answer.content.len(), 1);
    assert!(matches!(
        http().send(&endpoint, plain).await.unwrap_err().kind(),
        ErrorKind::Refused(_)
    ));
    let streamed = converted(Provider::OpenAi);
    assert!(matches!(
        http().answer(&endpoint, streamed).await.unwrap_err().kind(),
        ErrorKind::Refused(_)
    ));
}

#[tokio::test]
async fn tokens_are_counted_where_they_can_be() {
    let server = MockServer::start().await;
    let counted = |at: &str, wanted: &str, body: &str| {
        let reply = ResponseTemplate::new(200).set_body_raw(body.to_owned(), "application/json");
        let mock = Mock::given(path(at)).and(body_json_string(wanted));
        mock.and(header("content-type", "application/json"))
            .respond_with(reply)
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
    assert_eq!(
        http.count_tokens(&endpoint, &request, &options)
            .await
            .unwrap(),
        Tokens::Counted(7)
    );
    let endpoint = Endpoint::bedrock("us-east-1", Some(&base), key()).unwrap();
    assert_eq!(
        http.count_tokens(&endpoint, &request, &options)
            .await
            .unwrap(),
        Tokens::Counted(8)
    );
    let endpoint = Endpoint::gemini(Some(&base), key()).unwrap();
    let estimated = http
        .count_tokens(&endpoint, &request, &options)
        .await
        .unwrap();
    assert!(matches!(estimated, Tokens::Estimated(tokens) if (1..5).contains(&tokens.tokens())));
}

/// The headers of Anthropic's that the one request of a server had.
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
        api_version: aside_messages::ApiVersion::V2026_10_21,
        betas: vec!["a-1".into(), "b-2".into()],
        ..Options::default()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        sent_headers(first_party, &Options::default()).await,
        [some("2023-06-01"), None]
    );
    assert_eq!(
        sent_headers(first_party, &new).await,
        [some("2026-10-21"), some("a-1,b-2")]
    );
    let other = |base: &str| first_party(base).with_version("2030-01-01");
    assert_eq!(
        sent_headers(other, &Options::default()).await,
        [some("2030-01-01"), None]
    );
    let vertex = |base: &str| Endpoint::vertex("p", "r", Some(base), key()).unwrap();
    assert_eq!(sent_headers(vertex, &new).await, [None, some("a-1,b-2")]);
    let bedrock = |base: &str| Endpoint::bedrock("r", Some(base), key()).unwrap();
    assert_eq!(sent_headers(bedrock, &new).await, [None, None]);
    let gemini = |base: &str| Endpoint::gemini(Some(base), key()).unwrap();
    assert_eq!(sent_headers(gemini, &new).await, [None, None]);
}
