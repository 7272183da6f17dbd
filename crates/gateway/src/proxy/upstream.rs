//! The wires and the targets of their requests.
//!
//! The path of a request decides its wire; the headers do only for
//! `/v1/models`, which two vendors have. A path with `.` or `..` segments is
//! unknown, so that no request leaves the base path of an upstream.
//!
//! ```text
//! /v1/messages                    messages     https://api.anthropic.com/v1/messages
//! /v1/responses                   responses    https://api.openai.com/v1/responses
//! /v1/chat/completions            chat         https://api.openai.com/v1/chat/completions
//! /v1beta/models/…:generate…      gemini       https://generativelanguage.googleapis.com/v1beta/…
//! ```

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

pub use aside_models::Wire;
use axum::http::HeaderMap;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

use crate::redact;

/// Only connecting is limited: a response may take as long as it needs.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

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
    /// The base URL of each wire; a wire is there at most once.
    urls: Vec<(Wire, Url)>,
}

/// An upstream that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("upstream: {detail}")]
pub struct UpstreamError {
    kind: UpstreamErrorKind,
    detail: String,
}

/// The kinds of [`UpstreamError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpstreamErrorKind {
    /// It is no `WIRE=URL` with a known wire and an HTTP URL.
    Unreadable,
    /// It is plain HTTP to another machine: keys would travel in the clear.
    PlainHttp,
}

/// A wire as the command line and the environment know it.
struct WireRow {
    wire: Wire,
    /// The name in `WIRE=URL`.
    name: &'static str,
    /// The base URL of the vendor's own API.
    vendor: &'static str,
    /// The variables with the base URL, the first one decides.
    variables: &'static [&'static str],
    /// The part of the request's path that the base URL already has.
    base_path: &'static str,
    /// The first segments of the paths of the wire.
    paths: &'static [&'static str],
}

const WIRES: &[WireRow] = &[
    WireRow {
        wire: Wire::Messages,
        name: "messages",
        vendor: "https://api.anthropic.com",
        variables: &["ANTHROPIC_BASE_URL"],
        base_path: "",
        paths: &["/v1/messages", "/v1/models", "/v1/files"],
    },
    WireRow {
        wire: Wire::Responses,
        name: "responses",
        vendor: "https://api.openai.com/v1",
        variables: &["OPENAI_BASE_URL"],
        base_path: "/v1",
        paths: &["/v1/responses", "/v1/conversations"],
    },
    WireRow {
        wire: Wire::ChatCompletions,
        name: "chat",
        vendor: "https://api.openai.com/v1",
        variables: &["OPENAI_BASE_URL"],
        base_path: "/v1",
        paths: &["/v1/chat/completions"],
    },
    WireRow {
        wire: Wire::GenerateContent,
        name: "gemini",
        vendor: "https://generativelanguage.googleapis.com",
        variables: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
        base_path: "",
        paths: &["/v1beta/", "/v1alpha/"],
    },
];

impl Upstreams {
    /// Returns the upstreams of all wires: the base URL variable of an
    /// environment, else the vendor.
    ///
    /// # Errors
    /// Returns an error if a variable has a URL that cannot be used.
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

    /// Returns these upstreams: `WIRE=URL` with a wire of `messages`,
    /// `responses`, `chat`, `gemini`.
    ///
    /// # Errors
    /// Returns an error if one cannot be read, or is plain HTTP to another
    /// machine.
    pub fn from_arguments<'a>(
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, UpstreamError> {
        let mut upstreams = Self::default();
        for argument in arguments {
            let named = argument.split_once('=').and_then(|(name, url)| {
                let row = WIRES.iter().find(|row| row.name == name)?;
                Some((row.wire, url))
            });
            let Some((wire, url)) = named else {
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
            upstreams.add(wire, url)?;
        }
        Ok(upstreams)
    }

    /// Sets the upstream of a wire. Plain HTTP is accepted for loopback only.
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
        self.urls.retain(|(other, _)| *other != wire);
        self.urls.push((wire, parsed));
        Ok(())
    }

    /// Returns the wire of a request and its target. Returns `None` if the path
    /// is not known, or its wire has no upstream.
    pub(crate) fn route(&self, path_and_query: &str, headers: &HeaderMap) -> Option<(Wire, Url)> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        if path.contains("//") || path.contains('\\') || path.split('/').any(is_dots) {
            return None;
        }
        let fits = |row: &&WireRow| {
            let begins = |it: &&str| {
                let rest = path.strip_prefix(*it);
                rest.is_some_and(|rest| {
                    it.ends_with('/') || rest.is_empty() || rest.starts_with(['/', ':'])
                })
            };
            row.paths.iter().any(begins)
        };
        let is_openai =
            path.starts_with("/v1/models") && !headers.contains_key("anthropic-version");
        let row = match is_openai && self.of(Wire::Responses).is_some() {
            true => WIRES.iter().find(|row| row.wire == Wire::Responses)?,
            false => WIRES.iter().find(fits)?,
        };
        let base = self.of(row.wire)?;
        let rest = path_and_query.strip_prefix(row.base_path)?;
        let base = base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{rest}"))
            .ok()
            .map(|url| (row.wire, url))
    }

    /// Returns the base URL of a wire.
    fn of(&self, wire: Wire) -> Option<&Url> {
        let mut urls = self.urls.iter();
        urls.find(|(it, _)| *it == wire).map(|(_, url)| url)
    }

    /// Returns the variables for the command.
    pub(crate) fn variables(&self, address: SocketAddr) -> Vec<(&'static str, String)> {
        let mut variables = Vec::new();
        for row in WIRES.iter().filter(|row| self.of(row.wire).is_some()) {
            for name in row.variables {
                let value = format!("http://{address}{}", row.base_path);
                if !variables.iter().any(|(other, _)| other == name) {
                    variables.push((*name, value));
                }
            }
        }
        variables
    }
}

/// Prints the URLs without their userinfo and query, which can hold a key.
impl fmt::Debug for Upstreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls = self.urls.iter();
        f.debug_map()
            .entries(urls.map(|(wire, url)| (wire, redact::url(url.as_str()))))
            .finish()
    }
}

/// The HTTP clients: no redirect, no retry, no decompression.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    /// Uses the proxy of the environment.
    remote: Client,
    /// Connects to this machine itself: a proxy would get the keys in plain
    /// HTTP.
    local: Client,
}

impl Clients {
    pub(crate) fn new(upstreams: &Upstreams) -> Result<Self, String> {
        let build = |builder: ClientBuilder| builder.build().map_err(|error| error.to_string());
        let urls = upstreams.urls.iter().map(|(_, url)| url);
        let (local, remote): (Vec<_>, Vec<_>) = urls.partition(|url| is_loopback(url));
        // To read the certificates of the machine takes longer than all else that binding does.
        let local = match local.iter().any(|url| url.scheme() == "https") {
            true => build(builder().no_proxy())?,
            false => build(builder().no_proxy().tls_certs_only([]))?,
        };
        Ok(Self {
            remote: match remote.is_empty() {
                true => local.clone(),
                false => build(builder())?,
            },
            local,
        })
    }

    /// Returns the client for a URL.
    pub(crate) fn of(&self, url: &Url) -> &Client {
        match is_loopback(url) {
            true => &self.local,
            false => &self.remote,
        }
    }
}

/// Returns the settings that both clients share.
fn builder() -> ClientBuilder {
    // A provider of cryptography that was already installed is kept.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
}

/// Returns true for a segment of a path that a URL normalizes: `.` or `..`,
/// encoded or not.
fn is_dots(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    plain == "." || plain == ".."
}

/// Returns true for `localhost` and loopback addresses. Names are not resolved.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

impl UpstreamError {
    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> UpstreamErrorKind {
        self.kind
    }
}
