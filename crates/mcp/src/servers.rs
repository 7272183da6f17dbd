use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aside_agent::{ReadFuture, ServerOffer, ServerUpdate, ToolServers};
use aside_diagnostic::Diagnostic;
use futures_util::future::join_all;

use crate::config::ServerConfig;
use crate::connection::ConnectOptions;
use crate::server::Server;

/// The servers that a session is connected to.
///
/// Dropping it kills their programs; [`Servers::close`] gives them time to
/// exit.
#[derive(Debug)]
pub struct Servers {
    /// Sorted by name.
    servers: Vec<Server>,
    offer: Mutex<ServerOffer>,
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
        let offer = Mutex::new(offer_of(&servers));
        (Self { servers, offer }, diagnostics)
    }

    /// Ends all connections. A program has two seconds to exit after its stdin
    /// is closed, then it is killed.
    pub async fn close(&self) {
        join_all(self.servers.iter().map(Server::close)).await;
    }

    fn last_offer(&self) -> MutexGuard<'_, ServerOffer> {
        self.offer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn updated(&self) -> ServerUpdate {
        let mut diagnostics = Vec::new();
        let mut is_changed = false;
        for (changed, faults) in join_all(self.servers.iter().map(Server::update)).await {
            is_changed |= changed;
            diagnostics.extend(faults);
        }
        let offer = is_changed.then(|| {
            let offer = offer_of(&self.servers);
            *self.last_offer() = offer.clone();
            offer
        });
        ServerUpdate { offer, diagnostics }
    }
}

fn offer_of(servers: &[Server]) -> ServerOffer {
    let mut offer = ServerOffer::default();
    for server in servers {
        server.add_to(&mut offer);
    }
    offer
}

impl ToolServers for Servers {
    fn offer(&self) -> ServerOffer {
        self.last_offer().clone()
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
