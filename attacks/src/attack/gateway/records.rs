//! No key and, with `--redact`, no text is in a record, a log or an error.
//!
//! The attacker reads a record or a log later, for example in a bug report.
//! These are promises 7 and 8 in `docs/security.md`. Each request carries a
//! canary in place of a key, in a header, in the query or in a body field, and
//! another in place of a text. Afterwards no file may have the first; no log
//! may have the second, and with `--redact` no record either. As a control,
//! records without `--redact` have the text, and there are as many records as
//! requests.

use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use serde::de::IgnoredAny;
use walkdir::WalkDir;

use super::super::case::Class;
use super::super::outcome::Outcome;
use super::super::place::Place;
use super::requests::Cases;
use super::servers::{Running, Servers, Written};

/// Sends keys in headers, queries and bodies, and judges the records and logs.
pub(super) fn secrets(cases: Cases<'_>, options: &[&str], outcome: &mut Outcome) -> Result<()> {
    let (secret, canary) = canaries(cases.class);
    let has_texts = options.is_empty();
    let servers = Servers::start(cases, options)?;
    let planted = cases.send("secrets", servers.proxy.address, &[])?.len();
    let (place, written, _) = servers.stop()?;
    outcome.tried(planted);
    let mut lines = 0;
    for (name, bytes) in &written {
        let text = String::from_utf8_lossy(bytes);
        if let Some(line) = text.lines().find(|line| line.contains(secret)) {
            outcome.breaks(format!("{options:?}: a key is in {name}: {line}"));
        }
        let is_log = name.starts_with("the log");
        if (is_log || !has_texts) && text.contains(canary) {
            outcome.breaks(format!("{options:?}: a text is in {name}"));
        }
        if !is_log {
            let read = text.lines().map(serde_json::from_str::<IgnoredAny>);
            lines += read.filter(Result::is_ok).count();
        }
    }
    let missing = (lines != planted).then(|| format!("{lines} records of {planted} requests"));
    outcome.check(missing);
    if has_texts {
        let has = |(name, bytes): &Written| {
            !name.starts_with("the log") && String::from_utf8_lossy(bytes).contains(canary)
        };
        let is_blind = !written.iter().any(has);
        outcome.check(is_blind.then(|| "no record has the text: the trap is broken".to_owned()));
    }
    modes(&place, outcome)
}

/// Checks that only this user may read the records: 700 for the directory, 600
/// for each file.
fn modes(place: &Place, outcome: &mut Outcome) -> Result<()> {
    for entry in WalkDir::new(place.path("records")) {
        let entry = entry?;
        let wanted = if entry.depth() == 0 { 0o700 } else { 0o600 };
        let found = entry.metadata()?.permissions().mode() & 0o777;
        let is_open = found != wanted;
        outcome.check(is_open.then(|| format!("{} has mode {found:o}", entry.path().display())));
    }
    Ok(())
}

/// An error does not quote the key.
///
/// The address has no listener, so the proxy reports a failed connection to a
/// URL that contains the key.
pub(super) fn unreachable_upstream(cases: Cases<'_>, outcome: &mut Outcome) -> Result<()> {
    let (secret, _) = canaries(cases.class);
    let place = Place::new(cases.aside)?;
    let nowhere = ["--upstream", "gemini=http://127.0.0.1:9"];
    let proxy = Running::start(&place, "proxy", &nowhere)?;
    let response = cases.send("without an upstream", proxy.address, &[])?;
    let response = response.concat();
    let log = proxy.stop()?.log;
    for (name, bytes) in [("the response", &response), ("the log", &log)] {
        let leaks = String::from_utf8_lossy(bytes).contains(secret);
        outcome.check(leaks.then(|| format!("without an upstream, a key is in {name}")));
    }
    Ok(())
}

/// Returns the canaries for a key and for a text.
fn canaries(class: &Class) -> (&str, &str) {
    let value = |name| class.values[name].as_str().unwrap_or_default();
    (value("secret"), value("canary"))
}
