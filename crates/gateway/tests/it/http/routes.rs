//! The paths of requests, and the upstreams that they reach.

use super::upstream::Upstream;
use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// Sends a request through a proxy with these upstreams, written with `@` for the address of
/// the first test server and `#` for that of the second. Returns the status, and the server and
/// path that were reached.
async fn reached(upstreams: &[&str], path: &str, headers: &[(&str, &str)]) -> (u16, String) {
    let servers = [Upstream::answering(OK).await, Upstream::answering(OK).await];
    let url = |it: &&str| {
        it.replace('@', &servers[0].address.to_string())
            .replace('#', &servers[1].address.to_string())
    };
    let urls: Vec<String> = upstreams.iter().map(url).collect();
    let proxy = proxy(servers[0].address, |options| {
        options.upstreams = Upstreams::from_arguments(urls.iter().map(|it| &**it)).unwrap();
    })
    .await;
    let mut request = client().post(proxy.url(path)).body("{}");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let status = request.send().await.unwrap().status().as_u16();
    let lines = proxy.lines.clone();
    proxy.stop().await;
    let recorded = if lines.lock().unwrap().is_empty() { " unrecorded" } else { "" };
    for (server, name) in servers.iter().zip(["@", "#"]) {
        if server.requests() > 0 {
            let seen = String::from_utf8(server.last()).unwrap();
            let path = seen.split(' ').nth(1).unwrap();
            return (status, format!("{name}{path}{recorded}"));
        }
    }
    (status, String::new())
}

#[tokio::test]
async fn the_tail_of_a_path_decides_the_wire() {
    let all = ["messages=http://@", "responses=http://@/v1", "chat=http://@/v1", "gemini=http://@"];
    for (path, expected) in [
        ("/v1/messages?beta=true", "@/v1/messages?beta=true"),
        // opencode and the Vercel AI SDK: their base URL has the version.
        ("/messages", "@/v1/messages"),
        ("/v1/messages/count_tokens", "@/v1/messages/count_tokens"),
        ("/v1/responses", "@/v1/responses"),
        ("/responses", "@/v1/responses"),
        ("/v1/chat/completions", "@/v1/chat/completions"),
        ("/v1beta/models/g:generateContent", "@/v1beta/models/g:generateContent"),
        (
            "/models/g:streamGenerateContent?alt=sse",
            "@/v1beta/models/g:streamGenerateContent?alt=sse",
        ),
    ] {
        assert_eq!(reached(&all, path, &[]).await, (200, expected.to_owned()), "{path}");
    }
}

/// They reach the upstream of the path, whatever their credentials are.
#[tokio::test]
async fn other_methods_on_the_path_of_a_conversation_are_not_recorded() {
    let (first, second) = (Upstream::answering(OK).await, Upstream::answering(OK).await);
    let proxy = proxy(first.address, |options| {
        let second = format!("responses=http://{}/v1", second.address);
        let urls = [&*format!("messages=http://{}", first.address), &*second];
        options.upstreams = Upstreams::from_arguments(urls).unwrap();
    })
    .await;
    for method in ["HEAD", "OPTIONS", "GET", "DELETE"] {
        let method: reqwest::Method = method.parse().unwrap();
        let request = client().request(method, proxy.url("/v1/responses"));
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    let lines = proxy.lines.clone();
    let summary = proxy.stop().await;
    assert_eq!((first.requests(), second.requests()), (0, 4));
    assert_eq!((summary.requests, summary.unrecorded, lines.lock().unwrap().len()), (0, 4, 0));
}

#[tokio::test]
async fn the_path_of_a_base_url_is_kept() {
    let upstreams = ["messages=http://@/gw/v1", "chat=http://@/deployments/a"];
    for (path, expected) in [
        ("/gw/v1/messages", "@/gw/v1/messages"),
        ("/v1/messages", "@/gw/v1/v1/messages"),
        ("/messages", "@/gw/v1/messages"),
        ("/deployments/a/chat/completions", "@/deployments/a/chat/completions"),
    ] {
        let seen = reached(&upstreams, path, &[]).await;
        assert_eq!(seen, (200, expected.to_owned()), "{path}");
    }
    let upstreams = Upstreams::from_variables(|name| {
        (name == "ANTHROPIC_BASE_URL").then(|| "https://gw.example/anthropic/v1/".to_owned())
    });
    let mut options = ProxyOptions::default();
    options.upstreams = upstreams.unwrap();
    let proxy = Proxy::bind(options, Box::new(|_| {})).await.unwrap();
    let address = proxy.address();
    let variables = proxy.variables();
    let expected = ("ANTHROPIC_BASE_URL", format!("http://{address}/anthropic/v1"));
    assert!(variables.contains(&expected), "{variables:?}");
    let expected = ("OPENAI_BASE_URL", format!("http://{address}/v1"));
    assert!(variables.contains(&expected), "{variables:?}");
}

/// The credentials of one vendor are never sent to another one.
#[tokio::test]
async fn paths_of_no_wire_reach_the_upstream_of_their_credentials() {
    let two = ["messages=http://@", "responses=http://#/v1"];
    let bearer = ("authorization", "Bearer key");
    let version = ("anthropic-version", "2023-06-01");
    for (path, headers, expected) in [
        ("/", &[][..], "@/ unrecorded"),
        ("/api/hello", &[], "@/api/hello unrecorded"),
        ("/v1/skills", &[version, bearer], "@/v1/skills unrecorded"),
        ("/v1/embeddings", &[bearer], "#/v1/embeddings unrecorded"),
        ("/v1/threads/a/messages", &[bearer], "#/v1/threads/a/messages unrecorded"),
    ] {
        let seen = reached(&two, path, headers).await;
        assert_eq!(seen, (200, expected.to_owned()), "{path}");
    }
    let seen = reached(&two, "/api/oauth/profile", &[bearer]).await;
    assert_eq!(seen, (404, String::new()));
    let seen = reached(&two[..1], "/api/oauth/profile", &[bearer]).await;
    assert_eq!(seen, (200, "@/api/oauth/profile unrecorded".to_owned()));
    let seen = reached(&two, "/v1beta/models", &[("x-goog-api-key", "key")]).await;
    assert_eq!(seen, (404, String::new()));
    for (path, headers) in [
        ("/openai/deployments/x/embeddings?api-version=1", &[("api-key", "azure-key")][..]),
        ("/v1beta/models?key=gemini-key", &[]),
        ("/api/hello", &[("cookie", "session=1234")]),
        ("/api/hello", &[("x-later-key", "some-key")]),
    ] {
        let seen = reached(&two, path, headers).await;
        assert_eq!(seen, (404, String::new()), "{path} {headers:?}");
        let seen = reached(&two[..1], path, headers).await;
        assert_eq!(seen.0, 200, "{path} {headers:?}");
    }
}

/// A path such as `/v1/models` may be that of several vendors.
#[tokio::test]
async fn a_key_shows_its_vendor_by_its_beginning() {
    let two = ["messages=http://@", "responses=http://#/v1"];
    let google = ["messages=http://@", "gemini=http://#"];
    let same = ["responses=http://@/v1", "chat=http://#/v1"];
    for (upstreams, path, value, expected) in [
        (&two, "/v1/models", "Bearer sk-ant-oat01-abc", "@/v1/models unrecorded"),
        (&two, "/v1/models", "Bearer sk-proj-abc", "#/v1/models unrecorded"),
        (&two, "/v1/models", "Bearer ya29.abcdef", ""),
        (&two, "/v1/models?key=AIzaSyAbc", "", ""),
        (&google, "/v1/models", "Bearer ya29.abcdef", "#/v1/models unrecorded"),
        (&google, "/v1/models", "Bearer AIzaSyAbc", "#/v1/models unrecorded"),
        (&google, "/v1/models", "Bearer sk-ant-oat01-abc", "@/v1/models unrecorded"),
        // Without a key, the first.
        (&two, "/v1/oauth/token", "", "@/v1/oauth/token unrecorded"),
        (&same, "/v1/models", "", "@/v1/models unrecorded"),
        (&same, "/v1/models", "Bearer sk-proj-abc", ""),
    ] {
        let headers = [("authorization", value)];
        let headers = if value.is_empty() { &[][..] } else { &headers };
        let status = if expected.is_empty() { 404 } else { 200 };
        let seen = reached(upstreams, path, headers).await;
        assert_eq!(seen, (status, expected.to_owned()), "{path} {value}");
    }
}

#[tokio::test]
async fn paths_that_could_leave_a_base_url_are_refused() {
    let base = ["messages=http://@/base"];
    for path in ["/base/a%3Ab/v1/messages", "/base/a%20b@1.2/v1/messages"] {
        assert_eq!(reached(&base, path, &[]).await.0, 200, "{path}");
    }
    for path in [
        "/base//x",
        "/base/a%2Fb",
        "/base/a%5cb",
        "/v1/messages//x",
        "/base/..%2fx/v1/messages",
        "/base/..;/v1/messages",
        "/base/..%3b/v1/messages",
        "/base;a=b/v1/messages",
        "/base/%00/v1/messages",
        "/base/a%0d%0ab/v1/messages",
        "/base/%252e%252e/v1/messages",
        "/base/%c0%ae%c0%ae/v1/messages",
        "/base/..%c0%af/v1/messages",
        "/base/%ef%bc%8f/v1/messages",
        "/base/a%3fb/v1/messages",
        "/base/a%23b/v1/messages",
        "/base/%u002e%u002e/v1/messages",
        "/base/%+2/v1/messages",
        "/base/%2/v1/messages",
        "/base/v1/messages%",
    ] {
        assert_eq!(reached(&base, path, &[]).await, (404, String::new()), "{path}");
    }
}

/// Tokens and price are known on every wire.
#[tokio::test]
async fn usage_is_read_on_every_wire() {
    for (path, model, response, tokens) in [
        (
            "/v1/responses",
            "gpt-5.5",
            r#"{"object":"response","id":"r","model":"gpt-5.5","output":[],"usage":{"input_tokens":2000,"output_tokens":5,"input_tokens_details":{"cached_tokens":1500}}}"#,
            (1_500, 0, 500),
        ),
        (
            "/v1/chat/completions",
            "gpt-5.5",
            r#"{"object":"chat.completion","id":"c","choices":[],"usage":{"prompt_tokens":2000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1000}}}"#,
            (1_000, 0, 1_000),
        ),
        (
            "/v1beta/models/gemini-3.6-flash:generateContent",
            "",
            r#"{"candidates":[],"responseId":"g","usageMetadata":{"promptTokenCount":2000,"cachedContentTokenCount":400,"candidatesTokenCount":5}}"#,
            (400, 0, 1_600),
        ),
    ] {
        let response = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{response}",
            response.len()
        );
        let upstream =
            Upstream::running(vec![(std::time::Duration::ZERO, response.into_bytes())]).await;
        let proxy = proxy(upstream.address, |_| {}).await;
        let body = if path.contains("gemini") {
            r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#.to_owned()
        } else {
            format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":"Hi"}}]}}"#)
                .replace("messages", if path.contains("responses") { "input" } else { "messages" })
        };
        let sent = client().post(proxy.url(path)).body(body).send().await.unwrap();
        sent.bytes().await.unwrap();
        let lines = proxy.lines.clone();
        let summary = proxy.stop().await;
        let line = lines.lock().unwrap()[0].clone();
        assert_eq!(
            (line.read, line.written, line.plain),
            (Some(tokens.0), Some(tokens.1), Some(tokens.2)),
            "{line}"
        );
        assert!(line.cost.is_some_and(|cost| cost > 0.0), "{line}");
        let share = aside_models::percent(tokens.0 as f64 / 2_000.0);
        assert!(summary.to_string().contains(&format!("({share} cached) $")), "{summary}");
    }
    // Nothing was read: no figures.
    let upstream = Upstream::answering(OK).await;
    let proxy = proxy(upstream.address, |_| {}).await;
    answered(&proxy, HI).await;
    let summary = proxy.stop().await.to_string();
    assert!(!summary.contains('$'), "{summary}");
}

#[tokio::test]
async fn a_figure_that_cannot_be_read_is_in_the_line() {
    for (figure, note) in [
        ("7", None),
        (r#""7""#, Some(r#"a figure that is no whole number: cache_read_input_tokens: "7""#)),
    ] {
        let body = format!(
            r#"{{"type":"message","id":"m","usage":{{"input_tokens":9,"cache_read_input_tokens":{figure},"output_tokens":1}}}}"#
        );
        let length = body.len();
        let response = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        let upstream = Upstream::answering(response.leak()).await;
        let proxy = proxy(upstream.address, |_| {}).await;
        answered(&proxy, HI).await;
        let lines = proxy.lines.clone();
        proxy.stop().await;
        let notes = lines.lock().unwrap()[0].notes.clone();
        assert_eq!(notes, Vec::from_iter(note.map(str::to_owned)));
    }
}
