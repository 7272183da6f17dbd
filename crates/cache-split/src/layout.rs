use serde::{Deserialize, Serialize};

/// The order of the parts of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// From the parts that most requests share to those that no other has. What
    /// is specific to a session (git status, date) comes after the instruction
    /// files, so that another session of the project finds them in the cache.
    #[default]
    Layered,
    /// The git snapshot is at the end of the system prompt, and the date next to
    /// the instruction files.
    Classic,
}

/// The scope within which a cache entry is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheScope {
    /// The organization: a plain marker.
    Org,
    /// All organizations: a marker with `"scope":"global"`, which the public API
    /// refuses.
    Global,
}

/// How the system prompt is split into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitMode {
    /// Classic layout with global scope, but MCP tools come before the system
    /// prompt: the identity and the rest, both with organization scope.
    ToolBased,
    /// Classic layout with global scope: the static zone with global scope, the
    /// dynamic zone unmarked.
    Global,
    /// Otherwise: the identity and the rest, both with organization scope.
    SingleOrg,
    /// Layered layout: the static zone marked; the marker after the instruction
    /// files covers the dynamic zone.
    StaticOrg,
}
