//! The model APIs in a box: an HTTP server over the judges for Messages
//! ([`strict`](crate::strict)) and for the other wires.
//!
//! ```no_run
//! use aside_gateway::serve::{ServeOptions, Server};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind(ServeOptions::default()).await?;
//! println!("ANTHROPIC_BASE_URL=http://{}", server.address());
//! let report = server.run(std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

mod clock;
mod example;
mod faults;
mod input;
mod models;
mod observed;
mod recorded;
mod report;
mod routes;
mod script;
mod state;
mod target;

use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Mutex;

pub use aside_providers::script::{Script, ScriptError};
pub use faults::{Faults, FaultsError};
pub use observed::{Observed, SentBlock};
pub use recorded::replay;
pub use report::{MissLine, Refusal, ServerReport, Totals};
pub(crate) use report::{MissText, cost};

use crate::guard::{self, Access, BindError, Guard};
use crate::run::{self, Shutdown};
use crate::strict::{Enforcement, Strict, StrictOptions};
use crate::wires::WireJudge;
use observed::Observer;
use state::State;

/// How to run a server.
///
/// By default the server listens on a loopback port that the system chooses, is
/// strict, and responds to every request with a fixed answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// The address to listen on; port 0 chooses one.
    pub listen: SocketAddr,
    /// Who may connect.
    pub access: Access,
    /// What to respond; `None` for an answer of the form that a request asks for.
    pub script: Option<Script>,
    /// Whether to refuse requests that the API refuses.
    pub enforcement: Enforcement,
    /// Requests to fail on demand.
    pub faults: Faults,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            access: Access::Loopback,
            script: None,
            enforcement: Enforcement::Strict,
            faults: Faults::default(),
        }
    }
}

/// A server that is bound but not yet running.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
    state: Arc<Mutex<State>>,
}

impl Server {
    /// Binds the address.
    ///
    /// # Errors
    /// The address is not a loopback address and you did not allow remote
    /// access, or the system refuses it.
    pub async fn bind(options: ServeOptions) -> Result<Self, BindError> {
        let listener = guard::bind(options.listen, options.access).await?;
        let address = listener.local_addr().unwrap_or(options.listen);
        let strict = StrictOptions { enforcement: options.enforcement, ..StrictOptions::default() };
        let wires = WireJudge::new(strict.enforcement, &strict.account);
        let state = State::new(Strict::new(strict), wires, options.script, options.faults);
        Ok(Self {
            listener,
            address,
            guard: Guard::new(address, options.access),
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// Calls a function with each request that the script answers, before the
    /// response is sent.
    pub async fn observe(&mut self, observer: impl FnMut(&Observed<'_>) + Send + 'static) {
        self.state.lock().await.observer = Some(Observer(Box::new(observer)));
    }

    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` is ready, and returns the report.
    ///
    /// # Errors
    /// The listener fails.
    pub async fn run(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<ServerReport> {
        let (report, _) = self.run_until(Box::pin(shutdown)).await?;
        Ok(report)
    }

    /// Like [`run`](Self::run), but also returns the numbers of the responses
    /// without `when` that no request has got.
    ///
    /// # Errors
    /// The same as for [`run`](Self::run).
    pub async fn play(
        self,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<(ServerReport, Vec<usize>)> {
        self.run_until(Box::pin(shutdown)).await
    }

    async fn run_until(self, shutdown: Shutdown) -> io::Result<(ServerReport, Vec<usize>)> {
        let app = routes::router(self.state.clone(), self.guard);
        run::until(self.listener, app, shutdown).await?;
        let mut state = self.state.lock().await;
        // What it holds may wait for the server's end.
        state.observer = None;
        Ok((state.report.clone(), state.unused()))
    }
}
