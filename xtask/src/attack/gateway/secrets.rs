//! No key and, with `--redact`, no text is in a record, a log or an error.
//!
//! The attacker reads a record or a log later, for example in a bug report. The
//! promises are numbers 7 and 8 of `docs/security.md`. Each request carries a
//! canary in place of a key, in a header, in the query or in a field of the
//! body, and another in place of a text. Afterwards no file may have the first;
//! no log may have the second, and with `--redact` no record either. As a
//! control, records without `--redact` have the text, and there are as many
//! records as requests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::super::command::{Aside, Place};
use super::super::outcome::Outcome;
use super::servers::{Running, exchange, request};
use super::{Servers, VERSION, body};

/// The canary for a key.
const SECRET: &str = "canary-of-the-key";
/// The canary for a text: a prompt, a result, the input of a tool, a key in
/// this input.
const TEXT: &str = "canary-of-the-text";

/// Keys in headers, queries and bodies; texts, if they are to be left out.
///
/// Headers are those of all wires and those of proxies and browsers; queries
/// include an escaped spelling (`%6bey`).
pub(super) fn try_all(aside: &Aside, outcome: &mut Outcome) -> Result<()> {
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
            "anthropic-session",
            "openai-organization",
            "x-forwarded-for",
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
            "accessToken",
            "code",
            "a[key]",
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
            (
                "tools",
                json!([{"type": "mcp", "server_url": format!("https://u:{SECRET}@a.example/?k={SECRET}")}]),
            ),
            (
                "tools",
                json!([{"mcpServers": [{"streamableHttpTransport": {"url": "https://a.example", "headers": {"X": SECRET}}}]}]),
            ),
            (
                "data_sources",
                json!([{"parameters": {"authentication": {"type": "api_key", "key": SECRET}}}]),
            ),
            (
                "requests",
                json!([{"params": {"mcp_servers": [{"url": format!("https://a.example/?k={SECRET}"), "authorization_token": SECRET}]}}]),
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

/// Checks that only this user may read the records.
///
/// 700 for the directory, 600 for each file.
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
///
/// The address has no listener, so the proxy reports a failed connection to a
/// URL that contains the key.
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
