//! A transparent reverse proxy that records an agent's requests.
//!
//! Request and response bytes, header values and their order are passed on
//! unchanged. Streams are passed on chunk by chunk. Nothing is retried, no
//! redirect is followed, and only the record is decompressed.
//!
//! ```no_run
//! use aside_gateway::proxy::{Proxy, ProxyOptions, Upstreams};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let mut options = ProxyOptions::default();
//! options.upstreams = Upstreams::from_arguments(["messages=https://api.anthropic.com"])?;
//! options.record = Some("records".into());
//! let proxy = Proxy::bind(options, Box::new(|event| println!("{event}"))).await?;
//! for (name, value) in proxy.variables() {
//!     println!("export {name}={value}");
//! }
//! let summary = proxy.run(std::future::pending()).await?;
//! println!("{summary}");
//! # Ok(())
//! # }
//! ```

mod bookkeeper;
mod clients;
mod deny;
mod exchange;
mod finished;
mod forward;
mod forwarder;
mod headers;
mod ledger;
mod observe;
mod prepare;
mod record;
pub(crate) mod route;
mod segments;
mod summary;
mod twins;
mod upstream;

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::time::sleep;

pub use crate::redact::Texts;
pub use deny::{Deny, DenyError};
pub use record::RecordError;
pub use summary::{Event, Line, Predicted, Refusal, Summary};
pub use upstream::{UpstreamError, UpstreamErrorKind, Upstreams, Wire};

use crate::admission::Admission;
use crate::guard::{self, Access, BindError, Guard};
use crate::place::Placer;
use crate::redact;
use crate::run::{self, Shutdown};
use bookkeeper::Bookkeeper;
use clients::Clients;
use forwarder::Forwarder;
use ledger::Ledger;
use observe::FREE_BYTES;
use record::Recorder;
use twins::Twins;

/// How large a request may be by default.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// How often to look whether every exchange has ended, and how long in between.
const MAX_WAITS: u32 = 100;
const WAIT: Duration = Duration::from_millis(10);

/// How to run a proxy.
///
/// By default the proxy listens on a port that the system chooses, has no
/// upstream, records nothing, and forwards bodies up to 64 MiB unchanged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProxyOptions {
    /// The address to listen on; port 0 chooses one.
    pub listen: SocketAddr,
    /// Who may connect.
    pub access: Access,
    /// Where to send requests, by wire. If a request's wire has no upstream, it
    /// gets status 404. A path that belongs to no wire is forwarded,
    /// unrecorded, to the upstream that its credentials are for.
    pub upstreams: Upstreams,
    /// The directory for records, created if it does not exist; `None` records
    /// nothing.
    pub record: Option<PathBuf>,
    /// Whether records contain texts.
    pub texts: Texts,
    /// Whether to replace cache markers.
    pub markers: Markers,
    /// The findings for [`Summary::denied`] to count, for a command that ends
    /// with an error if there are any.
    pub deny: Vec<Deny>,
    /// How large a request body may be, in bytes; a larger one is refused with
    /// status 413. Responses have no limit: they are not held in memory.
    pub max_request_bytes: usize,
}

/// Which cache markers to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markers {
    /// The agent's own.
    #[default]
    AsSent,
    /// Planned ones, by [`place`](crate::place).
    Aside,
}

impl Default for ProxyOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            access: Access::Loopback,
            upstreams: Upstreams::default(),
            record: None,
            texts: Texts::Kept,
            markers: Markers::AsSent,
            deny: Vec::new(),
            max_request_bytes: MAX_REQUEST_BYTES,
        }
    }
}

/// Called with each request when its response has ended, and with each request
/// that the proxy refuses, on a thread of its own.
pub type OnEvent = Box<dyn Fn(&Event) + Send + Sync>;

/// A proxy that is bound but not yet running.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
    forwarder: Arc<Forwarder>,
}

/// Why a proxy was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProxyError {
    /// The address.
    #[error("{0}")]
    Bind(BindError),
    /// An upstream.
    #[error("{0}")]
    Upstream(UpstreamError),
    /// The directory for records.
    #[error("{0}")]
    Record(RecordError),
    /// The HTTP client.
    #[error("set up HTTP: {}", redact::line(.0))]
    Client(String),
    /// The thread that writes records.
    #[error("start the thread of the records: {0}")]
    Thread(io::Error),
}

impl Proxy {
    /// Binds the address and creates the directory for records.
    ///
    /// # Errors
    /// The address, an upstream or the directory cannot be used.
    pub async fn bind(options: ProxyOptions, on_event: OnEvent) -> Result<Self, ProxyError> {
        let listener =
            guard::bind(options.listen, options.access).await.map_err(ProxyError::Bind)?;
        let address = listener.local_addr().unwrap_or(options.listen);
        let recorder = Recorder::new(options.record, options.texts).map_err(ProxyError::Record)?;
        let placer = match options.markers {
            Markers::AsSent => None,
            Markers::Aside => Some(Arc::new(Placer::default())),
        };
        let ledger = Ledger::new(recorder, options.deny, placer.clone());
        let admission = Admission::new(options.max_request_bytes).with_responses(FREE_BYTES);
        let buffers = admission.buffers().clone();
        let bookkeeper =
            Bookkeeper::start(ledger, on_event, buffers).map_err(ProxyError::Thread)?;
        let forwarder = Forwarder {
            clients: Clients::new(&options.upstreams).map_err(ProxyError::Client)?,
            guard: Guard::new(address, options.access),
            upstreams: options.upstreams,
            placer,
            twins: Twins::default(),
            max_request_bytes: options.max_request_bytes,
            admission,
            bookkeeper,
        };
        Ok(Self { listener, address, forwarder: Arc::new(forwarder) })
    }

    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the variables that send an agent's requests here, for the wires
    /// that have an upstream.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        self.forwarder.upstreams.variables(self.address)
    }

    /// Forwards requests until `shutdown` is ready, and returns the summary
    /// when every request is recorded.
    ///
    /// # Errors
    /// The listener or the recording thread fails.
    pub async fn run(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<Summary> {
        self.run_until(Box::pin(shutdown)).await
    }

    async fn run_until(self, shutdown: Shutdown) -> io::Result<Summary> {
        let app = Router::new().fallback(forward::forward).with_state(self.forwarder.clone());
        run::until(self.listener, app, shutdown).await?;
        // HTTP/2 streams end in tasks of their own.
        let mut waits = 0;
        while Arc::strong_count(&self.forwarder) > 1 && waits < MAX_WAITS {
            waits += 1;
            sleep(WAIT).await;
        }
        let ledger = self.forwarder.bookkeeper.end().await;
        let ledger = ledger.ok_or_else(|| io::Error::other("the records broke off"))?;
        Ok(ledger.summary())
    }
}
