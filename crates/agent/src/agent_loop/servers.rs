//! A loop's MCP servers: their tools, and the resources that a message
//! mentions.

use std::sync::Arc;

use aside_attachments::{Mention, mentions};
use aside_session::{Diagnostic, McpServer, McpServerResource, SessionState};

use super::Loop;
use crate::tool_servers::{ServerOffer, ToolServers};

/// How many resources to read for one message.
const MAX_RESOURCES: usize = 20;

impl Loop {
    /// Sets the MCP servers. Their tools, instructions and resources take the
    /// place of those in the session's [state](aside_session::Session::state).
    /// A list that changes during the run is in the next request.
    #[must_use]
    pub fn with_servers(mut self, servers: Arc<dyn ToolServers>) -> Self {
        self.use_offer(servers.offer());
        self.servers = Some(servers);
        self
    }

    /// Applies what changed since the last request.
    pub(super) async fn update_servers(&mut self) {
        let Some(servers) = self.servers.clone() else {
            return;
        };
        let update = servers.update().await;
        self.report(&update.diagnostics);
        if let Some(offer) = update.offer {
            self.use_offer(offer);
            let uncallable = self.uncallable_tools();
            self.report(uncallable.as_slice());
        }
    }

    fn use_offer(&mut self, offer: ServerOffer) {
        self.server_tools = offer.tools;
        let left_out = self.set_servers(offer.servers);
        match self.observer {
            Some(_) => self.report(&left_out),
            None => self.pending.extend(left_out),
        }
    }

    /// Returns a diagnostic for each tool that is left out and was not before.
    fn set_servers(&mut self, servers: Vec<McpServer>) -> Vec<Diagnostic> {
        let state = self.session.state();
        if state.mcp_servers.as_ref() == Some(&servers) {
            return Vec::new();
        }
        let mcp_servers = Some(servers);
        self.session.set_state(SessionState { mcp_servers, ..state.clone() })
    }

    /// Reads the resources that a text mentions into the session's state, where
    /// it finds them.
    pub(super) async fn read_resources(&mut self, text: &str) {
        let Some(servers) = self.servers.clone() else {
            return;
        };
        let resources = mentions(text).into_iter().filter_map(|mention| match mention {
            Mention::Resource { server, uri } => Some((server, uri)),
            _ => None,
        });
        let resources: Vec<_> = resources.take(MAX_RESOURCES).collect();
        if resources.is_empty() {
            return;
        }
        let mut known = self.session.state().mcp_servers.clone().unwrap_or_default();
        for (server, uri) in resources {
            match servers.read(&server, &uri).await {
                Ok(Some(resource)) => keep(&mut known, &server, resource),
                Ok(None) => {}
                Err(fault) => self.report(&[fault]),
            }
        }
        // Their tools are the same, and were reported.
        self.set_servers(known);
    }
}

/// Replaces a server's resource, or adds it: a server need not list everything.
fn keep(servers: &mut [McpServer], server: &str, read: McpServerResource) {
    let server = servers.iter_mut().find(|known| known.name == server);
    let Some(server) = server else { return };
    match server.resources.iter_mut().find(|known| known.uri == read.uri) {
        Some(known) => *known = read,
        None => server.resources.push(read),
    }
}
