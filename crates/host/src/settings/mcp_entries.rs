//! The map `mcpServers`, in which one faulty entry takes away no other.

use std::collections::BTreeMap;
use std::path::Path;

use aside_mcp::ServerConfig;
use aside_user_files::json;
use serde::{Deserialize, Deserializer};

/// MCP servers by name: each one's configuration, or the fault in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpEntries(pub BTreeMap<String, Result<ServerConfig, String>>);

impl McpEntries {
    /// Adds entries, which replace those with the same names.
    pub(crate) fn extend(&mut self, entries: Self) {
        self.0.extend(entries.0);
    }

    /// Starts the servers in this directory, wherever the session works.
    #[must_use]
    pub(crate) fn starting_in(mut self, directory: &Path) -> Self {
        for config in self.0.values_mut().flatten() {
            config.cwd = Some(directory.to_owned());
        }
        self
    }
}

impl<'de> Deserialize<'de> for McpEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = BTreeMap::<String, serde_json::Value>::deserialize(deserializer)?;
        let read = |(name, value): (String, serde_json::Value)| {
            let config = json::read(&value.to_string());
            (name, config.map_err(|fault| fault.message()))
        };
        Ok(Self(entries.into_iter().map(read).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::keys::Keys;
    use super::super::{ServerFile, Servers};
    use super::*;

    #[test]
    fn a_faulty_entry_takes_away_no_other() {
        let json = r#"{"mcpServers":{"good":{"command":"true"},"empty":{},"list":[],
            "typed":{"command":5},"deep":{"command":"a","env":{"A":[]}}}}"#;
        let servers = json::read::<Servers>(json).unwrap().mcp_servers;
        let fault = |name: &str| servers.0[name].clone().err().unwrap_or_default();
        assert_eq!(servers.0["good"].as_ref().unwrap().command.as_deref(), Some("true"));
        assert_eq!(fault("empty"), "", "it is found when the server is started");
        assert_eq!(fault("list"), "expected an object, found a list");
        assert_eq!(fault("typed"), "command: expected a string, found 5");
        assert_eq!(fault("deep"), "env.A: expected a string, found a list");

        let settings: Keys = json::read(json).unwrap();
        assert_eq!(settings.mcp_servers.as_ref(), Some(&servers));
        let json = format!(r#"{{"projects":{{"/p":{json}}}}}"#);
        let file: ServerFile = json::read(&json).unwrap();
        assert_eq!(file.projects["/p"].mcp_servers, servers);
        assert!(json::read::<Servers>(r#"{"mcpServers":[]}"#).is_err());
    }
}
