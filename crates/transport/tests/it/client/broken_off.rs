//! Responses that stop before their end.

use std::time::Instant;

use aside_providers::{Collector, Provider};
use aside_transport::{Limits, TransportErrorKind};

use super::{
    END, HALF, MILLI, START, answering, converted, failing, first_party, http, read, waiting,
    with_limits,
};
use crate::server::{Act, Server};

#[tokio::test]
async fn a_reset_in_mid_stream_keeps_the_received_part() {
    let server =
        Server::start(vec![Act::stream(&[START, HALF]).then_reset(), Act::stream(&[END])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    let error = error.unwrap();
    assert!(matches!(error.kind(), TransportErrorKind::Connection(_)), "{error}");
    assert_eq!((error.status(), error.times_sent()), (Some(200), 1));
    assert!(error.to_string().starts_with("the connection to 127.0.0.1 broke off: "), "{error}");
    assert_eq!(server.requests().len(), 1);
    let mut collector = Collector::default();
    events.iter().for_each(|event| collector.push(event));
    let text = serde_json::to_string(&collector.finish().content).unwrap();
    assert_eq!(text, r#"[{"type":"text","text":"Hi"}]"#);
}

#[tokio::test]
async fn an_early_end_and_silence_keep_the_received_part() {
    let server = Server::start(vec![Act::stream(&[START, HALF])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!((events.len(), error.unwrap().kind()), (3, &TransportErrorKind::Ended));
    let server = Server::start(vec![Act::stream(&[START, HALF]).then_hang()]).await;
    let (events, error) = read(&waiting(3_000 * MILLI), &first_party(&server.base())).await;
    assert_eq!((events.len(), error.unwrap().kind()), (3, &TransportErrorKind::Silence));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_response_that_is_no_stream_is_described() {
    let received = async |kind: &'static str, body: &str| {
        let act = Act::bytes(kind, vec![body.as_bytes().to_vec()]);
        let server = Server::start(vec![act]).await;
        let (events, error) = read(&http(), &first_party(&server.base())).await;
        (events.len(), error.map(|error| error.to_string()).unwrap_or_default())
    };
    let prefix = "127.0.0.1 sent no valid response: expected \"text/event-stream\", found";
    for (kind, body, found) in [
        ("text/html", "<html>login\u{1b}</html>\n", r#""text/html": "<html>login\u{1b}</html>""#),
        ("application/json", r#"{"id":"m"}"#, r#""application/json": "{\"id\":\"m\"}""#),
        ("text/html", "", r#""text/html": an empty response"#),
    ] {
        let (count, error) = received(kind, body).await;
        assert_eq!((count, error), (0, format!("{prefix} {found} (status 200)")));
    }
    let (_, long) = received("text/plain", &"a".repeat(10_000)).await;
    assert!(long.len() < 400, "{long}");
    // Another type is no fault as long as events come, and a stream may end at any place.
    let (count, error) = received("text/plain", &format!("{START}{HALF}{END}")).await;
    assert_eq!((count, error.as_str()), (6, ""));
    for (kind, body) in [("text/plain", START), ("text/event-stream; charset=utf-8", "")] {
        let (_, error) = received(kind, body).await;
        assert!(error.starts_with("the response of 127.0.0.1 broke off"), "{error}");
    }
}

#[tokio::test]
async fn a_stream_without_an_end_is_ended() {
    let more = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    for more in [more, ": ping\n\n"] {
        let mut pieces = vec![START, HALF];
        pieces.extend(vec![more; 1_000]);
        let server = Server::start(vec![Act::stream(&pieces).then_hang()]).await;
        let limits = Limits { stream_bytes: 4_000, ..Limits::default() };
        let (events, error) = read(&with_limits(limits), &first_party(&server.base())).await;
        assert!((3..60).contains(&events.len()), "{}", events.len());
        assert_eq!(error.unwrap().kind(), &TransportErrorKind::TooLong);
    }
}

#[tokio::test]
async fn a_slow_trickle_is_no_silence() {
    let answer = format!("{START}{HALF}{END}");
    let pieces: Vec<&str> =
        answer.as_bytes().chunks(8).map(|it| std::str::from_utf8(it).unwrap()).collect();
    let server = Server::start(vec![Act::stream(&pieces).slowly(60 * MILLI).then_hang()]).await;
    let before = Instant::now();
    let (events, error) = read(&waiting(3_000 * MILLI), &first_party(&server.base())).await;
    // Its own end ends it: the server holds the connection open.
    assert_eq!((events.len(), error), (6, None));
    assert!(before.elapsed() > 3_000 * MILLI, "longer than the limit of one silence");
}

#[tokio::test]
async fn an_error_after_200_is_reported() {
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n";
    let server = Server::start(vec![Act::stream(&[START, HALF, error])]).await;
    let (events, error) = read(&http(), &first_party(&server.base())).await;
    assert_eq!(events.len(), 3);
    assert_eq!(error.unwrap().to_string(), "first-party reported overloaded_error: m (status 200)");
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
    // In mid-stream; to give up a wait loses nothing.
    let mut events = http.send(&endpoint, converted(Provider::FirstParty)).await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
    assert!(tokio::time::timeout(20 * MILLI, events.next()).await.is_err());
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
