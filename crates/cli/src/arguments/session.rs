//! The arguments of a session: directories, settings and instruction files. Every command
//! with a session accepts them.

use std::path::PathBuf;

use aside_claudemd::{Profile, Sources};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

/// The arguments of every command that opens a session.
#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArguments {
    /// The session's working directory.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    pub(crate) cwd: PathBuf,

    /// Another directory that the agent may work in. Can be repeated.
    ///
    /// Its instruction files load in bare mode, or if
    /// CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD is set.
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,

    /// Whose settings, instruction files, rules and reminders to use: a
    /// comma-separated list of user, project and local; by default all. The
    /// administrator's are always used.
    #[arg(long, value_name = "LIST", value_parser = sources)]
    pub(crate) setting_sources: Option<Sources>,

    /// Settings that override the user's and the project's: a file, or JSON.
    #[arg(long, value_name = "FILE|JSON")]
    pub(crate) settings: Option<String>,

    /// Load the instruction files that another agent would load. The default
    /// is claude, with AGENTS.md in each directory that has no CLAUDE.md.
    #[arg(long, value_name = "AGENT", value_parser = profile())]
    pub(crate) instructions: Option<Profile>,

    /// Load no instruction files except those of added directories.
    #[arg(long)]
    pub(crate) bare: bool,

    /// Allow the project's instruction files to import files from outside it.
    #[arg(long)]
    pub(crate) allow_external_imports: bool,

    /// Ignore the project's own reminders, since a repository may come from
    /// another person.
    #[arg(long)]
    pub(crate) no_project_reminders: bool,

    /// Follow another system wherever Aside differs from it by choice. documents is
    /// the one that published descriptions of coding agents show: the classic
    /// layout, global scope where the provider takes it, an attribution, CLAUDE.md
    /// alone with imports from anywhere, and reminders in tags that are not kept.
    /// Other flags have precedence.
    #[arg(long = "profile", value_enum, value_name = "SYSTEM")]
    pub(crate) system: Option<SystemProfile>,
}

/// Reads the name of a profile; the help lists all of them.
pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    let names = Profile::ALL.map(Profile::as_str);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Profile>())
}

/// The value of `--profile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemProfile {
    /// The system of the published descriptions.
    Documents,
}

/// Reads the list of `--setting-sources`. An empty list names no owner.
///
/// Names are separated by commas, with or without spaces: `user, project`.
fn sources(list: &str) -> Result<Sources, String> {
    let mut sources = Sources { user: false, project: false, local: false };
    for name in list.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        match name {
            "user" => sources.user = true,
            "project" => sources.project = true,
            "local" => sources.local = true,
            _ => return Err(format!("expected user, project or local, found {name:?}")),
        }
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sources() {
        let check = |list, expected: [bool; 3]| {
            let read = sources(list).unwrap();
            assert_eq!([read.user, read.project, read.local], expected, "{list}");
        };
        check("user,project,local", [true; 3]);
        check("user", [true, false, false]);
        check(" local , project,", [false, true, true]);
        check("", [false; 3]);
        assert_eq!(
            sources("user,managed").unwrap_err(),
            "expected user, project or local, found \"managed\""
        );
    }
}
