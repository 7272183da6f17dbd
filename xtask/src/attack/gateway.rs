//! Attacks on the two servers by hostile web pages, clients and upstreams. Only
//! this user is served, only the fixed targets are reached, no secret is
//! recorded or logged, no text controls a terminal, and no body ends a server.

mod servers;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Extent;
use super::command::{Aside, Place};
use super::judge::terminal_controls;
use super::outcome::Outcome;
use servers::{Running, exchange, request, status, upstream};

const SECRET: &str = "canary-of-the-key";
const TEXT: &str = "canary-of-the-text";
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

const PATHS: &[&str] = &["/v1/messages", "/v1/responses", "/v1/messages/count_tokens"];

/// The memory limit of a server, with a limit of 64 MB for a request.
const MAX_PEAK_KIB: u64 = 1 << 20;

const ESCAPES: &[&str] = &[
    "\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31m",
    "\u{202e}txt",
    "line\nforged: line",
    "back\u{8}\r",
];

pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    visitors(aside, &mut outcome)?;
    secrets(aside, &mut outcome)?;
    escapes(aside, extent, &mut outcome)?;
    bodies(aside, extent, &mut outcome)?;
    Ok(outcome)
}

/// The two servers, with records.
struct Servers {
    place: Place,
    serve: Running,
    proxy: Running,
}

impl Servers {
    fn start(aside: &Aside, options: &[&str]) -> Result<Self> {
        let place = aside.place()?;
        let serve = Running::start(&place, "serve", &["serve", "--strict"])?;
        let upstreams = ["messages", "responses", "chat", "gemini"]
            .map(|wire| format!("{wire}={}", serve.url()));
        let records = place.path("records").to_string_lossy().into_owned();
        let mut arguments = vec!["proxy", "--record", &records];
        for upstream in &upstreams {
            arguments.extend(["--upstream", upstream]);
        }
        arguments.extend(options);
        let proxy = Running::start(&place, "proxy", &arguments)?;
        Ok(Self {
            place,
            serve,
            proxy,
        })
    }

    /// Returns the number of requests that reached the upstream.
    fn served(&self) -> Result<u64> {
        let host = self.serve.address.to_string();
        let asked = request("GET /report", &[("Host", &host)], b"");
        let response = exchange(self.serve.address, &asked)?;
        let text = String::from_utf8_lossy(&response).into_owned();
        let body = text.split_once("\r\n\r\n").context("a response")?.1;
        let report: Value = serde_json::from_str(body)?;
        report["requests"].as_u64().context("a number of requests")
    }

    /// Returns a finding if an ordinary request gets no answer any more.
    fn fault(&self) -> Result<Option<String>> {
        let host = self.proxy.address.to_string();
        let body = body("Hi").to_string();
        let asked = request(
            "POST /v1/messages",
            &[("Host", &host), VERSION],
            body.as_bytes(),
        );
        let response = exchange(self.proxy.address, &asked)?;
        let status = status(&response);
        Ok((status != 200).then(|| format!("then an ordinary request gets {status}")))
    }

    /// Ends both; returns everything that they wrote, by name, and the peak of
    /// memory.
    fn stop(self) -> Result<(Place, Vec<Written>, u64)> {
        let proxy = self.proxy.stop()?;
        let serve = self.serve.stop()?;
        let mut written = records(&self.place.path("records"))?;
        written.push(("the log of proxy".to_owned(), proxy.log));
        written.push(("the log of serve".to_owned(), serve.log));
        Ok((self.place, written, proxy.peak_kib.max(serve.peak_kib)))
    }
}

/// The output of a server: a displayed name, and the bytes.
type Written = (String, Vec<u8>);

fn body(text: &str) -> Value {
    json!({"model": "claude-opus-5", "max_tokens": 64, "messages": [{"role": "user", "content": text}]})
}

fn records(directory: &Path) -> Result<Vec<Written>> {
    let mut all = Vec::new();
    if directory.is_dir() {
        for file in fs::read_dir(directory)? {
            let path = file?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            all.push((format!("the record {name}"), fs::read(&path)?));
        }
    }
    Ok(all)
}

/// Web pages, other hosts, other paths and other methods.
fn visitors(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    let servers = Servers::start(aside, &[])?;
    for address in [servers.proxy.address, servers.serve.address] {
        let before = servers.served()?;
        let own = address.to_string();
        let port = address.port();
        let other_port = format!("127.0.0.1:{}", port ^ 1);
        let (rebound, user) = (
            format!("127.0.0.1.evil.example:{port}"),
            format!("a@127.0.0.1:{port}"),
        );
        let named = format!("evil.example:{port}");
        let host = |value| vec![("Host", value), VERSION];
        let also = |name, value| vec![("Host", &*own), VERSION, (name, value)];
        let evil: &[(&str, Vec<(&str, &str)>)] = &[
            ("POST /v1/messages", host("evil.example")),
            ("POST /v1/messages", host(&named)),
            ("POST /v1/messages", host(&rebound)),
            ("POST /v1/messages", host(&other_port)),
            ("POST /v1/messages", host(&user)),
            ("POST /v1/messages", host("127.0.0.1")),
            ("POST /v1/messages", host("")),
            ("POST /v1/messages", vec![VERSION]),
            ("POST /v1/messages", also("Host", "evil.example")),
            ("POST http://evil.example/v1/messages", host(&own)),
            ("POST /v1/messages", also("Origin", "http://evil.example")),
            ("POST /v1/messages", also("Origin", "null")),
            ("POST /v1/messages", also("Origin", "http://localhost")),
            (
                "OPTIONS /v1/messages",
                also("Origin", "http://evil.example"),
            ),
            ("GET /report", also("Origin", "http://evil.example")),
            ("GET /report", host("evil.example")),
            ("GET /v1/messages", also("Upgrade", "websocket")),
            ("CONNECT evil.example:443", host("evil.example:443")),
            ("GET http://evil.example/", host("evil.example")),
            ("POST /v1/messages/../../admin", host(&own)),
            ("POST /v1/messages/%2e%2e/%2E%2e/admin", host(&own)),
            ("POST //evil.example/v1/messages", host(&own)),
            ("POST /v1/messages@evil.example/", host(&own)),
            ("POST /admin", host(&own)),
        ];
        for (head, headers) in evil {
            let sent = request(head, headers, body("Hi").to_string().as_bytes());
            let response = exchange(address, &sent)?;
            let found = status(&response);
            let head = format!("{head} {headers:?} to port {port}");
            let text = String::from_utf8_lossy(&response).to_ascii_lowercase();
            outcome.check((found != 0 && found < 400).then(|| format!("{head}: status {found}")));
            let opens = text.contains("access-control-");
            outcome.check(opens.then(|| format!("{head}: a page may read the response")));
        }
        let reached = servers.served()? - before;
        let at_proxy = address == servers.proxy.address;
        outcome.check((at_proxy && reached > 0).then(|| format!("{reached} reached the upstream")));
        let fault = servers.fault()?;
        outcome.check(fault);
    }
    servers.stop()?;
    // Addresses that others reach, and upstreams that read along.
    let place = aside.place()?;
    for arguments in [
        &["serve", "--listen", "0.0.0.0:0"][..],
        &["serve", "--listen", "[::]:0"],
        &["proxy", "--listen", "0.0.0.0:0"],
        &["proxy", "--upstream", "messages=http://example.com"],
        &[
            "proxy",
            "--upstream",
            "messages=http://localhost.example.com",
        ],
        &[
            "proxy",
            "--upstream",
            "messages=http://127.0.0.1.example.com",
        ],
        &[
            "proxy",
            "--upstream",
            "messages=http://127.0.0.1@example.com",
        ],
        &["proxy", "--upstream", "messages=ftp://127.0.0.1"],
        &["proxy", "--upstream", "messages=file:///etc/passwd"],
    ] {
        let ran = place.run(arguments)?;
        let starts = ran.hung || ran.code == Some(0);
        outcome.check(starts.then(|| format!("{arguments:?} starts")));
    }
    Ok(())
}

/// Keys in headers, queries and bodies; texts, if they are to be left out.
fn secrets(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    for (options, has_texts) in [(&[][..], true), (&["--redact"][..], false)] {
        let servers = Servers::start(aside, options)?;
        let host = servers.proxy.address.to_string();
        let mut planted = 0;
        let mut send = |head: &str, header: (&str, &str), body: &Value| -> Result<()> {
            planted += 1;
            let headers = [("Host", &*host), VERSION, header];
            let sent = request(head, &headers, body.to_string().as_bytes());
            exchange(servers.proxy.address, &sent).map(drop)
        };
        let bearer = format!("Bearer {SECRET}");
        for name in [
            "x-api-key",
            "authorization",
            "proxy-authorization",
            "cookie",
            "api-key",
            "x-goog-api-key",
            "x-amz-security-token",
            "anthropic-api-key",
            "openai-api-key",
            "anthropic-auth-token",
        ] {
            send("POST /v1/messages", (name, &bearer), &body(TEXT))?;
            send("POST /v1/chat/completions", (name, &bearer), &body(TEXT))?;
        }
        let none = ("x-nothing", "1");
        for name in [
            "key",
            "KEY",
            "api_key",
            "access_token",
            "X-Amz-Signature",
            "%6bey",
        ] {
            let query = format!("/v1beta/models/g:generateContent?alt=sse&{name}={SECRET}");
            send(&format!("POST {query}"), none, &body(TEXT))?;
            send(
                &format!("POST /v1/messages?{name}={SECRET}"),
                none,
                &body(TEXT),
            )?;
        }
        for (key, value) in [
            (
                "mcp_servers",
                json!([{"type": "url", "url": "https://a.example", "name": "a", "authorization_token": SECRET}]),
            ),
            (
                "tools",
                json!([{"type": "mcp", "server_label": "a", "authorization": SECRET}]),
            ),
            (
                "tools",
                json!([{"type": "mcp", "server_label": "a", "headers": {"Authorization": bearer, "X": SECRET}}]),
            ),
        ] {
            let mut body = body(TEXT);
            body[key] = value;
            send("POST /v1/messages", none, &body)?;
            send("POST /v1/responses", none, &body)?;
        }
        let mut called = body(TEXT);
        called["system"] = TEXT.into();
        called["messages"] = json!([
            {"role": "user", "content": [{"type": "text", "text": TEXT}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "b", "input": {"name": TEXT, TEXT: {TEXT: TEXT, "id": TEXT}}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": TEXT}]},
        ]);
        send("POST /v1/messages", none, &called)?;
        let (place, written, _) = servers.stop()?;
        outcome.tried(planted);
        let mut lines = 0;
        for (name, bytes) in &written {
            let text = String::from_utf8_lossy(bytes);
            if text.contains(SECRET) {
                let line = text
                    .lines()
                    .find(|line| line.contains(SECRET))
                    .unwrap_or_default();
                outcome.breaks(format!("{options:?}: a key is in {name}: {line}"));
            }
            let is_log = name.starts_with("the log");
            if (is_log || !has_texts) && text.contains(TEXT) {
                outcome.breaks(format!("{options:?}: a text is in {name}"));
            }
            if !is_log {
                let read = text.lines().map(serde_json::from_str::<Value>);
                lines += read.filter(Result::is_ok).count();
            }
        }
        let missing = (lines != planted).then(|| format!("{lines} records of {planted} requests"));
        outcome.check(missing);
        if has_texts {
            let mut records = written
                .iter()
                .filter(|(name, _)| !name.starts_with("the log"));
            let has = records.any(|(_, it)| String::from_utf8_lossy(it).contains(TEXT));
            outcome.check((!has).then(|| "no record has the text: the trap is broken".to_owned()));
        }
        modes(&place, outcome)?;
    }
    unreachable_upstream(aside, outcome)
}

/// The records are of this user only.
fn modes(place: &Place, outcome: &mut Outcome) -> Result<()> {
    let directory = place.path("records");
    let mode =
        |path: &Path| Ok::<_, anyhow::Error>(fs::metadata(path)?.permissions().mode() & 0o777);
    let found = mode(&directory)?;
    outcome.check((found != 0o700).then(|| format!("the records have mode {found:o}")));
    for file in fs::read_dir(&directory)? {
        let found = mode(&file?.path())?;
        outcome.check((found != 0o600).then(|| format!("a record has mode {found:o}")));
    }
    Ok(())
}

/// An error does not quote the key.
fn unreachable_upstream(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
    let place = aside.place()?;
    let nowhere = ["proxy", "--upstream", "gemini=http://127.0.0.1:9"];
    let proxy = Running::start(&place, "proxy", &nowhere)?;
    let host = proxy.address.to_string();
    let head = format!("POST /v1beta/models/g:generateContent?key={SECRET}");
    let sent = request(&head, &[("Host", &host), ("x-goog-api-key", SECRET)], b"{}");
    let response = exchange(proxy.address, &sent)?;
    let log = proxy.stop()?.log;
    for (name, bytes) in [("the response", &response), ("the log", &log)] {
        let leaks = String::from_utf8_lossy(bytes).contains(SECRET);
        outcome.check(leaks.then(|| format!("without an upstream, a key is in {name}")));
    }
    Ok(())
}

/// Paths, models and errors that would steer a terminal.
fn escapes(aside: &Aside, extent: Extent, outcome: &mut Outcome) -> Result<()> {
    let escapes = match extent {
        Extent::Long => ESCAPES,
        Extent::Short => &ESCAPES[..3],
    };
    for escape in escapes {
        let error =
            json!({"type": "error", "error": {"type": escape, "message": escape}}).to_string();
        let start = json!({"type": "message_start", "message": {"id": escape, "model": escape, "usage": {"input_tokens": 1}}});
        let stream = format!("data: {start}\n\ndata: {error}\n\n");
        let responses = [
            ("400 x", "application/json", error),
            ("200 OK", "text/event-stream", stream),
        ];
        for (line, kind, text) in responses {
            let response = format!(
                "HTTP/1.1 {line}\r\ncontent-type: {kind}\r\nrequest-id: \u{9b}31m\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
                text.len()
            );
            let upstream = upstream(response.into_bytes())?;
            let place = aside.place()?;
            let url = format!("messages=http://{upstream}");
            let options = [
                "proxy",
                "--deny",
                "miss",
                "--place",
                "aside",
                "--upstream",
                &url,
            ];
            let proxy = Running::start(&place, "proxy", &options)?;
            let host = proxy.address.to_string();
            let mut sent = body(escape);
            sent["model"] = (*escape).into();
            for path in [
                "/v1/messages",
                "/v1/messages?\u{9b}31m",
                "/v1/messages/\u{202e}x",
            ] {
                let sent = request(
                    &format!("POST {path}"),
                    &[("Host", &host)],
                    sent.to_string().as_bytes(),
                );
                exchange(proxy.address, &sent)?;
            }
            steers("the log of proxy", escape, &proxy.stop()?.log, outcome);
        }
        let servers = Servers::start(aside, &[])?;
        let host = servers.proxy.address.to_string();
        for (key, value) in [
            ("model", json!(escape)),
            (escape, json!(escape)),
            ("tools", json!([{"name": escape}])),
        ] {
            let mut sent = body("Hi");
            sent[key] = value;
            let sent = request(
                "POST /v1/messages",
                &[("Host", &host), VERSION],
                sent.to_string().as_bytes(),
            );
            exchange(servers.proxy.address, &sent)?;
        }
        let (_, written, _) = servers.stop()?;
        for (name, bytes) in &written {
            steers(name, escape, bytes, outcome);
        }
    }
    Ok(())
}

fn steers(name: &str, escape: &str, bytes: &[u8], outcome: &mut Outcome) {
    let is_forged = String::from_utf8_lossy(bytes)
        .lines()
        .any(|line| line.starts_with("forged:"));
    let controls = terminal_controls(bytes);
    let is_log = name.starts_with("the log");
    let is_bad = is_forged || (is_log && !controls.is_empty());
    outcome.check(is_bad.then(|| format!("{escape:?} in {name}: {controls:?}")));
}

/// Bodies that are deep, long, broken or swollen.
fn bodies(aside: &Aside, extent: Extent, outcome: &mut Outcome) -> Result<()> {
    let (depth, length, paths) = match extent {
        Extent::Long => (1_000_000, 12 << 20, PATHS),
        Extent::Short => (20_000, 4 << 20, &PATHS[..1]),
    };
    let nested =
        |open: &str, close: &str| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    let in_content = |content: &str| {
        format!(
            r#"{{"model":"claude-opus-5","max_tokens":1,"messages":[{{"role":"user","content":{content}}}]}}"#
        )
    };
    let results = format!(
        "[{}{}]",
        r#"{"type":"tool_result","content":["#.repeat(depth),
        "]}".repeat(depth)
    );
    let many = format!("[{}1]", "1,".repeat(depth));
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", Vec::new()),
        ("no JSON", b"x".to_vec()),
        ("no UTF-8", b"{\"model\":\"\xff\xfe\"}".to_vec()),
        ("a NUL", b"{\"model\":\"\0\"}".to_vec()),
        ("half a pair", in_content(r#""\ud800""#).into_bytes()),
        (
            "a huge number",
            in_content("\"x\"")
                .replace(":1,", ":1e999999,")
                .into_bytes(),
        ),
        (
            "a doubled key",
            in_content("\"x\"")
                .replacen('{', "{\"model\":\"a\",", 1)
                .into_bytes(),
        ),
        (
            "line ends",
            b"{\n\"model\"\r\n:\"\\n{\\\"forged\\\":1}\"}\n{\"forged\":1}\n".to_vec(),
        ),
        ("deep lists", nested("[", "]").into_bytes()),
        ("deep objects", nested("{\"a\":", "}").into_bytes()),
        ("deep content", in_content(&nested("[", "]")).into_bytes()),
        ("deep results", in_content(&results).into_bytes()),
        ("an open list", in_content(&"[".repeat(depth)).into_bytes()),
        ("many items", in_content(&many).into_bytes()),
        (
            "a long text",
            in_content(&format!("\"{}\"", "x".repeat(length))).into_bytes(),
        ),
        ("too long", vec![b'x'; 65 << 20]),
    ];
    for options in [&[][..], &["--place", "aside", "--redact"]] {
        let servers = Servers::start(aside, options)?;
        let host = servers.proxy.address.to_string();
        for (name, body) in &cases {
            for path in paths {
                let sent = request(&format!("POST {path}"), &[("Host", &host), VERSION], body);
                exchange(servers.proxy.address, &sent)?;
                let fault = servers.fault()?;
                outcome.check(fault.map(|it| format!("{options:?}, {name} to {path}: {it}")));
            }
        }
        let (_, written, peak) = servers.stop()?;
        outcome.note(format!("{options:?}: at most {} MiB in use", peak >> 10));
        outcome.check((peak > MAX_PEAK_KIB).then(|| format!("{peak} KiB in use")));
        for (name, bytes) in written
            .iter()
            .filter(|(name, _)| name.starts_with("the record"))
        {
            let text = String::from_utf8_lossy(bytes);
            let broken = text
                .lines()
                .filter(|line| serde_json::from_str::<&serde_json::value::RawValue>(line).is_err())
                .count();
            outcome.check((broken > 0).then(|| format!("{broken} broken lines in {name}")));
            let forged = text
                .lines()
                .filter(|line| line.starts_with("{\"forged\""))
                .count();
            outcome.check((forged > 0).then(|| format!("{forged} forged lines in {name}")));
        }
    }
    Ok(())
}
