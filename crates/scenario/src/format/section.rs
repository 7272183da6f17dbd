use schemars::JsonSchema;
use serde::Deserialize;

use super::distinct::Named;

/// A section in the dynamic zone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionSpec {
    /// Its name.
    pub name: String,
    /// How long its text stays the same.
    pub lifetime: SectionLifetime,
    /// Its text; by default none.
    pub text: Option<String>,
    /// Why it is computed for every request; by default it is computed once.
    pub uncached: Option<String>,
}

impl Named for SectionSpec {
    const EXPECTED: &str = "a name that no section before it has";

    fn name(&self) -> &str {
        &self.name
    }
}

/// How long a [`SectionSpec`]'s text stays the same.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionLifetime {
    /// In every session of a project.
    Project,
    /// In one session.
    Session,
}
