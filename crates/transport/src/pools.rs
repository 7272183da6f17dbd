//! The pools of connections: one for other machines, which may use a proxy, and
//! two for this machine, which never do.
//!
//! A pool is set up when the first endpoint needs it. To read the certificates
//! of the machine takes longer than all else that a short command does, and
//! plain HTTP needs none.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

use crate::causes::causes;
use crate::endpoint::Endpoint;
use crate::limits::Proxies;

type Pool = OnceLock<Result<Client, NoClient>>;

#[derive(Debug)]
pub(crate) struct Pools {
    /// The time to connect.
    connect: Duration,
    proxies: Proxies,
    /// Servers on other machines.
    remote: Pool,
    /// Servers on this machine: a proxy cannot reach them, and would get the
    /// key.
    local: Pool,
    /// Those on this machine with plain HTTP.
    plain: Pool,
}

/// The error of [`Http::prepare`](crate::Http::prepare).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoClient {
    /// The text of the error with its causes.
    what: String,
}

impl fmt::Display for NoClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HTTP cannot be set up: {}", self.what)
    }
}

impl std::error::Error for NoClient {}

impl Pools {
    pub(crate) fn new(connect: Duration, proxies: Proxies) -> Self {
        Self {
            connect,
            proxies,
            remote: Pool::new(),
            local: Pool::new(),
            plain: Pool::new(),
        }
    }

    /// Returns the client for an endpoint.
    pub(crate) fn of(&self, endpoint: &Endpoint) -> Result<&Client, NoClient> {
        let client = match (endpoint.is_loopback(), endpoint.is_plain()) {
            (false, _) => self.remote.get_or_init(|| match self.proxies {
                Proxies::Environment => build(self.builder()),
                Proxies::None => build(self.builder().no_proxy()),
            }),
            (true, false) => self.local.get_or_init(|| build(self.builder().no_proxy())),
            (true, true) => self.plain.get_or_init(|| {
                let builder = self.builder().no_proxy();
                #[cfg(feature = "tls")]
                let builder = builder.tls_certs_only([]);
                build(builder)
            }),
        };
        client.as_ref().map_err(Clone::clone)
    }

    /// Returns the settings that all clients share.
    fn builder(&self) -> ClientBuilder {
        // A provider of cryptography that the process installed before is kept.
        #[cfg(feature = "tls")]
        let _ = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .connect_timeout(self.connect)
            .redirect(Policy::none())
            .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")))
    }
}

fn build(builder: ClientBuilder) -> Result<Client, NoClient> {
    builder.build().map_err(|error| NoClient {
        what: causes(&error),
    })
}
