//! The arguments of `aside convert` and `aside convert-stream`.

use std::path::PathBuf;

use anyhow::bail;
use aside_models::Wire;
use aside_providers::{Destination, Provider, ServerKind};
use aside_rules::ApiVersion;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::api_version;
use super::model_name::model_name;
use super::provider::provider;

/// Convert a request to another provider's wire.
///
/// FILE is a body or a history for the Messages API, Chat Completions,
/// Responses or Gemini. Prints the provider's body, and reports what gets lost
/// on stderr. Fails if the provider or the model would refuse the body, except
/// for a retired model, which `aside check` reports.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside convert --to openai request.json
  aside convert --to messages --model claude-sonnet-5-5 openai-request.json
  aside render \"Explain the build\" |
    aside convert --to gemini --model gemini-3-pro-preview -

Exit codes: 0 success, 1 the provider would refuse the request, 2 usage error.")]
pub(crate) struct Convert {
    /// The body; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The provider, or a wire: chat-completions is a compatible server, as with
    /// --compatible, and every other wire its own vendor.
    #[arg(long, value_parser = destination(), value_name = "PROVIDER")]
    pub(crate) to: Destination,

    /// The format of FILE; detected from its contents by default. Whatever is
    /// not in the form of the Messages API is converted to it first.
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) from: Option<FormName>,

    /// The model, in the provider's spelling; by default the request's own, or
    /// for a Claude the provider's counterpart.
    #[arg(long, value_name = "MODEL", value_parser = model_name)]
    pub(crate) model: Option<String>,

    /// A beta feature of Anthropic. May be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) beta: Vec<String>,

    /// The id of the session, by which OpenAI finds its cache.
    #[arg(long, value_name = "ID")]
    pub(crate) session_id: Option<String>,

    /// The version of Anthropic's API whose rules apply.
    #[arg(long, value_parser = api_version(), default_value = "2023-06-01", value_name = "VERSION")]
    pub(crate) api_version: ApiVersion,

    /// Write for a server that is compatible with OpenAI's Chat Completions,
    /// instead of the provider's own.
    #[arg(long)]
    pub(crate) compatible: bool,

    /// Name the limit of the response max_tokens, as many compatible servers do.
    /// Implies --compatible.
    #[arg(long)]
    pub(crate) max_tokens_key: bool,

    /// Send thinking back as reasoning_content, which some of these servers
    /// expect. Implies --compatible.
    #[arg(long)]
    pub(crate) reasoning_content: bool,

    /// Print one JSON object: {"body","losses":[{"severity","code","message"}]}.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The wire of a body or a history.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormName {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's Chat Completions.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Gemini's generateContent.
    GenerateContent,
}

impl From<FormName> for Wire {
    fn from(name: FormName) -> Self {
        match name {
            FormName::Messages => Self::Messages,
            FormName::ChatCompletions => Self::ChatCompletions,
            FormName::Responses => Self::Responses,
            FormName::GenerateContent => Self::GenerateContent,
        }
    }
}

/// Reads the name of a provider or a wire.
fn destination() -> impl TypedValueParser<Value = Destination> {
    PossibleValuesParser::new(Destination::names()).try_map(|name| name.parse::<Destination>())
}

impl Convert {
    /// Returns whose server it is: a compatible one if `--compatible` is given, or an option that
    /// only such servers need.
    ///
    /// # Errors
    /// An option is given, and `--to` has no such server.
    pub(crate) fn server(&self) -> anyhow::Result<ServerKind> {
        let flags = [
            ("--compatible", self.compatible),
            ("--max-tokens-key", self.max_tokens_key),
            ("--reasoning-content", self.reasoning_content),
        ];
        let Some((flag, _)) = flags.into_iter().find(|it| it.1) else {
            return Ok(self.to.server);
        };
        let has_compatible = self.to.provider.spec().wire_variable.is_some();
        if !has_compatible || self.to.server == ServerKind::OwnResponses {
            bail!("{flag} needs --to openai, grok or chat-completions");
        }
        Ok(ServerKind::Compatible)
    }
}

/// Convert a recorded stream to Messages API events.
///
/// FILE has the server-sent events of a recorded response. Prints one JSON
/// object per line. If the stream breaks off or contains an error, prints the
/// events before it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  aside convert-stream --from openai recording.sse
  curl … | aside convert-stream --from gemini -

Exit codes: 0 success, 1 the stream has an error, 2 usage error.")]
pub(crate) struct ConvertStream {
    /// The stream; - is stdin.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The provider.
    #[arg(long, value_parser = provider(), value_name = "PROVIDER")]
    pub(crate) from: Provider,

    /// Print JSON, which events always are.
    #[arg(long)]
    pub(crate) json: bool,
}
