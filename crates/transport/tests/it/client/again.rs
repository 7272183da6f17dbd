//! When a request is sent again.

use std::time::{Duration, Instant};

use aside_transport::TransportErrorKind;
use wiremock::ResponseTemplate;

use super::{END, HALF, MILLI, START, answering, failing, first_party, http, read, waiting, whole};
use crate::server::{Act, Server};

/// Checks how many requests a server got that answered this way, and how it
/// ended.
async fn check(templates: Vec<ResponseTemplate>, requests: usize, expected: Option<&str>) {
    let server = answering(templates).await;
    let (events, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(error.as_ref().map(ToString::to_string).as_deref(), expected);
    assert_eq!(server.received_requests().await.unwrap().len(), requests);
    assert_eq!(events.len(), if expected.is_none() { 6 } else { 0 });
}

#[tokio::test]
async fn transient_failures_are_retried() {
    check(vec![whole()], 1, None).await;
    for status in [408, 409, 500, 503, 529] {
        check(vec![failing(status), failing(status), whole()], 3, None).await;
    }
    check(
        vec![failing(529)],
        3,
        Some("first-party reported some_error: No. (status 529, request req_1) (sent 3 times)"),
    )
    .await;
    for status in [400, 401, 403, 404, 413] {
        let expected =
            format!("first-party reported some_error: No. (status {status}, request req_1)");
        check(vec![failing(status), whole()], 1, Some(&expected)).await;
    }
    check(vec![failing(400).insert_header("x-should-retry", "true"), whole()], 2, None).await;
    let expected = "first-party reported some_error: No. (status 500, request req_1)";
    check(vec![failing(500).insert_header("x-should-retry", "false"), whole()], 1, Some(expected))
        .await;
}

#[tokio::test]
async fn retry_after_is_kept_in_both_forms() {
    let expected = "first-party reported some_error: No. (status 429, request req_1)";
    check(vec![failing(429), whole()], 1, Some(expected)).await;
    check(vec![failing(429).insert_header("retry-after", "0"), whole()], 2, None).await;
    let past = "Sat, 31 Jan 2026 12:00:00 GMT";
    check(vec![failing(429).insert_header("retry-after", past), whole()], 2, None).await;
    let far = "Fri, 31 Jan 2126 12:00:00 GMT";
    let server = answering(vec![failing(429).insert_header("retry-after", far), whole()]).await;
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    assert!(error.unwrap().retry_after() > Some(Duration::from_secs(3_600)));
    assert_eq!(server.received_requests().await.unwrap().len(), 1);

    // The client waits as long as it was asked to.
    let server =
        answering(vec![failing(429).insert_header("retry-after-ms", "150"), whole()]).await;
    let before = Instant::now();
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(error, None);
    assert!(before.elapsed() >= 150 * MILLI);

    // The error has a wait that is too long.
    let server = answering(vec![failing(429).insert_header("retry-after", "3600"), whole()]).await;
    let (_, error) = read(&http(), &first_party(&server.uri())).await;
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    let error = error.unwrap();
    assert_eq!((error.status(), error.request_id()), (Some(429), Some("req_1")));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
    let expected = "first-party reported some_error: No.; it asks for a wait of 3600 s (status 429, request req_1)";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_hang_is_ended_by_the_limit_and_sent_again() {
    let hanging = || whole().set_delay(60_000 * MILLI);
    let server = answering(vec![hanging(), whole()]).await;
    let (events, error) = read(&waiting(3_000 * MILLI), &first_party(&server.uri())).await;
    assert_eq!((events.len(), error), (6, None));
    assert_eq!(server.received_requests().await.unwrap().len(), 2);

    let server = answering(vec![hanging()]).await;
    let (_, error) = read(&waiting(20 * MILLI), &first_party(&server.uri())).await;
    let expected = "127.0.0.1 sent no data for too long (sent 3 times)";
    assert_eq!(error.unwrap().to_string(), expected);
}

#[tokio::test]
async fn a_refused_connection_is_reported() {
    let server = Server::start(vec![]).await;
    let base = server.base();
    drop(server);
    let (events, error) = read(&http(), &first_party(&base)).await;
    let error = error.unwrap();
    assert!(events.is_empty());
    assert_eq!((error.times_sent(), error.status()), (3, None));
    assert!(matches!(error.kind(), TransportErrorKind::Connection(_)), "{error}");
    assert!(error.to_string().starts_with("no connection to 127.0.0.1: "), "{error}");
}

#[tokio::test]
async fn a_reset_before_an_answer_is_sent_again() {
    let answer = format!("{START}{HALF}{END}");
    let server = Server::start(vec![Act::reset(), Act::reset(), Act::stream(&[&answer])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!((events.len(), error), (6, None));
    assert_eq!(server.requests().len(), 3);
}
