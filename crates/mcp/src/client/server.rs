use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aside_agent::{ServerOffer, Tool};
use aside_diagnostic::Diagnostic;
use aside_session::{McpServer, McpServerResource};
use aside_text::one_line;
use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ReadResourceRequestParams, ReadResourceResponse};
use rmcp::service::{Peer, ServiceError};
use tokio::time::timeout;

use super::connection::{Changes, Connection, connect, request_reason, with_stderr};
use super::content::contents;
use super::kinds;
use super::listing::{self, ListedTool, cut, leave_out};
use super::options::ConnectOptions;
use super::process::{EXIT_LIMIT, Process};
use super::tool::ServerTool;
use crate::config::ServerConfig;

/// A connected server, and what it listed last.
#[derive(Debug)]
pub(crate) struct Server {
    name: String,
    instructions: Option<String>,
    peer: Peer<RoleClient>,
    changes: Changes,
    start_limit: Duration,
    call_limit: Duration,
    /// `None` once closed.
    connection: tokio::sync::Mutex<Option<Connection>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    lists: Lists,
    /// How many changes the lists include.
    changes: u64,
    is_lost: bool,
    /// What was wrong with the lists, which is reported once.
    faults: Vec<Diagnostic>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    tools: Vec<ListedTool>,
    resources: Vec<McpServerResource>,
}

impl Server {
    /// Connects and lists, within the limit. Returns no server on failure.
    pub(crate) async fn connect(
        name: &str,
        config: &ServerConfig,
        options: &ConnectOptions,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let connecting = async {
            let connection = connect(config, options).await?;
            let peer = connection.service.peer().clone();
            let changes = connection.service.service().clone();
            let count = changes.total();
            let lists = match list(&peer, name, Vec::new(), &mut diagnostics).await {
                Ok(lists) => lists,
                Err(why) => return Err(with_stderr(why, connection.process.as_ref()).await),
            };
            let info = peer.peer_info();
            let instructions = info.and_then(|info| info.instructions.clone());
            Ok(Self {
                name: name.to_owned(),
                instructions: instructions
                    .map(|text| cut(text, name, "the text of the instructions", &mut diagnostics)),
                peer,
                changes,
                start_limit: options.start_limit,
                call_limit: options.call_limit,
                connection: tokio::sync::Mutex::new(Some(connection)),
                state: Mutex::new(State {
                    lists,
                    changes: count,
                    is_lost: false,
                    faults: diagnostics.clone(),
                }),
            })
        };
        match within(options.start_limit, connecting).await {
            Ok(server) => (Some(server), diagnostics),
            Err(why) => {
                let message = format!("the MCP server {} is left out: {why}", one_line(name));
                (None, vec![kinds::NOT_CONNECTED.diagnostic(message)])
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what the server listed last. A tool whose name is taken is left out:
    /// two names may differ only in characters that a tool name may not have.
    pub(crate) fn add_to(&self, offer: &mut ServerOffer, left_out: &mut Vec<Diagnostic>) {
        let mut lists = self.state().lists.clone();
        let mut names: HashSet<String> =
            offer.tools.iter().map(|tool| tool.name().to_owned()).collect();
        lists.tools.retain(|listed| {
            let name = &listed.tool.name;
            let is_free = names.insert(name.clone());
            if !is_free {
                let fault = format!("another tool has its name, {name}");
                leave_out(&self.name, &listed.remote_name, &fault, left_out);
            }
            is_free
        });
        offer.servers.push(McpServer {
            name: self.name.clone(),
            instructions: self.instructions.clone(),
            tools: lists.tools.iter().map(|listed| listed.tool.clone()).collect(),
            resources: lists.resources,
        });
        let tools = lists.tools.into_iter().map(|listed| {
            let tool = ServerTool::new(listed, self.peer.clone(), self.call_limit);
            Arc::new(tool) as Arc<dyn Tool>
        });
        offer.tools.extend(tools);
    }

    /// Lists again if the server reported a change. Returns true if the lists
    /// differ.
    ///
    /// When a server ends, its lists stay: to remove its tools would mean
    /// writing the whole prefix to the cache again.
    pub(crate) async fn update(&self) -> (bool, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let connection = self.connection.lock().await;
        let process = connection.as_ref().and_then(|it| it.process.as_ref());
        if process.is_some_and(Process::take_repaired) {
            let name = one_line(&self.name);
            let message = format!(
                "the MCP server {name} wrote text that is not Unicode: U+FFFD is in its place"
            );
            diagnostics.push(kinds::NOT_UNICODE.diagnostic(message));
        }
        if self.peer.is_transport_closed() {
            if !std::mem::replace(&mut self.state().is_lost, true) {
                let why = with_stderr("calls of its tools fail".to_owned(), process).await;
                let name = one_line(&self.name);
                let message = format!("the MCP server {name} has ended: {why}");
                diagnostics.push(kinds::LOST.diagnostic(message));
            }
            return (false, diagnostics);
        }
        drop(connection);
        let changes = self.changes.total();
        if changes == self.state().changes {
            return (false, diagnostics);
        }
        let earlier = self.state().lists.resources.clone();
        let mut faults = Vec::new();
        let listing = list(&self.peer, &self.name, earlier, &mut faults);
        let listed = within(self.start_limit, listing).await;
        let is_new = |it: &&Diagnostic| !self.state().faults.contains(it);
        diagnostics.extend(faults.iter().filter(is_new).cloned());
        let why = match listed {
            Ok(lists) => {
                let mut state = self.state();
                state.changes = changes;
                state.faults = faults;
                let is_changed = lists != state.lists;
                state.lists = lists;
                return (is_changed, diagnostics);
            }
            Err(why) => why,
        };
        // A later change is another attempt.
        self.state().changes = changes;
        let name = one_line(&self.name);
        let message = format!("the MCP server {name} keeps its earlier tools: {why}");
        diagnostics.push(kinds::NOT_LISTED.diagnostic(message));
        (false, diagnostics)
    }

    /// Reads a resource, whether the server listed it or not. Returns `None` if
    /// it does not exist.
    pub(crate) async fn read(&self, uri: &str) -> Result<Option<McpServerResource>, Diagnostic> {
        let request = ReadResourceRequestParams::new(uri);
        let reading = async { Ok(self.peer.read_resource_once(request).await) };
        let why = match within(self.start_limit, reading).await {
            Ok(Ok(ReadResourceResponse::Complete(result))) => {
                let lists = &self.state().lists;
                let mut listed = lists.resources.iter();
                let listed = listed.find(|resource| resource.uri == uri);
                return Ok(Some(McpServerResource {
                    uri: uri.to_owned(),
                    name: listed.map_or(uri, |resource| &resource.name).to_owned(),
                    contents: contents(result.contents),
                }));
            }
            Ok(Err(ServiceError::McpError(error)))
                if error.code == ErrorCode::RESOURCE_NOT_FOUND =>
            {
                return Ok(None);
            }
            Ok(Ok(_)) => "the server asks for input, which is not supported".to_owned(),
            Ok(Err(error)) => request_reason(&error),
            Err(why) => why,
        };
        let message = format!("@{}:{} stays text: {why}", one_line(&self.name), one_line(uri));
        Err(kinds::RESOURCE.diagnostic(message))
    }

    pub(crate) async fn close(&self) {
        if let Some(Connection { service, process }) = self.connection.lock().await.take() {
            // Over HTTP, the session's end is a request.
            let _ = timeout(EXIT_LIMIT, service.cancel()).await;
            if let Some(process) = process {
                process.end().await;
            }
        }
    }
}

/// Waits for a server, but not longer than `limit`.
async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, String>>,
) -> Result<T, String> {
    let late = |_| Err(format!("no response within {} s", limit.as_secs_f32()));
    timeout(limit, work).await.unwrap_or_else(late)
}

/// Lists what the server claims to offer. If it does not list its resources, it
/// keeps `earlier` ones.
///
/// # Errors
///
/// Returns why the server cannot be used.
async fn list(
    peer: &Peer<RoleClient>,
    name: &str,
    earlier: Vec<McpServerResource>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Lists, String> {
    let info = peer.peer_info();
    let capabilities = info.as_ref().map(|info| &info.capabilities);
    let mut lists = Lists::default();
    if capabilities.is_some_and(|has| has.tools.is_some()) {
        let tools = listing::tools(peer, name, diagnostics).await;
        lists.tools = tools.map_err(|error| method_reason("tools/list", &error))?;
    }
    if capabilities.is_some_and(|has| has.resources.is_some()) {
        lists.resources = match listing::resources(peer, name, diagnostics).await {
            Ok(resources) => resources,
            Err(error @ (ServiceError::McpError(_) | ServiceError::UnexpectedResponse)) => {
                let why = method_reason("resources/list", &error);
                let offers = if earlier.is_empty() { "offers no" } else { "keeps its earlier" };
                let message =
                    format!("the MCP server {} {offers} resources: {why}", one_line(name));
                diagnostics.push(kinds::NOT_LISTED.diagnostic(message));
                earlier
            }
            Err(error) => return Err(request_reason(&error)),
        };
    }
    Ok(lists)
}

/// Returns why a request failed, with its method if the server answered it.
fn method_reason(method: &str, error: &ServiceError) -> String {
    let why = request_reason(error);
    match error {
        ServiceError::McpError(_) | ServiceError::UnexpectedResponse => format!("{method}: {why}"),
        _ => why,
    }
}
