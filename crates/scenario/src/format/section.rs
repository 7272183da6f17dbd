use schemars::JsonSchema;
use serde::Deserialize;

/// A section of the dynamic zone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Its name.
    pub name: String,
    /// How long its text stays the same.
    pub lifetime: SectionLifetime,
    /// Its text; by default none.
    pub text: Option<String>,
    /// The reason for computing it for every request; by default it is computed
    /// once.
    pub uncached: Option<String>,
}

/// How long the text of a [`SectionSpec`] stays the same.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionLifetime {
    /// In every session of a project.
    Project,
    /// In one session.
    Session,
}
