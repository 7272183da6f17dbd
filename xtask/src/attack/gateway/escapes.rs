//! No path, model or error of a client or an upstream steers the terminal.
//!
//! The log of a server is read on a terminal. A client chooses the path, the
//! query and the model in it; an upstream chooses the text of an error and the
//! id of a request. A log must have no control characters, and neither a log
//! nor a record may have a line that begins with `forged:`.

use anyhow::Result;
use serde_json::json;

use super::super::Extent;
use super::super::command::Aside;
use super::super::judge::terminal_controls;
use super::super::outcome::Outcome;
use super::servers::{Running, exchange, request, upstream};
use super::{Servers, VERSION, body};

/// Sequences for a terminal, and a line end that would start a line of the log.
/// The short form has the first three.
const ESCAPES: &[&str] = &[
    "\u{1b}[2J",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31m",
    "\u{202e}txt",
    "line\nforged: line",
    "back\u{8}\r",
];

/// Paths, models and errors that would steer a terminal.
///
/// The upstream answers once with an error and once with a stream that ends
/// with one, and the proxy is started with all options that print more.
pub(super) fn try_all(aside: &Aside, extent: Extent, outcome: &mut Outcome) -> Result<()> {
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

/// Judges one log or record. Control characters count for logs only, because a
/// record is JSON with the bytes of the request.
fn steers(name: &str, escape: &str, bytes: &[u8], outcome: &mut Outcome) {
    let is_forged = String::from_utf8_lossy(bytes)
        .lines()
        .any(|line| line.starts_with("forged:"));
    let controls = terminal_controls(bytes);
    let is_log = name.starts_with("the log");
    let is_bad = is_forged || (is_log && !controls.is_empty());
    outcome.check(is_bad.then(|| format!("{escape:?} in {name}: {controls:?}")));
}
