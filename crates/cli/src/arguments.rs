mod cache;
mod check;
mod completions;
mod context;
mod convert;
mod everywhere;
#[cfg(feature = "network")]
mod gateway;
mod init;
mod memory;
mod model_name;
mod models;
mod next;
mod output;
mod provider;
mod reminders;
mod render;
mod request;
mod run;
mod session;
mod skills;

use std::path::PathBuf;

use aside_cache_split::Layout;
use aside_messages::ApiVersion;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use cache::{
    Allowed, Cache, CacheCommand, CacheTtl, Diff, Explain, Lint, LogArguments, Placement, PlanBody,
    Simulate,
};
pub(crate) use check::Check;
pub(crate) use completions::Completions;
pub(crate) use context::Context;
pub(crate) use convert::{Convert, ConvertStream};
pub(crate) use everywhere::CommonArgs;
#[cfg(feature = "network")]
pub(crate) use gateway::{Placer, Proxy, Serve};
pub(crate) use init::Init;
pub(crate) use memory::{Imports, Memory, MemoryCommand, Profiles, Why};
pub(crate) use models::Models;
pub(crate) use next::NextRequest;
pub(crate) use output::{ColorChoice, DiagnosticsForm};
pub(crate) use reminders::{
    CheckReminders, ListReminders, Reminders, RemindersCommand, SimulateReminders,
};
pub(crate) use render::Render;
pub(crate) use request::{PromptArguments, RequestArguments};
pub(crate) use run::Run;
pub(crate) use session::SessionArguments;
pub(crate) use skills::{CheckSkills, Skills, SkillsCommand};

/// Decides what the model of a coding agent sees, byte for byte.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Examples:
  aside render \"Explain the build\"
  aside memory --touch src/main.rs
  aside run \"Where is the lexer?\""
)]
pub(crate) struct Arguments {
    /// The form of diagnostics on stderr: text, or json, an object on a line
    /// for each error, warning and note.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORM",
        default_value = "text",
        hide_possible_values = true
    )]
    pub(crate) diagnostics: DiagnosticsForm,

    /// When to colour text for people; auto is on a terminal, without NO_COLOR,
    /// or with CLICOLOR_FORCE.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: ColorChoice,

    /// Report errors only on stderr, no warnings and no notes.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

// Only the arguments of the command that runs are built: those of all commands
// cost as much as a whole session. The list of commands needs what each one
// does before that.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Prints the exact body of the next request for a directory.
    Render(Box<Render>),
    /// Prints the tokens, the cost and the cache state of each part of a request.
    Context(Box<Context>),
    /// Lets a model work in a directory until it has nothing more to say.
    Run(Run),
    /// Prints the sections of the system prompt for a directory.
    Prompt(Prompt),
    /// Prints which instruction files load for a directory, which do not, and why.
    Memory(Box<Memory>),
    /// Writes the body of a request on another provider's wire.
    Convert(Convert),
    /// Reads a recorded stream as events of the Messages API.
    ConvertStream(ConvertStream),
    /// Says what the API would refuse of a request body, from whatever agent.
    Check(Check),
    /// Compares two request bodies as a prompt cache does.
    Diff(Diff),
    /// Explains how the requests of a log use the prompt cache.
    Cache(Cache),
    /// Prints the catalogue of models, or everything known about some of them.
    Models(Models),
    /// Writes a first scenario, a sample reminder and a CI workflow.
    Init(Init),
    /// Checks golden scenarios: sessions, and the exact bytes of their requests.
    Verify(Verify),
    /// What the reminders of a directory are, whether their files are good, and
    /// when they fire.
    Reminders(Box<Reminders>),
    /// Prints the Agent Skills of a directory, and checks them.
    Skills(Box<Skills>),
    /// Runs a command with a proxy between it and its model provider.
    #[cfg(feature = "network")]
    Proxy(Box<Proxy>),
    /// Serves a Messages API for tests, without a key and without a model.
    #[cfg(feature = "network")]
    Serve(Box<Serve>),
    /// Prints a script by which a shell completes the arguments of aside.
    Completions(Completions),
}

/// Prints the sections of the system prompt for a directory.
///
/// A line for each: where it is sent, on which side of the boundary it stands,
/// for how long its text stays the same, whether that is kept, its length in
/// bytes and about how many tokens that is; and which rule chose the prompt.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside prompt
  aside prompt --agent .claude/agents/review.md --proactive
  aside prompt --json | jq '.sections[] | select(.cached | not)'")]
pub(crate) struct Prompt {
    /// Print one JSON object: {"rule","layout","mode","bytes","tokens",
    /// "sections":[{"name","zone","lifetime","cached","reason","sent","fault",
    /// "bytes","tokens"}]}.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) request: RequestArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// Checks golden scenarios: sessions, and the exact bytes of their requests.
///
/// DIR has a folder for each scenario, with a scenario.yaml, or is one. Prints
/// what is wrong: the file, the JSON path, the byte, what stands there, and
/// which section or file put it there; then how many scenarios failed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside verify
  aside verify --bless && git diff
  aside verify .aside/scenarios --junit report.xml

Exit codes: 0 all is well, 1 a scenario failed, 2 usage error.")]
pub(crate) struct Verify {
    /// The folder of the scenarios.
    #[arg(value_name = "DIR", default_value = ".aside/scenarios")]
    pub(crate) directory: PathBuf,

    /// Print one JSON object: {"scenarios":[{"name","failures","warnings"}],
    /// "blessed":["file"],"failed":0}.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write the bytes as they are now, and show what changed. Where the
    /// variable CI is set, this is refused: it is people who look at it.
    #[arg(long)]
    pub(crate) bless: bool,

    /// Write a report in JUnit's form, too.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ApiVersionName {
    #[value(name = "2023-06-01")]
    V2023_06_01,
    #[value(name = "2026-10-21")]
    V2026_10_21,
}

impl From<ApiVersionName> for ApiVersion {
    fn from(name: ApiVersionName) -> Self {
        match name {
            ApiVersionName::V2023_06_01 => Self::V2023_06_01,
            ApiVersionName::V2026_10_21 => Self::V2026_10_21,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutName {
    /// What sessions share first: a second session of the project finds the
    /// instruction files in the cache.
    Layered,
    /// The git status ends the system prompt, the date stands beside the
    /// instruction files.
    Classic,
}

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Layered => Self::Layered,
            LayoutName::Classic => Self::Classic,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn check(command: &clap::Command) {
        let examples = command.get_after_help().map(ToString::to_string);
        let name = command.get_name();
        assert!(
            examples.is_some_and(|it| it.starts_with("Examples:\n")),
            "{name}"
        );
        let own = |inner: &&clap::Command| inner.get_name() != "help";
        for inner in command.get_subcommands().filter(own) {
            check(inner);
        }
    }

    #[test]
    fn the_help_of_every_command_has_examples() {
        let mut command = Arguments::command();
        command.build();
        check(&command);
    }

    #[test]
    fn the_list_of_commands_has_the_first_line_of_each() {
        let listed = Arguments::command();
        let mut built = listed.clone();
        built.build();
        for command in listed.get_subcommands() {
            let name = command.get_name();
            let whole = built.find_subcommand(name).unwrap();
            let first_lines = [command, whole].map(|it| it.get_about().unwrap().to_string());
            assert_eq!(first_lines[0], first_lines[1], "{name}");
        }
    }
}
