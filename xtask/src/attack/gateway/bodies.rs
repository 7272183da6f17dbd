//! No body ends a server, fills its memory or forges a line of a record.
//!
//! The attacker is a client of `aside proxy`, or text that a client forwards. A
//! server that ends takes the sessions of all clients with it, and a forged
//! line would be a request that never was. Each body is sent to each path, with
//! and without placing and redaction; after each, the server has to answer an
//! ordinary request.

use anyhow::Result;

use super::super::Extent;
use super::super::command::Aside;
use super::super::outcome::Outcome;
use super::servers::{exchange, request};
use super::{Servers, VERSION};

/// Endpoints that read a body differently. The short form has the first only.
const PATHS: &[&str] = &["/v1/messages", "/v1/responses", "/v1/messages/count_tokens"];

/// The memory limit of a server, with a limit of 64 MB for a request.
///
/// One GiB.
const MAX_PEAK_KIB: u64 = 1 << 20;

/// Bodies that are deep, long, broken or swollen.
///
/// Deep bodies have a million levels, or 20,000 in the short form; one body is
/// above the limit of 64 MB. The records are judged at the end: every line is
/// JSON, and none begins with the text that the body tried to add as a line.
pub(super) fn try_all(aside: &Aside, extent: Extent, outcome: &mut Outcome) -> Result<()> {
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
