use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use aside_session::{Diagnostic, McpServer, McpServerResource};

use crate::tool::Tool;

/// Connected MCP servers: the model can call their tools, and their lists may
/// change during a run. See [`Loop::with_servers`](crate::Loop::with_servers).
pub trait ToolServers: fmt::Debug + Send + Sync {
    /// Returns what the servers offer, as they listed it last.
    fn offer(&self) -> ServerOffer;

    /// Lists again what a server reported as changed. The loop calls this
    /// before every request; the future is ready at once if nothing changed.
    fn update(&self) -> Pin<Box<dyn Future<Output = ServerUpdate> + Send + '_>>;

    /// Reads a resource that the user mentions as `@server:uri`. Returns `None`
    /// if there is no such server or resource: the mention stays text.
    fn read<'a>(&'a self, server: &'a str, uri: &'a str) -> ReadFuture<'a>;
}

/// Resolves to a resource.
pub type ReadFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<McpServerResource>, Diagnostic>> + Send + 'a>>;

/// What servers offer.
#[derive(Clone, Debug, Default)]
pub struct ServerOffer {
    /// The servers for the session's state, in a fixed order.
    pub servers: Vec<McpServer>,
    /// Their tools, under the names in `servers`.
    pub tools: Vec<Arc<dyn Tool>>,
}

/// What changed since the last update.
#[derive(Clone, Debug, Default)]
pub struct ServerUpdate {
    /// What the servers offer now; `None` if nothing changed.
    pub offer: Option<ServerOffer>,
    /// Faults since the last update, each reported once.
    pub diagnostics: Vec<Diagnostic>,
}
