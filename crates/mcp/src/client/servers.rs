use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aside_agent::{ReadFuture, ServerOffer, ServerUpdate, ToolServers};
use aside_diagnostic::Diagnostic;
use futures_util::future::join_all;

use super::options::ConnectOptions;
use super::server::Server;
use crate::config::ServerConfig;

/// The servers that a session is connected to.
///
/// Dropping it kills their programs; [`Servers::close`] gives them time to
/// exit.
#[derive(Debug)]
pub struct Servers {
    /// Sorted by name.
    servers: Vec<Server>,
    last: Mutex<Offered>,
}

/// What the servers offer, and the tools that are left out for another's name.
#[derive(Clone, Debug, Default)]
struct Offered {
    offer: ServerOffer,
    left_out: Vec<Diagnostic>,
}

impl Servers {
    /// Starts or reaches all servers at once, and lists what they offer. A server that fails or
    /// exceeds the limit is left out with a diagnostic. Needs a tokio runtime, which owns the
    /// connections.
    ///
    /// Names are those in the configuration: tools are called
    /// `mcp__NAME__TOOL`, and `@NAME:URI` mentions a resource.
    pub async fn connect(
        configs: impl IntoIterator<Item = (String, ServerConfig)>,
        options: &ConnectOptions,
    ) -> (Self, Vec<Diagnostic>) {
        let mut configs: Vec<(String, ServerConfig)> = configs.into_iter().collect();
        configs.sort_by(|(a, _), (b, _)| a.cmp(b));
        let connecting =
            configs.iter().map(|(name, config)| Server::connect(name, config, options));
        let (mut servers, mut diagnostics) = (Vec::new(), Vec::new());
        for (server, faults) in join_all(connecting).await {
            servers.extend(server);
            diagnostics.extend(faults);
        }
        let last = Offered::by(&servers);
        diagnostics.extend(last.left_out.iter().cloned());
        (Self { servers, last: Mutex::new(last) }, diagnostics)
    }

    /// Ends all connections. A server over HTTP has two seconds to end the session. A program has
    /// two seconds to exit after its stdin is closed, then it is killed.
    pub async fn close(&self) {
        join_all(self.servers.iter().map(Server::close)).await;
    }

    fn last(&self) -> MutexGuard<'_, Offered> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn updated(&self) -> ServerUpdate {
        let mut diagnostics = Vec::new();
        let mut is_changed = false;
        for (changed, faults) in join_all(self.servers.iter().map(Server::update)).await {
            is_changed |= changed;
            diagnostics.extend(faults);
        }
        let offer = is_changed.then(|| {
            let now = Offered::by(&self.servers);
            let before = std::mem::replace(&mut *self.last(), now.clone());
            let is_new = |it: &Diagnostic| !before.left_out.contains(it);
            diagnostics.extend(now.left_out.into_iter().filter(is_new));
            now.offer
        });
        ServerUpdate { offer, diagnostics }
    }
}

impl Offered {
    fn by(servers: &[Server]) -> Self {
        let mut offered = Self::default();
        for server in servers {
            server.add_to(&mut offered.offer, &mut offered.left_out);
        }
        offered
    }
}

impl ToolServers for Servers {
    fn offer(&self) -> ServerOffer {
        self.last().offer.clone()
    }

    fn update(&self) -> Pin<Box<dyn Future<Output = ServerUpdate> + Send + '_>> {
        Box::pin(self.updated())
    }

    fn read<'a>(&'a self, server: &'a str, uri: &'a str) -> ReadFuture<'a> {
        Box::pin(async move {
            match self.servers.iter().find(|known| known.name() == server) {
                Some(server) => server.read(uri).await,
                None => Ok(None),
            }
        })
    }
}
