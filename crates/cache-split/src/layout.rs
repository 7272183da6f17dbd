use serde::{Deserialize, Serialize};

/// The order in which a request holds what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// From what most requests share to what none does: what is true only of
    /// this session (git status, date) stands behind the instruction files, so
    /// that another session of the project finds those in the cache.
    #[default]
    Layered,
    /// The git snapshot ends the system prompt, and the date stands beside the
    /// instruction files.
    Classic,
}

/// Who may share an entry of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheScope {
    /// The organization that pays: a plain marker.
    Org,
    /// Everybody: a marker with `"scope":"global"`, which the public API
    /// refuses.
    Global,
}

/// How the system prompt is cut into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitMode {
    /// Classic, global scope wanted, but tools of MCP servers stand before the
    /// system prompt: identity and everything else, both for the organization.
    ToolBased,
    /// Classic, global scope usable: the static zone for everybody, the
    /// dynamic zone unmarked.
    Global,
    /// Otherwise: identity and everything else, both for the organization.
    SingleOrg,
    /// Layered: the static zone marked, the dynamic zone covered by the marker
    /// behind the instruction files.
    StaticOrg,
}
