use serde::{Deserialize, Serialize};

/// In which order a request has its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// From parts that most requests share to parts that no other has. Whatever
    /// is specific to a session (git status, date) comes after the instruction
    /// files, so that the project's next session finds these in the cache.
    #[default]
    Layered,
    /// The git snapshot ends the system prompt, and the date is next to the
    /// instruction files.
    Classic,
}

/// Who shares a cache entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheScope {
    /// The organization: a plain marker.
    Org,
    /// All organizations: a marker with `"scope":"global"`, which the public
    /// API refuses.
    Global,
}

/// How to split the system prompt into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SplitMode {
    /// Classic layout with global scope, but MCP tools come before the system
    /// prompt: identity and the rest, both with organization scope.
    ToolBased,
    /// Classic layout with global scope: the static zone with global scope, the
    /// dynamic zone unmarked.
    Global,
    /// Otherwise: identity and the rest, both with organization scope.
    SingleOrg,
    /// Layered layout: the static zone marked; the marker after the instruction
    /// files covers the dynamic zone.
    StaticOrg,
}
