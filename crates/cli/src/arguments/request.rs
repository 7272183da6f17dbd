use std::path::PathBuf;

use aside_prompt_sections::SessionDate;
use aside_providers::Provider;
use clap::Args;

use super::LayoutName;
use super::model_name::model_name;
use super::provider::provider;

/// What every command that makes a request takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Request")]
pub(crate) struct RequestArguments {
    /// The order of what a request holds; by default layered, unless what is
    /// cached may be shared with everybody.
    #[arg(long, value_enum)]
    pub(crate) layout: Option<LayoutName>,

    /// Who serves the model, and whose wire a body is for; by default whom a
    /// variable chooses, such as CLAUDE_CODE_USE_BEDROCK. What that wire has no
    /// place for is told on stderr.
    #[arg(long, value_parser = provider(), value_name = "PROVIDER")]
    pub(crate) provider: Option<Provider>,

    /// The model, as the provider calls it.
    #[arg(long, value_name = "MODEL", default_value = aside_session::DEFAULT_MODEL,
          value_parser = model_name)]
    pub(crate) model: String,

    /// The longest answer, in tokens.
    #[arg(long, value_name = "N", default_value_t = aside_session::DEFAULT_MAX_TOKENS,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: u64,

    /// The day on which the session begins; by default the local date. Where
    /// it is given, reminders are told that it is midnight, UTC.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub(crate) date: Option<SessionDate>,

    /// Who makes the request, such as sdk or agent:review: it may decide how
    /// long cache entries live. By default sdk, or the agent's name.
    #[arg(long, value_name = "NAME")]
    pub(crate) query_source: Option<String>,

    /// A beta feature to ask for. May be given again. Those that a request needs
    /// are sent without this.
    #[arg(long, value_name = "NAME")]
    pub(crate) beta: Vec<String>,

    /// How things stand that is not found out here, such as skills, MCP
    /// servers or plan mode: a JSON file, of the form of state.schema.json of
    /// aside-agent.
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) prompt: PromptArguments,
}

/// The system prompt. Of several, the first in this order wins: override,
/// coordinator, agent, custom prompt, default.
#[derive(Debug, Args)]
#[command(next_help_heading = "System prompt")]
pub(crate) struct PromptArguments {
    /// Take this text for the whole system prompt, and nothing else.
    #[arg(long, value_name = "TEXT")]
    pub(crate) override_system_prompt: Option<String>,

    /// Coordinator mode: the model hands all work to workers.
    /// ASIDE_COORDINATOR_MODE does the same.
    #[arg(long)]
    pub(crate) coordinator: bool,

    /// Take an agent's prompt from a Markdown file, whose front matter may name
    /// the agent, in the place of the default.
    #[arg(long, value_name = "FILE")]
    pub(crate) agent: Option<PathBuf>,

    /// Append the agent's prompt to the default.
    #[arg(long, requires = "agent")]
    pub(crate) proactive: bool,

    /// Take this text in the place of the default.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,

    /// The same, from a file.
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt")]
    pub(crate) system_prompt_file: Option<PathBuf>,

    /// Append this text to whichever prompt is taken.
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,

    /// The same, from a file.
    #[arg(long, value_name = "FILE", conflicts_with = "append_system_prompt")]
    pub(crate) append_system_prompt_file: Option<PathBuf>,

    /// Tell the model that nobody can answer it while it works. `aside run`
    /// does so unless --steer is given.
    #[arg(long)]
    pub(crate) unattended: bool,

    /// Ask for brief answers.
    #[arg(long)]
    pub(crate) brief: bool,

    /// Tell the model how many output tokens the task may use.
    #[arg(long, value_name = "TOKENS")]
    pub(crate) token_budget: Option<u64>,

    /// Tell the model to put temporary files into this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) scratchpad: Option<PathBuf>,
}
