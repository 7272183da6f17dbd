//! Other agents' discovery rules, as data.

mod facts;
mod macros;
mod table;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use facts::{
    Bytes, ExcludeForm, Facts, GlobForm, Header, HeaderStart, ImportForm, Pick, Place, Step,
    TouchedDirs,
};
pub use table::Profile;

impl Profile {
    /// Returns the name on the command line, such as `claude:2.1.276`.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// Returns the name of the agent.
    pub fn agent(self) -> &'static str {
        self.facts().agent
    }

    /// Returns the files and directories in a project that show that its team uses the agent.
    pub fn traces(self) -> &'static [&'static str] {
        self.facts().traces
    }

    /// Returns where in the request the agent puts the texts, if known.
    pub fn destination(self) -> Option<&'static str> {
        self.facts().destination
    }

    /// Returns the open questions about the agent's rules.
    pub fn unknown(self) -> &'static [&'static str] {
        self.facts().unknown
    }

    /// Returns true for Aside's own rules and for any Claude Code version.
    pub(crate) fn is_claude(self) -> bool {
        matches!(self.imports(), ImportForm::Lenient | ImportForm::Claude)
    }

    /// Returns what imports this agent's files may have.
    pub(crate) fn imports(self) -> ImportForm {
        self.facts().imports
    }

    /// Returns how the patterns of this agent's rules match.
    pub(crate) fn globs(self) -> GlobForm {
        self.facts().globs
    }

    /// Returns true if the profile reads files with this name in the directory where a session
    /// begins.
    pub(crate) fn reads_where_it_starts(self, name: &str) -> bool {
        let is_there =
            |place| matches!(place, Place::WorkingDirectory | Place::RootDown | Place::UpToRoot);
        let mut steps = self.facts().steps.iter().filter(|step| is_there(step.place));
        steps.any(|step| step.reads(name))
    }

    /// Returns the names that the agent reads in project directories, and patterns: `DIR/**/*END`
    /// is every file below `DIR` whose name ends with `END`.
    pub fn names_in_projects(self) -> impl Iterator<Item = &'static str> {
        let steps = self.facts().steps.iter();
        let in_projects = steps.filter(|step| step.place != Place::Home);
        in_projects.flat_map(|step| step.names.iter().copied())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|it| it.as_str() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let meant = aside_user_files::nearest(name, &names)
                .map_or(String::new(), |it| format!(" (did you mean {it}?)"));
            format!("expected one of {}{meant}", names.join(", "))
        })
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}
