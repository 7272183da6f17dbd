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
use serde::de::IgnoredAny;

use super::super::Extent;
use super::super::case::Class;
use super::super::command::{Aside, Place};
use super::super::outcome::Outcome;
use super::requests::{exchange, requests};
use super::servers::{Running, Servers};

/// Sends keys in headers, queries and bodies, and judges the records and logs.
pub(super) fn secrets(
    aside: &Aside,
    class: &Class,
    options: &[&str],
    outcome: &mut Outcome,
) -> Result<()> {
    let (secret, canary) = canaries(class);
    let has_texts = options.is_empty();
    let servers = Servers::start(aside, class, options)?;
    let address = servers.proxy.address;
    let mut planted = 0;
    requests(class, "secrets", Extent::Long, address, &[], |_, sent| {
        planted += 1;
        exchange(address, sent).map(drop)
    })?;
    let (place, written, _) = servers.stop()?;
    outcome.tried(planted);
    let mut lines = 0;
    for (name, bytes) in &written {
        let text = String::from_utf8_lossy(bytes);
        if text.contains(secret) {
            let line = text
                .lines()
                .find(|line| line.contains(secret))
                .unwrap_or_default();
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
        let mut records = written
            .iter()
            .filter(|(name, _)| !name.starts_with("the log"));
        let has = records.any(|(_, it)| String::from_utf8_lossy(it).contains(canary));
        outcome.check((!has).then(|| "no record has the text: the trap is broken".to_owned()));
    }
    modes(&place, outcome)?;
    Ok(())
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
pub(super) fn unreachable_upstream(
    aside: &Aside,
    class: &Class,
    outcome: &mut Outcome,
) -> Result<()> {
    let (secret, _) = canaries(class);
    let place = aside.place()?;
    let nowhere = ["--upstream", "gemini=http://127.0.0.1:9"];
    let proxy = Running::start(&place, "proxy", &nowhere)?;
    let mut response = Vec::new();
    requests(
        class,
        "without an upstream",
        Extent::Long,
        proxy.address,
        &[],
        |_, sent| {
            response = exchange(proxy.address, sent)?;
            Ok(())
        },
    )?;
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
