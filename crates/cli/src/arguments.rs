//! All argument definitions, for clap.
//!
//! Doc comments on these types are the text in `--help`, manual pages and
//! completions, and tests compare it. So write them for users, and keep facts
//! for programmers in the command modules.
//!
//! Values are validated while they are parsed, to find a usage error before a
//! command does anything. Files are not opened here.

mod cache;
mod check;
mod common_args;
#[cfg(feature = "shell")]
mod completions;
mod context;
mod convert;
#[cfg(feature = "network")]
mod gateway;
mod groups;
#[cfg(feature = "verify")]
mod init;
#[cfg(feature = "shell")]
mod man;
#[cfg(feature = "network")]
mod mcp;
mod memory;
mod model_name;
mod models;
mod next;
mod output;
mod prompt;
mod provider;
mod reminders;
mod render;
mod report;
mod request;
mod rules;
mod run;
mod session;
mod skills;
#[cfg(feature = "verify")]
mod verify;

use std::path::PathBuf;

use aside_cache_split::Layout;
use aside_rules::ApiVersion;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use uuid::Uuid;

pub(crate) use cache::{
    Allowed, Cache, CacheCommand, CachePolicy, CachePrefix, CacheTtl, Diff, Explain, Lint,
    LogArguments, Placement, PlanBody, Simulate,
};
pub(crate) use check::{Check, Selected};
pub(crate) use common_args::CommonArgs;
#[cfg(feature = "shell")]
pub(crate) use completions::Completions;
pub(crate) use context::Context;
pub(crate) use convert::{Convert, ConvertStream};
#[cfg(feature = "network")]
pub(crate) use gateway::{Placer, Proxy, Serve};
pub(crate) use groups::{command, only, start};
#[cfg(feature = "verify")]
pub(crate) use init::Init;
#[cfg(feature = "shell")]
pub(crate) use man::Man;
#[cfg(feature = "network")]
pub(crate) use mcp::McpArguments;
pub(crate) use memory::{Imports, Memory, MemoryCommand, Profiles, Why};
pub(crate) use models::Models;
pub(crate) use next::{NextRequest, ToolChoice};
pub(crate) use output::{ColorChoice, DiagnosticsForm};
pub(crate) use prompt::Prompt;
pub(crate) use reminders::{
    CheckReminders, ListReminders, Reminders, RemindersCommand, SimulateReminders,
};
pub(crate) use render::Render;
pub(crate) use report::Report;
pub(crate) use request::{CompactAt, PromptArguments, RequestArguments};
pub(crate) use rules::{RuleId, Rules};
pub(crate) use run::Run;
pub(crate) use session::{SessionArguments, SystemProfile};
pub(crate) use skills::{CheckSkills, Skills, SkillsCommand};
#[cfg(feature = "verify")]
pub(crate) use verify::Verify;

/// The heading to show above the options that every command has.
const GLOBAL: &str = "Global options";

/// Explain, check and build the requests of coding agents, byte for byte.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 80,
    after_help = "Examples:
  aside diff turn-2.json turn-3.json
  aside cache explain log.jsonl
  aside memory --touch src/main.rs
  aside render \"Explain the build\""
)]
pub(crate) struct Arguments {
    /// How to print diagnostics on stderr: text, or json, one object per line
    /// for each error, warning and note.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL,
        value_enum,
        value_name = "FORM",
        default_value = "text",
        hide_possible_values = true
    )]
    pub(crate) diagnostics: DiagnosticsForm,

    /// When to use colors. With auto, on a terminal unless NO_COLOR is set, and
    /// anywhere if CLICOLOR_FORCE is set.
    #[arg(
        long,
        global = true,
        help_heading = GLOBAL,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: ColorChoice,

    /// Report errors only, no warnings or notes.
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    pub(crate) quiet: bool,

    /// Also report on stderr what the command uses: version, directories,
    /// settings files, the code of each diagnostic, and the elapsed time.
    #[arg(
        long,
        short,
        global = true,
        help_heading = GLOBAL,
        conflicts_with = "quiet"
    )]
    pub(crate) verbose: bool,

    /// Lay the prices and limits of models in this file over the built-in ones:
    /// rows as `aside models --help` describes them, or LiteLLM's
    /// model_prices_and_context_window.json as it is.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

// Defer building subcommand arguments: building all of them is as slow as a
// whole session. Descriptions cannot wait, because the list of commands needs
// them.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Find the first byte that breaks the cache between two requests.
    Diff(Diff),
    /// Show what fills a request: tokens, cost and cache state.
    Context(Box<Context>),
    /// Explain what a log of requests reads, writes and misses.
    Cache(Cache),
    /// Show what your agents cost, and the money lost to cache misses.
    Report(Report),
    /// Report which API rules a request breaks.
    Check(Check),
    /// List the rules that requests are checked by, or show one.
    Rules(Rules),
    /// Convert a request to another provider's wire.
    Convert(Convert),
    /// Convert a recorded stream to Messages API events.
    ConvertStream(ConvertStream),
    /// List models with their limits, prices and dates.
    Models(Models),
    /// Record what a command sends to its model provider.
    #[cfg(feature = "network")]
    Proxy(Box<Proxy>),
    /// Write scenarios for your agents, and a workflow for your CI.
    #[cfg(feature = "verify")]
    Init(Init),
    /// Compare what the model gets with the texts you accepted.
    #[cfg(feature = "verify")]
    Verify(Verify),
    /// Show which instruction files load, and why.
    Memory(Box<Memory>),
    /// List, check and simulate reminders.
    Reminders(Box<Reminders>),
    /// List and check Agent Skills.
    Skills(Box<Skills>),
    /// Serve the model APIs for tests, without a key or a model.
    #[cfg(feature = "network")]
    Serve(Box<Serve>),
    /// Print the request that `run` would send next.
    Render(Box<Render>),
    /// List the system prompt's sections.
    Prompt(Prompt),
    /// Run a model in a directory until it ends its turn.
    Run(Run),
    /// Print a completion script for a shell.
    #[cfg(feature = "shell")]
    Completions(Completions),
    /// Print the manual page of a command.
    #[cfg(feature = "shell")]
    Man(Man),
}

fn api_version() -> impl TypedValueParser<Value = ApiVersion> {
    let names = ApiVersion::ALL.map(ApiVersion::as_str);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ApiVersion>())
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LayoutName {
    /// Ordered by sharing: a second session of the project finds the
    /// instruction files in the cache.
    Layered,
    /// The git status ends the system prompt, and the date follows the
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

fn positive(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or("expected a whole number from 1 on")
}

/// Parses the `--resume` or `--session-id` argument.
fn session_id(text: &str) -> Result<Uuid, &'static str> {
    Uuid::parse_str(text).map_err(|_| "expected the id of a session, a UUID")
}

/// Reads the user's prompt. A blank one, as from an unset variable, would be sent and paid for.
fn user_prompt(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("a prompt has text") } else { Ok(text.to_owned()) }
}

#[cfg(test)]
mod requirements;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn check(command: &clap::Command) {
        let examples = command.get_after_help().map(ToString::to_string);
        let (name, examples) = (command.get_name(), examples.unwrap_or_default());
        assert!(examples.starts_with("Examples:\n"), "{name}");
        // clap would wrap a longer line, at any word in an example.
        let is_wrapped = examples.lines().any(|line| line.chars().count() > 80);
        assert!(!is_wrapped, "{name}: {examples}");
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
