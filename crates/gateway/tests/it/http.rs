//! Both servers over HTTP.

mod arriving;
mod breaks;
mod calls;
mod coding;
mod cut;
mod exits;
mod hostile;
mod misses;
mod passing;
mod placing;
mod record;
mod recording;
mod refusing;
mod routes;
mod secrets;
mod serve;
mod upstream;
mod wires;

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};

use aside_gateway::proxy::{Event, Line, Markers, Proxy, ProxyOptions, Summary, Texts, Upstreams};
use aside_gateway::serve::{ServeOptions, Server, ServerReport};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that runs until it is stopped.
pub(crate) struct Running<T> {
    pub(crate) address: SocketAddr,
    pub(crate) lines: Arc<Mutex<Vec<Line>>>,
    /// The lines for requests that the proxy refused.
    pub(crate) refusals: Arc<Mutex<Vec<String>>>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<T>,
}

impl<T> Running<T> {
    pub(crate) async fn stop(self) -> T {
        let _ = self.stop.send(());
        self.task.await.unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

pub(crate) async fn serve(change: impl FnOnce(&mut ServeOptions)) -> Running<ServerReport> {
    let mut options = ServeOptions::default();
    change(&mut options);
    start_server(options).await
}

// Apart from the callers' closures: the server would be compiled for each.
async fn start_server(options: ServeOptions) -> Running<ServerReport> {
    let server = Server::bind(options).await.unwrap();
    let (stop, stopped) = oneshot::channel();
    Running {
        address: server.address(),
        lines: Arc::default(),
        refusals: Arc::default(),
        stop,
        task: tokio::spawn(async {
            let stopped = async {
                let _ = stopped.await;
            };
            server.run(stopped).await.unwrap()
        }),
    }
}

/// A proxy before this upstream, for every wire.
pub(crate) async fn proxy(
    upstream: SocketAddr,
    change: impl FnOnce(&mut ProxyOptions),
) -> Running<Summary> {
    let mut options = ProxyOptions::default();
    let wires = ["messages", "responses", "chat", "gemini"];
    let upstreams = wires.map(|wire| match wire {
        "messages" | "gemini" => format!("{wire}=http://{upstream}"),
        _ => format!("{wire}=http://{upstream}/v1"),
    });
    options.upstreams = Upstreams::from_arguments(upstreams.iter().map(|it| &**it)).unwrap();
    change(&mut options);
    start_proxy(options).await
}

async fn start_proxy(options: ProxyOptions) -> Running<Summary> {
    let lines: Arc<Mutex<Vec<Line>>> = Arc::default();
    let refusals: Arc<Mutex<Vec<String>>> = Arc::default();
    let (kept, refused) = (lines.clone(), refusals.clone());
    let on_event = move |event: &Event| match event {
        Event::Request(line) => kept.lock().unwrap().push(Line::clone(line)),
        other => refused.lock().unwrap().push(other.to_string()),
    };
    let proxy = Proxy::bind(options, Box::new(on_event)).await.unwrap();
    let (stop, stopped) = oneshot::channel();
    Running {
        address: proxy.address(),
        lines,
        refusals,
        stop,
        task: tokio::spawn(async {
            let stopped = async {
                let _ = stopped.await;
            };
            proxy.run(stopped).await.unwrap()
        }),
    }
}

/// A client without proxies. No connection outlives a test's runtime.
pub(crate) fn client() -> reqwest::Client {
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0);
        builder.build().unwrap()
    });
    CLIENT.clone()
}

pub(crate) const HI: &str = r#"{"model":"claude-opus-5","max_tokens":64,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#;

/// A request of a message.
pub(crate) fn message<T>(server: &Running<T>, body: &str) -> reqwest::RequestBuilder {
    let request = client()
        .post(server.url("/v1/messages"))
        .header("anthropic-version", "2023-06-01")
        .header("content-type", "application/json");
    request.header("x-api-key", "canary-key").body(body.to_owned())
}

/// Sends a message, and reads the whole response.
pub(crate) async fn answered<T>(server: &Running<T>, body: &str) {
    let response = message(server, body).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap();
}
