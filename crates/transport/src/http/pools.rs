//! Connection pools: one for other machines, which may use a proxy, and two for
//! this machine, which never do.
//!
//! A pool is set up when the first endpoint needs it. To read the machine's
//! certificates takes longer than everything else in a short command, and plain
//! HTTP needs none.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;

use super::endpoint::Endpoint;
use super::error::causes;
use super::limits::Proxies;

type Pool = OnceLock<Result<Client, NoClient>>;

#[derive(Debug)]
pub(crate) struct Pools {
    connect: Duration,
    proxies: Proxies,
    /// For servers on other machines.
    remote: Pool,
    /// For servers on this machine: a proxy cannot reach them, and would get
    /// the key.
    local: Pool,
    /// For plain HTTP on this machine.
    plain: Pool,
}

/// Why [`Http::prepare`](crate::Http::prepare) failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("HTTP cannot be set up: {what}")]
pub struct NoClient {
    /// With its causes.
    what: String,
}

impl Pools {
    pub(crate) fn new(connect: Duration, proxies: Proxies) -> Self {
        let [remote, local, plain] = [const { Pool::new() }; 3];
        Self { connect, proxies, remote, local, plain }
    }

    pub(crate) fn of(&self, endpoint: &Endpoint) -> Result<&Client, NoClient> {
        let is_plain = endpoint.is_plain();
        let client = match endpoint.is_loopback() {
            false => self.remote.get_or_init(|| {
                let has_proxy = self.proxies == Proxies::Environment;
                self.client(has_proxy, true)
            }),
            true if is_plain => self.plain.get_or_init(|| self.client(false, false)),
            true => self.local.get_or_init(|| self.client(false, true)),
        };
        client.as_ref().map_err(Clone::clone)
    }

    fn client(&self, has_proxy: bool, has_certificates: bool) -> Result<Client, NoClient> {
        // A cryptography provider that the process installed earlier is kept.
        #[cfg(feature = "tls")]
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(self.connect)
            .redirect(Policy::none())
            .user_agent(concat!("aside/", env!("CARGO_PKG_VERSION")));
        if !has_proxy {
            builder = builder.no_proxy();
        }
        let builder = match has_certificates {
            #[cfg(feature = "tls")]
            false => builder.tls_certs_only([]),
            _ => builder,
        };
        builder.build().map_err(|error| NoClient { what: causes(&error) })
    }
}
