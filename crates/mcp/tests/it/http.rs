//! A server over streamable HTTP.

use super::*;
use wiremock::matchers::{body_string_contains, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// Answers requests for a method with a result, if they have the header.
async fn answer(server: &MockServer, name: &str, result: &str) {
    // A connection counts its ids from 0.
    for id in 0..4 {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        Mock::given(method("POST"))
            .and(header("authorization", "Bearer secret"))
            .and(body_string_contains(format!(r#""method":"{name}""#)))
            .and(body_string_contains(format!(r#""id":{id},"#)))
            .respond_with(ResponseTemplate::new(200).set_body_raw(body, "application/json"))
            .mount(server)
            .await;
    }
}

fn http(url: &str) -> ServerConfig {
    ServerConfig {
        url: Some(url.to_owned()),
        headers: [("Authorization".to_owned(), "Bearer secret".to_owned())].into(),
        ..ServerConfig::default()
    }
}

#[tokio::test]
async fn a_server_over_http_is_listed_and_called() {
    let server = MockServer::start().await;
    answer(&server, "initialize", INITIALIZE).await;
    let tools = r#"{"tools":[{"name":"search","inputSchema":{"type":"object"}}]}"#;
    answer(&server, "tools/list", tools).await;
    answer(&server, "resources/list", r#"{"resources":[]}"#).await;
    answer(&server, "tools/call", r#"{"content":[{"type":"text","text":"found"}]}"#).await;
    Mock::given(method("POST"))
        .and(body_string_contains("notifications/initialized"))
        .respond_with(ResponseTemplate::new(202))
        .mount(&server)
        .await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(405)).mount(&server).await;
    let (servers, faults) = connect([("web", http(&server.uri()))]).await;
    assert_eq!(faults, [""; 0]);
    assert_eq!(names(&servers), ["mcp__web__search"]);
    let output = call(&servers, "mcp__web__search", "{}").await;
    assert_eq!(output, ToolOutput::text("found"));
    servers.close().await;
}

#[tokio::test]
async fn tools_stay_if_the_resources_are_not_listed() {
    let server = MockServer::start().await;
    answer(&server, "initialize", INITIALIZE).await;
    let tools = r#"{"tools":[{"name":"search","inputSchema":{"type":"object"}}]}"#;
    answer(&server, "tools/list", tools).await;
    for id in 0..4 {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"broken"}}}}"#
        );
        Mock::given(method("POST"))
            .and(body_string_contains("resources/list"))
            .and(body_string_contains(format!(r#""id":{id},"#)))
            .respond_with(ResponseTemplate::new(200).set_body_raw(body, "application/json"))
            .mount(&server)
            .await;
    }
    Mock::given(method("POST"))
        .and(body_string_contains("notifications/initialized"))
        .respond_with(ResponseTemplate::new(202))
        .mount(&server)
        .await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(405)).mount(&server).await;
    let (servers, faults) = connect([("web", http(&server.uri()))]).await;
    assert_eq!(names(&servers), ["mcp__web__search"]);
    let [fault] = &faults[..] else { panic!("{faults:?}") };
    assert!(
        fault.contains("web offers no resources: resources/list: ") && fault.contains("broken"),
        "{fault}"
    );
    servers.close().await;
}

#[tokio::test]
async fn no_redirect_is_followed_and_no_path_is_printed() {
    let (server, other) = (MockServer::start().await, MockServer::start().await);
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(307).insert_header("location", other.uri()))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(path("/hidden/echo"))
        .respond_with(ResponseTemplate::new(404).set_body_string("no /hidden/echo here"))
        .with_priority(1)
        .mount(&server)
        .await;
    let unreachable = "http://user:hidden@127.0.0.1:9/s/hidden/mcp?key=hidden";
    let configs = [
        ("echoes", http(&format!("{}/hidden/echo", server.uri()))),
        ("moved", http(&server.uri())),
        ("unreachable", http(unreachable)),
    ];
    let (servers, faults) = connect(configs).await;
    assert_eq!(names(&servers), [""; 0]);
    let expected = [
        "echoes is left out: ",
        "moved is left out: ",
        "unreachable is left out: it cannot be reached: ",
    ];
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(&format!("error: the MCP server {expected}")), "{faults:?}");
    }
    assert_eq!(faults.len(), expected.len());
    assert!(faults.iter().all(|fault| !fault.contains("::")), "{faults:?}");
    assert!(faults[2].contains("onnection refused"), "{faults:?}");
    assert!(faults[2].contains("http://127.0.0.1:9"), "{faults:?}");
    assert!(faults.iter().all(|fault| !fault.contains("hidden")), "{faults:?}");
    assert!(other.received_requests().await.unwrap().is_empty());
}

/// Answers every request with the same response.
async fn only(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(response).mount(&server).await;
    server
}

#[tokio::test]
async fn a_server_that_is_no_mcp_server_is_left_out_with_the_reason() {
    let body = |kind: &str, body: &str| ResponseTemplate::new(200).set_body_raw(body, kind);
    let unauthorized = ResponseTemplate::new(401).insert_header("www-authenticate", "Bearer");
    for (response, reason) in [
        (unauthorized, "it requires authorization: its configuration needs a valid header for it"),
        (ResponseTemplate::new(404), "HTTP 404 Not Found"),
        (ResponseTemplate::new(500), "HTTP 500"),
        (body("text/html", "<html>"), "its response is text/html, not JSON or an event stream"),
        (body("text/event-stream", ""), "its response to initialize is empty"),
        (ResponseTemplate::new(202), "its response to initialize is empty"),
        (
            body("application/json", "<html>"),
            "its response cannot be parsed: expected value at line 1 column 1: <html>",
        ),
    ] {
        let server = only(response).await;
        let (_, faults) = connect([("web", http(&server.uri()))]).await;
        assert_eq!(faults, [format!("error: the MCP server web is left out: {reason}")]);
    }
}

#[tokio::test]
async fn servers_that_do_not_respond_are_awaited_at_once() {
    let limit = Duration::from_secs(1);
    let silent = only(ResponseTemplate::new(200).set_delay(20 * limit)).await;
    let mut options = ConnectOptions::new("/".into(), Vec::new());
    options.start_limit = limit;
    let configs = ["a", "b", "c"].map(|name| (name, http(&silent.uri())));
    let start = std::time::Instant::now();
    let (servers, faults) = connect_with(configs, &options).await;
    let fault = |name| format!("error: the MCP server {name} is left out: no response within 1 s");
    assert_eq!(faults, ["a", "b", "c"].map(fault));
    servers.close().await;
    assert!(start.elapsed() < 2 * limit, "{:?}", start.elapsed());
}
