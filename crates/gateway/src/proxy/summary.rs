//! A proxy's report: a line for each request, and a summary at the end.

use std::fmt;
use std::path::PathBuf;

use aside_cache_model::{CostFinding, Miss};
use aside_models::percent;
use serde::Serialize;

use crate::serve::Totals;

/// A request that was forwarded or refused.
///
/// Displayed, this is the line that `aside proxy` prints, without a line end.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub enum Event {
    /// A request that the proxy refused.
    #[serde(rename = "refused")]
    Refused(Refusal),
    /// A request that was forwarded, when its response has ended.
    #[serde(untagged)]
    Request(Box<Line>),
}

/// A request that the proxy refused.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Refusal {
    /// Method and path, without a key.
    pub request: String,
    /// The HTTP status that the proxy responded with.
    pub status: u16,
    /// The reason.
    pub message: String,
}

/// One request, when its response has ended.
///
/// Token counts are the provider's, `None` if the response had none.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Line {
    /// The request's number, from 1.
    pub number: u64,
    /// The session, which is the name of its record's file.
    pub session: String,
    /// The request's path, without a key.
    pub path: String,
    /// The HTTP status; `None` if no response began.
    pub status: Option<u16>,
    /// Whether the response is complete.
    pub is_complete: bool,
    /// Whether a model answered without a usage.
    pub is_without_usage: bool,
    /// Input read from the cache, as the provider reports it.
    pub read: Option<u64>,
    /// Input written to the cache.
    pub written: Option<u64>,
    /// Input that was neither.
    pub plain: Option<u64>,
    /// US dollars, by the catalogue's prices.
    pub cost: Option<f64>,
    /// Why less was read from the cache than the request before had left.
    pub miss: Option<Miss>,
    /// Further notes for the user.
    pub notes: Vec<String>,
}

/// All requests to a proxy.
///
/// Displayed, this is how `aside proxy` ends its output, in several lines.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// How many requests were forwarded, not counting those without a wire.
    pub requests: u64,
    /// How many requests the proxy refused.
    pub refused: u64,
    /// How many requests without a wire were forwarded.
    pub unrecorded: u64,
    /// How many sessions there were.
    pub sessions: u64,
    /// How many responses had a status of 400 or more, or reported an error.
    pub failed: u64,
    /// How many requests had no response, or one that broke off.
    pub aborted: u64,
    /// How many requests missed the cache, by the cache model.
    pub misses: u64,
    /// How many findings were denied.
    pub denied: u64,
    /// How many requests were answered without a usage: their tokens and cost are in no sum.
    pub without_usage: u64,
    /// The denied waste in the cache, most expensive first.
    pub findings: Vec<CostFinding>,
    /// The tokens that providers report, and what they cost.
    pub totals: Totals,
    /// What the messages are predicted to cost in US dollars, with the agent's
    /// markers and with those that were sent; `None` if no markers were replaced.
    pub predicted: Option<Predicted>,
    /// Where the records are.
    pub directory: Option<PathBuf>,
    /// Errors while writing records.
    pub faults: Vec<String>,
}

/// What input messages cost by the cache's rules, in US dollars.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Predicted {
    /// With the agent's markers.
    pub as_sent: f64,
    /// With the forwarded markers.
    pub as_forwarded: f64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, session, path, .. } = self;
        write!(f, "{number} {session} {path}")?;
        match self.status {
            Some(status) => write!(f, " {status}")?,
            None => write!(f, " no response")?,
        }
        if let (Some(read), Some(written), Some(plain)) = (self.read, self.written, self.plain) {
            write!(f, " {}", Tokens { read, written, plain })?;
        }
        if self.is_without_usage {
            write!(f, " no usage")?;
        }
        if let Some(cost) = self.cost {
            write!(f, " ${cost:.4}")?;
        }
        if !self.is_complete {
            write!(f, " (broke off)")?;
        }
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(line) => line.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, status, message } = self;
        write!(f, "refused {request} {status}: {message}")
    }
}

/// Input tokens, with the share that was read from the cache.
struct Tokens {
    read: u64,
    written: u64,
    plain: u64,
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read, written, plain } = *self;
        write!(f, "read {read} written {written} plain {plain}")?;
        let input = read.saturating_add(written).saturating_add(plain);
        if input > 0 {
            write!(f, " ({} cached)", percent(read as f64 / input as f64))?;
        }
        Ok(())
    }
}

fn counted(number: u64, one: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} in {}, {} failed, {} broke off, {} missed the cache",
            counted(self.requests, "request"),
            counted(self.sessions, "session"),
            self.failed,
            self.aborted,
            self.misses,
        )?;
        if self.refused > 0 {
            write!(f, ", {} refused by the proxy", self.refused)?;
        }
        let totals = &self.totals;
        let tokens = Tokens {
            read: totals.cache_read_input_tokens,
            written: totals.cache_creation_input_tokens,
            plain: totals.input_tokens,
        };
        // A price of nothing is no figure: no response reported its usage.
        if totals.cost > 0.0 {
            write!(f, "; {tokens} {}", totals.price())?;
        } else if totals.unpriced > 0 {
            write!(f, "; {tokens}, price unknown")?;
        }
        if self.without_usage > 0 {
            let requests = counted(self.without_usage, "request");
            write!(f, "; {requests} without usage: tokens and price unknown")?;
        }
        if let Some(Predicted { as_sent, as_forwarded }) = self.predicted
            && (as_sent - as_forwarded).abs() > f64::EPSILON
        {
            let saved = (as_sent - as_forwarded) * 1_000.0 / self.requests.max(1) as f64;
            write!(
                f,
                "; predicted input ${as_forwarded:.4}, with the agent's own markers \
                 ${as_sent:.4}: ${saved:.2} saved per 1,000 requests"
            )?;
        }
        if let Some(directory) = &self.directory {
            write!(f, "; recorded in {}", directory.display())?;
        }
        Ok(())
    }
}
