//! The upstreams: one base URL for each wire, from the environment or from arguments.

use std::fmt;
use std::net::SocketAddr;

pub use aside_models::Wire;
use reqwest::Url;

use crate::redact;

/// One fixed upstream for each wire.
///
/// ```
/// use aside_gateway::proxy::{UpstreamErrorKind, Upstreams};
///
/// assert!(Upstreams::from_arguments(["messages=https://api.anthropic.com"]).is_ok());
/// let error = Upstreams::from_arguments(["messages=http://api.anthropic.com"]).unwrap_err();
/// assert_eq!(error.kind(), UpstreamErrorKind::PlainHttp);
/// let error = Upstreams::from_arguments(["https://api.anthropic.com"]).unwrap_err();
/// assert_eq!(error.kind(), UpstreamErrorKind::Unreadable);
/// ```
#[derive(Clone, Default)]
pub struct Upstreams {
    /// Each wire's base URL; a wire is there at most once.
    pub(super) urls: Vec<(Wire, Url)>,
}

/// An upstream that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("upstream: {detail}")]
pub struct UpstreamError {
    kind: UpstreamErrorKind,
    detail: String,
}

/// What kind of [`UpstreamError`] this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpstreamErrorKind {
    /// It is no `WIRE=URL` with a known wire and an HTTP URL.
    Unreadable,
    /// It is plain HTTP to another machine: keys would travel in the clear.
    PlainHttp,
    /// Its wire has another one.
    Doubled,
}

/// A wire as the command line and the environment know it.
pub(super) struct WireRow {
    pub(super) wire: Wire,
    /// The name in `WIRE=URL`.
    name: &'static str,
    /// The base URL of the vendor's own API.
    vendor: &'static str,
    /// The variables with the base URL; the first one decides.
    pub(super) variables: &'static [&'static str],
    /// The version that begins the wire's paths if the base URL has no path: some clients, such as
    /// opencode, expect it in the variable.
    pub(super) version: Option<&'static str>,
}

pub(super) const WIRES: &[WireRow] = &[
    WireRow {
        wire: Wire::Messages,
        name: "messages",
        vendor: "https://api.anthropic.com",
        variables: &["ANTHROPIC_BASE_URL"],
        version: Some("/v1"),
    },
    WireRow {
        wire: Wire::Responses,
        name: "responses",
        vendor: "https://api.openai.com/v1",
        variables: &["OPENAI_BASE_URL"],
        version: None,
    },
    WireRow {
        wire: Wire::ChatCompletions,
        name: "chat",
        vendor: "https://api.openai.com/v1",
        variables: &["OPENAI_BASE_URL"],
        version: None,
    },
    WireRow {
        wire: Wire::GenerateContent,
        name: "gemini",
        vendor: "https://generativelanguage.googleapis.com",
        variables: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
        version: Some("/v1beta"),
    },
];

impl Upstreams {
    /// Returns upstreams for all wires: the environment's base URL variable, else the vendor.
    ///
    /// # Errors
    /// A variable has a URL that cannot be used.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, UpstreamError> {
        let mut upstreams = Self::default();
        for row in WIRES {
            let mut set = row.variables.iter().filter_map(|name| variable(name));
            let url = set.find(|url| !url.is_empty());
            upstreams.add(row.wire, url.as_deref().unwrap_or(row.vendor))?;
        }
        Ok(upstreams)
    }

    /// Returns these upstreams: `WIRE=URL` with one of the wires `messages`, `responses`, `chat`,
    /// `gemini`.
    ///
    /// # Errors
    /// One cannot be read, is plain HTTP to another machine, or is the second one for its wire.
    pub fn from_arguments<'a>(
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, UpstreamError> {
        let mut upstreams = Self::default();
        for argument in arguments {
            let named = argument.split_once('=').and_then(|(name, url)| {
                let row = WIRES.iter().find(|row| row.name == name)?;
                Some((row, url))
            });
            let Some((row, url)) = named else {
                let names: Vec<_> = WIRES.iter().map(|row| row.name).collect();
                let names = names.join(", ");
                return Err(UpstreamError {
                    kind: UpstreamErrorKind::Unreadable,
                    detail: format!(
                        "expected WIRE=URL with a wire of {names}, found {:?}",
                        redact::url(argument)
                    ),
                });
            };
            if upstreams.of(row.wire).is_some() {
                return Err(UpstreamError {
                    kind: UpstreamErrorKind::Doubled,
                    detail: format!("expected one for each wire, found two for {}", row.name),
                });
            }
            upstreams.add(row.wire, url)?;
        }
        Ok(upstreams)
    }

    /// Adds the upstream of a wire that has none. Plain HTTP is accepted only for loopback.
    fn add(&mut self, wire: Wire, url: &str) -> Result<(), UpstreamError> {
        let fail = |kind, detail: String| UpstreamError { kind, detail };
        let parsed = Url::parse(url).ok().filter(Url::has_host);
        let Some(parsed) = parsed.filter(|url| matches!(url.scheme(), "http" | "https")) else {
            let detail = format!("{wire:?}: not an HTTP URL");
            return Err(fail(UpstreamErrorKind::Unreadable, detail));
        };
        if parsed.scheme() == "http" && !is_loopback(&parsed) {
            let host = parsed.host_str().unwrap_or_default();
            let detail = format!("plain HTTP to {host}: only loopback may be reached without TLS");
            return Err(fail(UpstreamErrorKind::PlainHttp, detail));
        }
        self.urls.push((wire, parsed));
        Ok(())
    }

    pub(super) fn of(&self, wire: Wire) -> Option<&Url> {
        let mut urls = self.urls.iter();
        urls.find(|(it, _)| *it == wire).map(|(_, url)| url)
    }

    /// Returns the wires that have an upstream, in table order, with their base URLs.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&'static WireRow, &Url)> {
        let rows = WIRES.iter();
        rows.filter_map(|row| Some((row, self.of(row.wire)?)))
    }

    /// Returns the variables for the command. A base URL's path is kept. If two wires have one
    /// variable, the first decides.
    pub(crate) fn variables(&self, address: SocketAddr) -> Vec<(&'static str, String)> {
        let mut variables: Vec<(&'static str, String)> = Vec::new();
        for (row, url) in self.rows() {
            for name in row.variables {
                if !variables.iter().any(|(other, _)| other == name) {
                    let path = url.path().trim_end_matches('/');
                    variables.push((*name, format!("http://{address}{path}")));
                }
            }
        }
        variables
    }
}

/// Prints the URLs without userinfo and query, which can hold a key.
impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls = self.urls.iter();
        f.debug_map().entries(urls.map(|(wire, url)| (wire, redact::url(url.as_str())))).finish()
    }
}

/// Returns true for a server on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    aside_providers::is_loopback(url.host_str().unwrap_or_default())
}

impl UpstreamError {
    /// Returns what kind of error this is.
    #[must_use]
    pub fn kind(&self) -> UpstreamErrorKind {
        self.kind
    }
}
