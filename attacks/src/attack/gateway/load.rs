//! Many long requests at once, each in a session of its own: every one gets its
//! response, and memory does not grow with their number.
//!
//! A proxy runs as long as an agent works, so anything kept per request would
//! end it after hours. The peak after the first requests is compared with the
//! peak after all: 400 and 1,200 requests of 100 kB, or 300 and 500 of 20 kB in
//! the short form.
//!
//! Requests come in rounds, and each round waits for its records. Bodies that
//! wait to be recorded take memory too, but of a kind with a bound of its own
//! (the room for bodies), and how many wait depends on how fast the machine is.

use std::ops::Range;
use std::thread;

use anyhow::{Result, anyhow};

use super::super::outcome::Outcome;
use super::requests::{Cases, status};
use super::servers::Servers;

/// How many requests are sent at a time.
const CLIENTS: usize = 32;

/// How many requests are sent before waiting for their records.
const ROUND: usize = 100;

/// How much memory later requests may add to what earlier ones took.
const MAX_GROWTH_KIB: u64 = 48 << 10;

/// Tries the proxy with these options. On a system without `/proc` the peaks
/// are 0, and so are equal.
pub(super) fn try_all(cases: Cases<'_>, options: &[&str], outcome: &mut Outcome) -> Result<()> {
    let (first, all, bytes) = cases.extent.pick((400, 1_200, 100_000), (300, 500, 20_000));
    let servers = Servers::start(cases, options)?;
    let peaks = |servers: &Servers<'_>| (servers.proxy.peak_kib(), servers.serve.peak_kib());
    send_rounds(cases, &servers, 0..first, bytes, outcome)?;
    let before = peaks(&servers);
    send_rounds(cases, &servers, first..all, bytes, outcome)?;
    let after = peaks(&servers);
    let served = servers.served()?;
    outcome.check((served != all as u64).then(|| format!("{served} of {all} were served")));
    for (name, before, after) in [("proxy", before.0, after.0), ("serve", before.1, after.1)] {
        outcome.note(format!(
            "{options:?}: {name} used {} MiB for {first} requests of {} kB, {} MiB for {all}",
            before >> 10,
            bytes / 1_000,
            after >> 10,
        ));
        let grows = after.saturating_sub(before) > MAX_GROWTH_KIB;
        outcome.check(grows.then(|| format!("{name} grows from {before} to {after} KiB")));
    }
    Ok(())
}

/// Sends the requests with these numbers, round by round.
fn send_rounds(
    cases: Cases<'_>,
    servers: &Servers<'_>,
    numbers: Range<usize>,
    bytes: usize,
    outcome: &mut Outcome,
) -> Result<()> {
    for start in numbers.clone().step_by(ROUND) {
        let end = numbers.end.min(start + ROUND);
        send(cases, servers, start..end, bytes, outcome)?;
        servers.wait_for_records(end)?;
    }
    Ok(())
}

/// Sends the requests with these numbers.
///
/// `CLIENTS` threads take the numbers in turn. The number is part of the text,
/// so that no two requests have the same prefix.
fn send(
    cases: Cases<'_>,
    servers: &Servers<'_>,
    numbers: Range<usize>,
    bytes: usize,
    outcome: &mut Outcome,
) -> Result<()> {
    let address = servers.proxy.address;
    let work = |first: usize| {
        let mut findings = Vec::new();
        for number in numbers.clone().skip(first).step_by(CLIENTS) {
            let word = format!("word{number} ");
            let text = word.repeat(bytes / word.len());
            let response = cases.send("ordinary", address, &[("text", &text)])?.concat();
            let found = status(&response);
            findings.push((found != 200).then(|| format!("request {number}: status {found}")));
        }
        Ok::<_, anyhow::Error>(findings)
    };
    thread::scope(|scope| {
        let work = &work;
        let clients = (0..CLIENTS).map(|first| scope.spawn(move || work(first)));
        let clients: Vec<_> = clients.collect();
        for client in clients {
            let findings = client.join().map_err(|_| anyhow!("a client panicked"))??;
            findings.into_iter().for_each(|it| outcome.check(it));
        }
        Ok(())
    })
}
