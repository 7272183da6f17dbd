//! The proxy's HTTP clients.

use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

use super::upstream::{Upstreams, is_loopback};
use crate::admission::MAX_HEADERS;

/// Only connecting is limited: a response may take as long as it needs.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The HTTP clients: no redirect, no retry, no decompression.
#[derive(Clone, Debug)]
pub(crate) struct Clients {
    /// Uses the environment's proxy.
    remote: Client,
    /// Connects to this machine itself: a proxy would get the keys in plain HTTP.
    local: Client,
}

impl Clients {
    pub(crate) fn new(upstreams: &Upstreams) -> Result<Self, String> {
        let build = |builder: ClientBuilder| builder.build().map_err(|error| error.to_string());
        let urls = upstreams.urls.iter().map(|(_, url)| url);
        let (local, remote): (Vec<_>, Vec<_>) = urls.partition(|url| is_loopback(url));
        // To read the machine's certificates takes longer than all else that binding does.
        let local = if local.iter().any(|url| url.scheme() == "https") {
            build(builder().no_proxy())?
        } else {
            build(builder().no_proxy().tls_certs_only([]))?
        };
        Ok(Self {
            remote: if remote.is_empty() { local.clone() } else { build(builder())? },
            local,
        })
    }

    pub(crate) fn of(&self, url: &Url) -> &Client {
        if is_loopback(url) { &self.local } else { &self.remote }
    }
}

fn builder() -> ClientBuilder {
    // A cryptography provider that was already installed stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http1_max_headers(MAX_HEADERS)
}
