//! Directories that are added to a session.

use anyhow::{Context, Result};
use aside_host::CommandLine;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::world::World;

/// Directories that are added, as by `--add-dir`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddedSpec {
    /// Directories in `tree`, in the order in which they are given.
    pub paths: Vec<String>,
    /// What asks for their instruction files; by default nothing does.
    pub asked: Option<Asked>,
}

/// What asks for the instruction files of added directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`: they load beside the
    /// others.
    Variable,
    /// Bare mode: they alone load.
    Bare,
}

impl AddedSpec {
    pub(crate) fn fill(&self, world: &World, command_line: &mut CommandLine) -> Result<()> {
        let paths = self.paths.iter().map(|path| {
            let failed = || format!("add_dirs: {path:?}");
            world.directory(path).with_context(failed)
        });
        command_line.additional_directories = paths.collect::<Result<_>>()?;
        command_line.bare = self.asked == Some(Asked::Bare);
        Ok(())
    }

    /// The variable that is set, if it is.
    pub(crate) fn variable(&self) -> Option<&'static str> {
        let is_set = self.asked == Some(Asked::Variable);
        is_set.then_some("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD")
    }
}
