//! Attacks on the two servers by hostile web pages, clients and upstreams. Only
//! this user is served, only the fixed targets are reached, no secret is
//! recorded or logged, no text controls a terminal, and no body ends a server.
//!
//! `aside serve` is the upstream of `aside proxy` in most cases, so that one
//! log and one report show what reached it. Each module below tries one group
//! of cases, and each begins with servers of its own. It needs no network; the
//! memory figures need `/proc`.

mod bodies;
mod escapes;
mod load;
mod secrets;
mod servers;
mod visitors;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Extent;
use super::command::{Aside, Place};
use super::outcome::Outcome;
use servers::{Running, exchange, request, status};

/// The header by which a request is one of the Messages API.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

pub(super) fn run(aside: &Aside, extent: Extent) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    visitors::try_all(aside, &mut outcome)?;
    secrets::try_all(aside, &mut outcome)?;
    escapes::try_all(aside, extent, &mut outcome)?;
    bodies::try_all(aside, extent, &mut outcome)?;
    load::try_all(aside, extent, &mut outcome)?;
    Ok(outcome)
}

/// The two servers, with records.
struct Servers {
    /// The directory `records` of the place is that of `--record`.
    place: Place,
    /// The upstream of every wire.
    serve: Running,
    proxy: Running,
}

impl Servers {
    /// Starts both with additional options for the proxy.
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
    ///
    /// It is read from the report of `aside serve`, which counts refused
    /// requests, too.
    fn served(&self) -> Result<u64> {
        let host = self.serve.address.to_string();
        let asked = request("GET /report", &[("Host", &host)], b"");
        let response = exchange(self.serve.address, &asked)?;
        let text = String::from_utf8_lossy(&response).into_owned();
        let body = text.split_once("\r\n\r\n").context("a response")?.1;
        let report: Value = serde_json::from_str(body)?;
        report["requests"].as_u64().context("a number of requests")
    }

    /// Returns a finding if an ordinary request is no longer served.
    ///
    /// It is sent through the proxy after each hostile case: a server that
    /// ended, hangs or refuses everything gives a finding.
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
    ///
    /// The place is returned as well, so that the records exist until their
    /// modes are checked.
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

/// Returns an ordinary body of the Messages API with one message.
fn body(text: &str) -> Value {
    json!({"model": "claude-opus-5", "max_tokens": 64, "messages": [{"role": "user", "content": text}]})
}

/// Returns the files of a directory, none if it does not exist.
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
