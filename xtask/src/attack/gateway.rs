//! Attacks on the two servers by hostile web pages, clients and upstreams. Only
//! this user is served, only the fixed targets are reached, no secret is
//! recorded or logged, no text controls a terminal, and no body ends a server.

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
