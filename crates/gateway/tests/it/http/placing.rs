//! Markers that the proxy places.

use super::upstream::Upstream;
use super::*;

const MARKER: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// Sends a request through a proxy that places markers. Returns the body at the
/// upstream and the notes of the line.
async fn forwarded(body: &str) -> (String, Vec<String>) {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
    let proxy = proxy(upstream.address, |options| options.markers = Markers::Aside).await;
    answered(&proxy, body).await;
    let lines = proxy.lines.clone();
    proxy.stop().await;
    let seen = String::from_utf8(upstream.last()).unwrap();
    let (head, body) = seen.split_once("\r\n\r\n").unwrap();
    let length = format!("content-length: {}", body.len());
    assert!(head.contains(&length), "{head}");
    let notes = lines.lock().unwrap()[0].notes.clone();
    (body.to_owned(), notes)
}

/// The first request of Claude Code: two marked blocks of system prompt, a
/// marked message, and a system message whose content is a string.
#[tokio::test]
async fn the_first_request_of_claude_code_is_accepted() {
    let rules = "rule ".repeat(2_400);
    let body = format!(
        r#"{{"model":"claude-opus-5","max_tokens":64,"system":[{{"type":"text","text":"{rules}"{MARKER}}},{{"type":"text","text":"{rules}"{MARKER}}}],"tools":[{{"name":"Read","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":[{{"type":"text","text":"Hi"{MARKER}}}]}},{{"role":"system","content":"Be brief."}}]}}"#
    );
    let server = serve(|_| {}).await;
    let proxy = proxy(server.address, |options| options.markers = Markers::Aside).await;
    answered(&proxy, &body).await;
    proxy.stop().await;
    assert_eq!(server.stop().await.refused, 0);
    let (sent, notes) = forwarded(&body).await;
    assert_eq!(sent.matches(MARKER).count(), 4, "{notes:?}");
    assert_eq!(notes, [""; 0]);
}

/// Sends two requests of one agent at once, and returns the number that the upstream had when
/// the first response had ended.
async fn twins(proxy: &Running<Summary>, upstream: &Upstream) -> usize {
    let rules = "rule ".repeat(1_000);
    let body = |task: &str| {
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":64,"system":"{rules}","tools":[{{"name":"Read","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":[{{"type":"text","text":"{task}"}}]}}]}}"#
        )
    };
    let (one, two) = (body("one"), body("two"));
    let first = async {
        answered(proxy, &one).await;
        upstream.requests()
    };
    let second = async {
        // The first one is on its way.
        while upstream.requests() == 0 {
            tokio::task::yield_now().await;
        }
        answered(proxy, &two).await;
    };
    tokio::join!(first, second).0
}

const SLOW: std::time::Duration = std::time::Duration::from_millis(300);

#[tokio::test]
async fn a_twin_waits_for_the_first_of_its_prefix() {
    let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_vec();
    let upstream = Upstream::running(vec![(SLOW, response)]).await;
    let placing = proxy(upstream.address, |options| options.markers = Markers::Aside).await;
    let count = twins(&placing, &upstream).await;
    let lines = placing.lines.clone();
    placing.stop().await;
    assert_eq!(count, 1, "the second one waits");
    let lines = lines.lock().unwrap();
    let notes: Vec<&String> = lines.iter().flat_map(|line| &line.notes).collect();
    let [note] = &notes[..] else {
        panic!("one note: {notes:?}");
    };
    assert!(
        note.starts_with("waited 0.") && note.ends_with(" s for the first request of its prefix"),
        "{note}"
    );
}

#[tokio::test]
async fn requests_as_sent_do_not_wait() {
    let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}".to_vec();
    let upstream = Upstream::running(vec![(SLOW, response)]).await;
    let plain = proxy(upstream.address, |_| {}).await;
    assert_eq!(twins(&plain, &upstream).await, 2);
    plain.stop().await;
}

#[tokio::test]
async fn a_request_whose_edit_the_api_would_refuse_is_sent_as_it_came() {
    let definition = format!(
        r#"{{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"a","input_schema":{{}}{MARKER}}}}}}}"#
    );
    let additions = [&*definition; 4].join(",");
    let body = HI.replace(
        "{\"role\"",
        &format!(r#"{{"role":"user","content":"a"}},{{"role":"system","content":[{additions}]}},{{"role":"assistant","content":"b"}},{{"role""#),
    );
    let (sent, notes) = forwarded(&body).await;
    assert_eq!(sent, body);
    let [note] = &notes[..] else {
        panic!("one note: {notes:?}");
    };
    let start = "place markers: unchanged, since the API would refuse 5, at ";
    assert!(note.starts_with(start) && note.ends_with("(marker-limit)"), "{note}");
}
