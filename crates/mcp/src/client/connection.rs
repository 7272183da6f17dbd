//! The connection to one server.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use aside_agent::providers::is_loopback;
use aside_text::{one_line, shortened};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{ClientInitializeError, NotificationContext, RunningService, ServiceError};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};
use rmcp::{ClientHandler, RoleClient, serve_client};
use tokio::sync::watch;

use super::options::ConnectOptions;
use super::process::Process;
use super::stdio::UNREADABLE;
use crate::config::{Endpoint, ServerConfig};

/// A server may choose the reason for its failure, so it is cut.
const MAX_REASON_CHARS: usize = 300;

/// A program that ends closes both pipes: which of them fails first is chance.
const ENDED: &str = "it ended before it answered";

const UNPARSED: &str = "its response cannot be parsed";

/// A connection after its handshake.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Declared before the process, to close stdin first.
    pub(crate) service: RunningService<RoleClient, Changes>,
    pub(crate) process: Option<Process>,
}

/// Counts how often a server reported a changed list.
#[derive(Clone, Debug)]
pub(crate) struct Changes(Arc<watch::Sender<u64>>);

impl Changes {
    fn count(&self) {
        self.0.send_modify(|count| *count += 1);
    }

    pub(crate) fn total(&self) -> u64 {
        *self.0.borrow()
    }
}

impl ClientHandler for Changes {
    fn get_info(&self) -> ClientConfig {
        let program = Implementation::new("aside", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), program)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.count();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.count();
    }
}

/// Starts or reaches a server, and shakes hands. The caller limits the time; to
/// end the process, drop the future.
///
/// # Errors
///
/// Returns the reason, on one line.
pub(crate) async fn connect(
    config: &ServerConfig,
    options: &ConnectOptions,
) -> Result<Connection, String> {
    let changes = Changes(Arc::new(watch::Sender::new(0)));
    match config.endpoint().map_err(|error| error.to_string())? {
        Endpoint::Stdio { command } => {
            let started = Process::start(command, config, options);
            let (process, transport) = started
                .map_err(|error| format!("failed to start {}: {error}", one_line(command)))?;
            match serve_client(changes, transport).await {
                Ok(service) => Ok(Connection { service, process: Some(process) }),
                Err(error) => {
                    let reason = cut_line(&handshake_reason(&error));
                    Err(with_stderr(reason, Some(&process)).await)
                }
            }
        }
        Endpoint::Http { url } => {
            let service = serve_client(changes, http(url, config)?).await;
            let service = service.map_err(|error| match error {
                ClientInitializeError::ConnectionClosed(_) => {
                    "its response to initialize is empty".to_owned()
                }
                error => cut_line(&without_path(&handshake_reason(&error), url)),
            })?;
            Ok(Connection { service, process: None })
        }
    }
}

/// Appends the last line of stderr, which has the cause when a program fails to
/// start.
pub(crate) async fn with_stderr(reason: String, process: Option<&Process>) -> String {
    // A failing program writes the cause at about the same time.
    tokio::time::sleep(Duration::from_millis(50)).await;
    match process.and_then(Process::last_line) {
        Some(line) => format!("{reason}; its stderr ends: {line}"),
        None => reason,
    }
}

fn http(
    url: &str,
    config: &ServerConfig,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let mut headers = HashMap::new();
    for (name, value) in &config.headers {
        let invalid = |error: &dyn Display| format!("header {}: {error}", one_line(name));
        let key = name.parse::<http::HeaderName>().map_err(|it| invalid(&it))?;
        let value = value.parse().map_err(|it: http::header::InvalidHeaderValue| invalid(&it))?;
        headers.insert(key, value);
    }
    // A cryptography provider that the process installed earlier is kept.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect would send the headers, with their secrets, to another server.
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    // A proxy would get them in plain HTTP.
    let parsed = reqwest::Url::parse(url).ok();
    if parsed.is_some_and(|url| url.host_str().is_some_and(is_loopback)) {
        client = client.no_proxy();
    }
    let client = client.build().map_err(|error| reason(&error))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Returns why a handshake failed, however long this is.
fn handshake_reason(error: &ClientInitializeError) -> String {
    use ClientInitializeError::{
        ConnectionClosed, ExpectedInitResponse, ExpectedInitResult, JsonRpcError, TransportError,
    };
    match error {
        TransportError { error, .. } => transport_reason(error),
        ConnectionClosed(_) => ENDED.to_owned(),
        ExpectedInitResponse(_) | ExpectedInitResult(_) => {
            "its response to initialize is not valid".to_owned()
        }
        JsonRpcError(error) if error.code == UNREADABLE => error.message.to_string(),
        other => causes(other),
    }
}

/// Returns why a request failed.
pub(crate) fn request_reason(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => cut_line(&transport_reason(error)),
        ServiceError::TransportClosed => ENDED.to_owned(),
        ServiceError::McpError(error) if error.code == UNREADABLE => cut_line(&error.message),
        other => reason(other),
    }
}

/// The error itself has the Rust types of the transport, and not the cause.
fn transport_reason(error: &DynamicTransportError) -> String {
    use StreamableHttpError::{
        AuthRequired, Client, UnexpectedContentType, UnexpectedServerResponse,
    };
    let error = error.error.as_ref();
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(Client(error)) => {
            let mut causes = causes(error);
            // All but the host may be a secret.
            if let Some(url) = error.url() {
                causes = causes.replace(url.as_str(), &url.origin().ascii_serialization());
            }
            format!("it cannot be reached: {causes}")
        }
        Some(AuthRequired(_)) => {
            "it requires authorization: its configuration needs a valid header for it".to_owned()
        }
        Some(UnexpectedContentType(kind)) => {
            let kind = kind.as_deref().unwrap_or("without a type");
            format!("its response is {kind}, not JSON or an event stream")
        }
        Some(UnexpectedServerResponse(why)) => {
            // After a status comes the body, which may be empty.
            let why = why.trim_end_matches(": ");
            why.replace("could not parse JSON response as ServerJsonRpcMessage", UNPARSED)
        }
        _ if error.is::<io::Error>() => ENDED.to_owned(),
        _ => causes(error),
    }
}

/// Returns an error with its causes, cut, on one line.
pub(crate) fn reason(error: &dyn Error) -> String {
    cut_line(&causes(error))
}

fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

fn cut_line(text: &str) -> String {
    shortened(&one_line(text), MAX_REASON_CHARS).into_owned()
}

/// Removes a URL's path and query, which may be secrets, from a text that the
/// server may have written.
fn without_path(text: &str, url: &str) -> String {
    let host = url.find("://").map_or(0, |at| at + 3);
    let path = url[host..].find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    let parts = url[path..].split(['?', '#']).filter(|part| part.len() > 1);
    // A URL without a path is no secret, but for its user.
    let whole = (path < url.len() || url.contains('@')).then_some(url);
    let secrets = whole.into_iter().chain(parts);
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "…"))
}
