//! The discovery rules of other agents, as data.

mod facts;
mod table;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use facts::{Header, ImportForm, Pick, Place, Step, TouchedDirs};

use facts::Facts;

/// Declares the profiles, their list and their tables from the same rows, in the order in which the
/// command line lists them.
macro_rules! profiles {
    ($($(#[$attribute:meta])* $profile:ident = $table:ident;)*) => {
        /// The agent whose rules decide which instruction files load.
        ///
        /// The rules are tables, each with a list of open questions about the agent.
        /// They concern discovery, precedence, front matter and imports; the rendering
        /// is always that of this crate.
        ///
        /// ```
        /// use aside_claudemd::Profile;
        ///
        /// let profile: Profile = "codex".parse()?;
        /// assert_eq!(profile.agent(), "Codex");
        /// # Ok::<(), String>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Profile {
            $($(#[$attribute])* $profile,)*
        }

        impl Profile {
            /// All profiles.
            pub const ALL: [Self; [$(Self::$profile),*].len()] = [$(Self::$profile),*];

            /// Returns the table of the agent.
            pub(crate) fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$profile => &table::$table,)*
                }
            }
        }
    };
}

profiles! {
    /// Claude Code, with `AGENTS.md` in each directory that has no `CLAUDE.md`.
    #[default]
    Claude = CLAUDE;
    /// Claude Code up to 2.1.276, which does not read `AGENTS.md`.
    Claude276 = CLAUDE_276;
    /// Claude Code from 2.1.277: `AGENTS.md` and `.claude/AGENTS.md`, only if no `CLAUDE.md` and no
    /// `CLAUDE.local.md` is in the working directory or above it.
    Claude277 = CLAUDE_277;
    /// The AGENTS.md convention: the nearest file has precedence.
    AgentsMd = AGENTS_MD;
    /// Codex.
    Codex = CODEX;
    /// GitHub Copilot.
    Copilot = COPILOT;
    /// Cursor.
    Cursor = CURSOR;
    /// gemini-cli.
    Gemini = GEMINI;
    /// opencode.
    Opencode = OPENCODE;
    /// Cline.
    Cline = CLINE;
    /// Roo Code.
    Roo = ROO;
    /// Crush.
    Crush = CRUSH;
    /// Zed.
    Zed = ZED;
    /// aider, which discovers no files.
    Aider = AIDER;
}

impl Profile {
    /// Returns the name on the command line, such as `claude:2.1.276`.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// Returns the name of the agent.
    pub fn agent(self) -> &'static str {
        self.facts().agent
    }

    /// Returns the part of the request that the agent puts the texts into, if it is known.
    pub fn destination(self) -> Option<&'static str> {
        self.facts().destination
    }

    /// Returns the open questions about the agent's rules.
    pub fn unknown(self) -> &'static [&'static str] {
        self.facts().unknown
    }

    /// Returns true for Claude Code in any version.
    pub(crate) fn is_claude(self) -> bool {
        matches!(self, Self::Claude | Self::Claude276 | Self::Claude277)
    }

    /// Returns the form of the imports that files of this agent may have.
    pub(crate) fn imports(self) -> ImportForm {
        self.facts().imports
    }

    /// Returns the name that a session reads at its start instead of `name`, if one is, in a
    /// directory of these `places`.
    pub(crate) fn shadowing_at_start(
        self,
        name: &str,
        places: &[Place],
        exists: impl Fn(&str) -> bool,
    ) -> Option<&'static str> {
        let steps = self.facts().steps.iter();
        steps
            .filter(|step| places.contains(&step.place))
            .find_map(|step| step.shadowing(name, &exists))
    }

    /// Returns the name that is read instead of `name`, if one is, when a path in its directory is
    /// touched.
    pub(crate) fn shadowing_on_touch(
        self,
        name: &str,
        exists: impl Fn(&str) -> bool,
    ) -> Option<&'static str> {
        let mut steps = self.facts().nested.iter();
        steps.find_map(|step| step.shadowing(name, &exists))
    }

    /// Returns true if the profile reads files of this name when a path in their directory is
    /// touched.
    pub(crate) fn reads_nested(self, name: &str) -> bool {
        self.facts()
            .nested
            .iter()
            .any(|step| step.names.contains(&name))
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
