//! Attacks on the two servers by hostile web pages, clients and upstreams. They
//! serve only this user, reach only the fixed targets, record and log no
//! secret, let no text control a terminal, and survive every body.
//!
//! `aside serve` is the upstream of `aside proxy` in most cases, so that one
//! log and one report show what reached it. Each module below tries one group
//! of cases, and each begins with its own servers. It needs no network; the
//! memory figures need `/proc`.

mod load;
mod records;
mod requests;
mod servers;

use anyhow::Result;
use serde::de::IgnoredAny;

use super::Extent;
use super::case::Class;
use super::judge::terminal_controls;
use super::outcome::Outcome;
use super::place::Place;
use super::player;
use requests::{Cases, status, upstream};
use servers::{Running, Servers};

/// How much memory a server may use, with a limit of 64 MB per request.
const MAX_PEAK_KIB: u64 = 1 << 20;

pub(super) fn run(aside: &str, extent: Extent) -> Result<Outcome> {
    let class = &Class::read("gateway")?;
    let cases = Cases { aside, class, extent };
    let mut outcome = Outcome::default();
    visitors(cases, &mut outcome)?;
    for options in [&[][..], &["--redact"]] {
        records::secrets(cases, options, &mut outcome)?;
    }
    records::unreachable_upstream(cases, &mut outcome)?;
    escapes(cases, &mut outcome)?;
    for options in [&[][..], &["--place", "aside", "--redact"]] {
        bodies(cases, options, &mut outcome)?;
    }
    for options in [&[][..], &["--place", "aside"]] {
        load::try_all(cases, options, &mut outcome)?;
    }
    Ok(outcome)
}

/// Web pages, other hosts, other paths and other methods reach no server: they
/// get a status of 400 or above or a closed connection, and no CORS header.
///
/// The attackers are a web page in the user's browser, a name rebound to a
/// loopback address, and a client that wants another target than the configured
/// upstream. This is promise 8 in `docs/security.md`.
fn visitors(cases: Cases<'_>, outcome: &mut Outcome) -> Result<()> {
    let servers = Servers::start(cases, &[])?;
    for address in [servers.proxy.address, servers.serve.address] {
        let before = servers.served()?;
        for request in cases.requests("visitors", address, &[])? {
            let name = format!("{} to port {}", request.name, address.port());
            let response = request.send()?;
            let found = status(&response);
            outcome.check((found != 0 && found < 400).then(|| format!("{name}: status {found}")));
            let text = String::from_utf8_lossy(&response).to_ascii_lowercase();
            let opens = text.contains("access-control-");
            outcome.check(opens.then(|| format!("{name}: a page may read the response")));
        }
        let reached = servers.served()? - before;
        let at_proxy = address == servers.proxy.address;
        outcome.check((at_proxy && reached > 0).then(|| format!("{reached} reached the upstream")));
        outcome.check(servers.fault()?);
    }
    servers.stop()?;
    let starts = cases.class.named("starts")?;
    outcome.add(player::play(cases.aside, cases.class, starts, cases.extent)?);
    Ok(())
}

/// No path, model or error from a client or an upstream steers the terminal on
/// which a log is read.
///
/// The upstream answers once with an error and once with a stream that ends
/// with one, and the proxy is started with all options that print more. No log
/// may have control characters, and neither a log nor a record a line that
/// begins with `forged:`.
fn escapes(cases: Cases<'_>, outcome: &mut Outcome) -> Result<()> {
    let nowhere = ([127, 0, 0, 1], 9).into();
    for mut response in cases.requests("upstream", nowhere, &[])? {
        let escape = response.name.clone();
        let place = Place::new(cases.aside)?;
        let url = format!("messages=http://{}", upstream(response.bytes()?)?);
        let options = ["--deny", "miss", "--place", "aside", "--upstream", &url];
        let proxy = Running::start(&place, "proxy", &options)?;
        let variables = [("escape", &*escape)];
        cases.send("client of the upstream", proxy.address, &variables)?;
        steers("the log of proxy", &escape, &proxy.stop()?.log, outcome);
    }
    for escape in cases.class.list(&"${escapes}".into(), cases.extent)? {
        let escape = escape.as_str().unwrap_or_default();
        let servers = Servers::start(cases, &[])?;
        cases.send("escapes", servers.proxy.address, &[("escape", escape)])?;
        for (name, bytes) in &servers.stop()?.1 {
            steers(name, escape, bytes, outcome);
        }
    }
    Ok(())
}

/// Judges one log or record. Control characters count for logs only, because a
/// record is JSON with the request's bytes.
fn steers(name: &str, escape: &str, bytes: &[u8], outcome: &mut Outcome) {
    let text = String::from_utf8_lossy(bytes);
    let is_forged = text.lines().any(|line| line.starts_with("forged:"));
    let controls = terminal_controls(bytes);
    let is_bad = is_forged || (name.starts_with("the log") && !controls.is_empty());
    outcome.check(is_bad.then(|| format!("{escape:?} in {name}: {controls:?}")));
}

/// No body ends a server, fills its memory or forges a line in a record.
///
/// The attacker is a client of `aside proxy`, or text that a client forwards. A
/// server that ends takes all clients' sessions with it, and a forged line
/// would be a request that never was. After each body, the server has to answer
/// an ordinary request. At the end, every line in a record is JSON, and none
/// begins with the text that a body tried to add as a line.
fn bodies(cases: Cases<'_>, options: &[&str], outcome: &mut Outcome) -> Result<()> {
    let servers = Servers::start(cases, options)?;
    for request in cases.requests("bodies", servers.proxy.address, &[])? {
        let name = request.name.clone();
        request.send()?;
        let fault = servers.fault()?;
        outcome.check(fault.map(|it| format!("{options:?}, {name}: {it}")));
    }
    let (_, written, peak) = servers.stop()?;
    outcome.note(format!("{options:?}: at most {} MiB in use", peak >> 10));
    outcome.check((peak > MAX_PEAK_KIB).then(|| format!("{peak} KiB in use")));
    let is_broken = |line: &str| serde_json::from_str::<IgnoredAny>(line).is_err();
    let is_forged = |line: &str| line.starts_with("{\"forged\"");
    let records = written.iter().filter(|it| it.0.starts_with("the record"));
    for (name, bytes) in records {
        let text = String::from_utf8_lossy(bytes);
        let broken = text.lines().filter(|line| is_broken(line)).count();
        outcome.check((broken > 0).then(|| format!("{broken} broken lines in {name}")));
        let forged = text.lines().filter(|line| is_forged(line)).count();
        outcome.check((forged > 0).then(|| format!("{forged} forged lines in {name}")));
    }
    Ok(())
}
