//! The arguments of `aside skills` and its subcommand.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CommonArgs;

/// List and check Agent Skills.
///
/// Prints one line per skill: name, description and file. A skill is a
/// directory with a SKILL.md in .claude/skills, .agents/skills or
/// .aside/skills: in your directory, above it up to the repository's root, or
/// in your home.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  aside skills
  aside skills --json | jq '.skills[].name'
  aside skills check .claude/skills/release

--json prints one object:
  {\"skills\":[{\"name\",\"description\",\"license\",\"compatibility\",\"metadata\",
             \"allowed_tools\",\"path\"}],
   \"diagnostics\":[{\"severity\",\"code\",\"path\",\"line\",\"message\"}]}"
)]
pub(crate) struct Skills {
    #[command(subcommand)]
    pub(crate) command: Option<SkillsCommand>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    Check(CheckSkills),
}

/// Check a skill, or all skills of a directory, by the open standard.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside skills check .claude/skills/release
  aside skills check .claude/skills

Exit codes: 0 valid, 1 a fault, 2 usage error.")]
pub(crate) struct CheckSkills {
    /// The directory of the skill, its SKILL.md, or a directory of skills.
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}
