//! Connections to a small server of our own (`tests/server.sh`), to misbehaving servers, and over
//! HTTP.

#![cfg(all(unix, feature = "client"))]
#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

mod http;
mod stdio;

use std::fs;
use std::path::Path;
use std::time::Duration;

use aside_agent::{ToolOutput, ToolServers};
use aside_mcp::{ConnectOptions, ServerConfig, Servers};
use aside_messages::wire::RawJson;
use tempfile::TempDir;

const INITIALIZE: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"t","version":"1"},"instructions":"Search first."}"#;

/// A directory with the results that a server returns.
struct Results(TempDir);

impl Results {
    /// Offers tools with these names, and `new` once `grow` was called.
    fn new(tools: &[&str]) -> Self {
        let results = Self(tempfile::tempdir().unwrap());
        let list = |names: &[&str]| {
            let tools = names.iter().map(|name| {
                format!(
                    r#"{{"name":"{name}","description":"D","inputSchema":{{"type":"object"}}}}"#
                )
            });
            format!(r#"{{"tools":[{}]}}"#, tools.collect::<Vec<_>>().join(","))
        };
        results.set("initialize", INITIALIZE);
        results.set("tools", &list(tools));
        results.set("more", &list(&[tools, &["new"]].concat()));
        results.set("resources", r#"{"resources":[{"uri":"guide:a","name":"Guide"}]}"#);
        results.set("read", r#"{"contents":[{"uri":"guide:a","text":"Use tabs."},{"uri":"guide:a","blob":"AAAA","mimeType":"image/png"}]}"#);
        results.set("call", r#"{"content":[{"type":"text","text":"found"}]}"#);
        results
    }

    fn set(&self, name: &str, json: &str) {
        fs::write(self.0.path().join(name), format!("{json}\n")).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.0.path().join(name)).unwrap();
    }

    fn config(&self) -> ServerConfig {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server.sh");
        config(script, &[self.0.path().to_str().unwrap()])
    }

    async fn connect(&self) -> (Servers, Vec<String>) {
        connect([("docs", self.config())]).await
    }
}

fn config(command: &str, args: &[&str]) -> ServerConfig {
    ServerConfig {
        command: Some(command.to_owned()),
        args: args.iter().map(|text| (*text).to_owned()).collect(),
        ..ServerConfig::default()
    }
}

async fn connect<const N: usize>(configs: [(&str, ServerConfig); N]) -> (Servers, Vec<String>) {
    let path = std::env::var_os("PATH").unwrap();
    let mut options = ConnectOptions::new("/".into(), vec![("PATH".into(), path)]);
    options.start_limit = Duration::from_secs(20);
    options.call_limit = Duration::from_millis(300);
    connect_with(configs, &options).await
}

async fn connect_with<const N: usize>(
    configs: [(&str, ServerConfig); N],
    options: &ConnectOptions,
) -> (Servers, Vec<String>) {
    let configs = configs.map(|(name, config)| (name.to_owned(), config));
    let (servers, diagnostics) = Servers::connect(configs, options).await;
    (servers, diagnostics.iter().map(ToString::to_string).collect())
}

fn names(servers: &Servers) -> Vec<String> {
    let offer = servers.offer();
    let listed = offer.servers.iter().flat_map(|server| &server.tools);
    let listed: Vec<String> = listed.map(|tool| tool.name.clone()).collect();
    let callable: Vec<String> = offer.tools.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(listed, callable);
    listed
}

async fn call(servers: &Servers, name: &str, input: &str) -> ToolOutput {
    let offer = servers.offer();
    let tool = offer.tools.iter().find(|tool| tool.name() == name).unwrap();
    tool.call(&RawJson::parse(input).unwrap()).await
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
