use std::fmt;

use crate::capabilities::{Capabilities, GlobalScope};
use crate::family::Family;
use aside_models::{Platform, Tier, Vendor};

/// Everything that is specific to one provider. The rows are in
/// `provider/table.rs`, the only place that lists providers: the command line,
/// scenarios, HTTP and the documentation read them.
///
/// A program can make a row of its own, from one that is nearly right:
///
/// ```
/// use aside_providers::{Address, KeyVariable, Options, Provider, ProviderSpec, convert};
/// use aside_messages::wire::Request;
///
/// static ACME: ProviderSpec = {
///     let mut row = *Provider::OpenAi.spec();
///     row.name = "acme";
///     row.keys = &[KeyVariable::api_key("ACME_API_KEY")];
///     row.address = Address::fixed("ACME_BASE_URL", "https://llm.acme.example/v1");
///     row
/// };
/// let json = r#"{"model":"a","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
/// let request = Request::parse(json.as_bytes())?.value;
/// assert_eq!(convert(&request, &ACME, &Options::default())?.path, "/responses");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ProviderSpec {
    /// The name, in lower case with hyphens: the one spelling on the command
    /// line, in files and in errors.
    pub name: &'static str,
    /// The name for people, such as `Amazon Bedrock`.
    pub title: &'static str,
    /// Whose models it serves, in whose form.
    pub family: Family,
    /// The variable that chooses the provider when it has a true value; `None`
    /// for the default.
    pub chosen_by: Option<&'static str>,
    /// The variables that can hold credentials. The first one that is set wins.
    pub keys: &'static [KeyVariable],
    /// How an API key is sent. A token is always sent as bearer.
    pub api_key: ApiKeyHeader,
    /// Where the provider is.
    pub address: Address,
    /// The variable that has the value `responses` if a compatible server
    /// serves Responses; `None` if the provider has no such servers.
    pub wire_variable: Option<&'static str>,
    /// The variables that choose models.
    pub model_variables: ModelVariables,
    /// The platform, for the catalogue of models.
    pub platform: Platform,
    /// The vendor of the models that it serves.
    pub vendor: Vendor,
    /// Returns the provider's name for a Claude model of a line, on a server.
    pub stand_in: fn(model: &str, tier: Tier, server: Server) -> String,
    /// The wires that it speaks. The first one that serves the model is used.
    pub wires: &'static [WireSpec],
    /// How a streamed answer is framed.
    pub framing: Framing,
    /// What it can do; [`Capabilities::global_scope`] counts only if enabled.
    pub capabilities: Capabilities,
    /// Whose rules decide how long cache entries live.
    pub cache_terms: CacheTerms,
    /// What a response with status 429 and no `retry-after` means.
    pub bare_429: Bare429,
}

/// A variable that can hold credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVariable {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: KeyKind,
}

/// What a credentials variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyKind {
    /// An API key, sent as [`ProviderSpec::api_key`] says.
    ApiKey,
    /// A token, sent as `authorization: Bearer …`.
    Bearer,
    /// The id of an AWS key, with which requests are signed.
    AwsKeyId {
        /// The variable of the secret.
        secret: &'static str,
        /// The variable of the session token, which may be unset.
        session_token: &'static str,
        /// The name of the AWS service that signatures are made for.
        service: &'static str,
    },
}

/// How an API key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiKeyHeader {
    /// As the value of this header.
    Named(&'static str),
    /// As `authorization: Bearer …`.
    Bearer,
}

/// Where a provider is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The variable that replaces the default base URL.
    pub base_variable: &'static str,
    /// The default base URL; `{name}` stands for a [`Place`].
    pub base: &'static str,
    /// Base URLs for single values of the first place.
    pub bases: &'static [(&'static str, &'static str)],
    /// The ends of the names of the hosts that are the provider's own; a server
    /// with another name is a [`Server::Compatible`] one. Empty if every server
    /// counts as the provider's own.
    pub own_hosts: &'static [&'static str],
    /// Path segments behind the base, whichever it is; `{name}` stands for a
    /// [`Place`].
    pub scope: &'static [&'static str],
    /// What has to be known beside the base.
    pub places: &'static [Place],
}

/// A part of an address that the user names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Such as `region`.
    pub name: &'static str,
    /// The variable that holds it.
    pub variable: &'static str,
    /// Bytes that it may have beside letters, digits, `-` and `_`.
    pub punctuation: &'static [u8],
}

/// The variables that choose models ([`ModelChoice`](crate::ModelChoice)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelVariables {
    /// For every request.
    pub outright: Option<&'static str>,
    /// For requests for an Opus.
    pub opus: Option<&'static str>,
    /// For requests for a Sonnet.
    pub sonnet: Option<&'static str>,
    /// For requests for a Haiku.
    pub haiku: Option<&'static str>,
}

/// A wire that a provider speaks, and where.
#[derive(Clone, Copy)]
pub struct WireSpec {
    /// The format.
    pub wire: Wire,
    /// Returns true for the models that are served there, on such a server.
    pub serves: fn(model: &str, server: Server) -> bool,
    /// The paths.
    pub paths: Paths,
    /// What the provider can do on this wire; `None` for what it can do in
    /// general ([`ProviderSpec::capabilities`]).
    pub capabilities: Option<Capabilities>,
}

/// Whose servers answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Server {
    /// The provider's own, or one of a cloud that serves its models.
    #[default]
    Own,
    /// Another one that is compatible with Chat Completions. It may need no
    /// key.
    Compatible,
    /// Another one that is compatible with Responses. It may need no key.
    CompatibleResponses,
}

/// The format of requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wire {
    /// Anthropic's Messages API.
    Messages(MessagesDialect),
    /// OpenAI's Responses.
    Responses(ResponsesDialect),
    /// OpenAI's Chat Completions.
    ChatCompletions(ChatDialect),
    /// Google's `generateContent`.
    GenerateContent,
}

/// How a provider's Messages API differs from Anthropic's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagesDialect {
    /// The default of `anthropic_version`, which replaces `model` in the body;
    /// `None` if `model` stays.
    pub body_version: Option<&'static str>,
    /// Whether `stream` is in the body; if not, the path says it.
    pub stream_key: bool,
    /// Whether the provider takes the automatic marker, `cache_control` beside
    /// the parameters.
    pub automatic_marker: bool,
    /// Whether the version of the API is a header.
    pub version_header: bool,
    /// The body of a request to count tokens.
    pub count: CountBody,
}

/// The body of a request to count tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CountBody {
    /// The request without what does not count.
    Bare,
    /// An ordinary request in base64, as Bedrock takes it.
    InvokeModel,
}

/// How a provider's Responses differ from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResponsesDialect {
    /// The beginning of the signatures that hold the provider's reasoning in
    /// the Anthropic form.
    pub seal: &'static str,
    /// Whether the system prompt may be in `instructions`.
    pub instructions: bool,
    /// Whether `reasoning.summary` is accepted.
    pub summaries: bool,
    /// Whether `service_tier` is accepted.
    pub service_tiers: bool,
    /// Whether `tool_choice` can name the tools that the model may call.
    pub allowed_tools: bool,
    /// The smallest `max_output_tokens`.
    pub min_output_tokens: u64,
}

/// How a provider's Chat Completions differ from OpenAI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatDialect {
    /// Whether the body may have `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// Whether `completion_tokens` includes reasoning; if not, only the total
    /// does.
    pub counts_reasoning: bool,
}

/// Paths behind the base, by what is requested; `{model}` is the model's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paths {
    /// An answer in one piece.
    pub whole: &'static str,
    /// An answer as a stream.
    pub stream: &'static str,
    /// A count of tokens; `None` if the provider does not count.
    pub count: Option<&'static str>,
}

/// How a streamed answer is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    ServerSentEvents,
    /// Event stream frames of AWS.
    AwsEventStream,
}

/// Whose rules decide how long cache entries live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheTerms {
    /// Those of Anthropic's own API.
    FirstParty,
    /// Those of Bedrock.
    Bedrock,
    /// Any other's: the defaults.
    Other,
}

/// What a response with status 429 and no `retry-after` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bare429 {
    /// Too many requests for the moment.
    RateLimit,
    /// A limit of spending, so that sending again does not help.
    SpendLimit,
}

impl ProviderSpec {
    /// Returns what the provider can do.
    #[must_use]
    pub fn capabilities(&self, global: GlobalScope) -> Capabilities {
        Capabilities {
            global_scope: self.capabilities.global_scope && global == GlobalScope::Enabled,
            ..self.capabilities
        }
    }

    /// Returns what the provider can do on one of its wires.
    #[must_use]
    pub fn capabilities_on(&self, wire: &WireSpec, global: GlobalScope) -> Capabilities {
        let all = wire.capabilities.unwrap_or(self.capabilities);
        Capabilities {
            global_scope: all.global_scope && global == GlobalScope::Enabled,
            ..all
        }
    }

    /// Returns the name of the AWS service that signatures are made for; `None`
    /// if the provider takes no AWS keys.
    #[must_use]
    pub fn aws_service(&self) -> Option<&'static str> {
        self.keys.iter().find_map(|key| match key.holds {
            KeyKind::AwsKeyId { service, .. } => Some(service),
            _ => None,
        })
    }

    /// Returns the wire for a model on the provider's own servers: the first
    /// one that serves it, else the last.
    #[must_use]
    pub fn wire(&self, model: &str) -> &'static WireSpec {
        self.wire_on(model, Server::Own)
    }

    /// Returns the wire for a model on a server: the first one that serves it,
    /// else the last.
    #[must_use]
    pub fn wire_on(&self, model: &str, server: Server) -> &'static WireSpec {
        let serving = self.wires.iter().find(|wire| (wire.serves)(model, server));
        let wire = serving.or(self.wires.last());
        wire.expect("a provider speaks a wire")
    }

    /// Returns whose server the base URL names; without one, the provider's
    /// own.
    ///
    /// ```
    /// use aside_providers::{Provider, Server};
    ///
    /// let spec = Provider::OpenAi.spec();
    /// assert_eq!(spec.server(Some("http://localhost:8080/v1")), Server::Compatible);
    /// assert_eq!(spec.server(Some("https://my.openai.azure.com/openai/v1")), Server::Own);
    /// assert_eq!(spec.server(None), Server::Own);
    /// ```
    #[must_use]
    pub fn server(&self, base: Option<&str>) -> Server {
        let own = self.address.own_hosts;
        match base {
            Some(base) if !own.is_empty() => {
                let host = host(base).to_ascii_lowercase();
                match own.iter().any(|end| is_within(&host, end)) {
                    true => Server::Own,
                    false => Server::Compatible,
                }
            }
            _ => Server::Own,
        }
    }
}

/// Returns the host of a URL, without its port.
fn host(base: &str) -> &str {
    let base = base.trim();
    let behind = base.split_once("://").map_or(base, |(_, rest)| rest);
    let authority = behind.split(['/', '?', '#', '\\']).next();
    let authority = authority.unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |it| it.1);
    // An address of IPv6 has colons itself, and is no name.
    let name = host.split(':').next().unwrap_or_default();
    name.strip_suffix('.').unwrap_or(name)
}

/// Returns true if a host is a domain or one below it.
fn is_within(host: &str, domain: &str) -> bool {
    let below = host.strip_suffix(domain);
    below.is_some_and(|below| below.is_empty() || below.ends_with('.'))
}

impl KeyVariable {
    /// A variable that holds an API key.
    #[must_use]
    pub const fn api_key(name: &'static str) -> Self {
        Self {
            name,
            holds: KeyKind::ApiKey,
        }
    }

    /// A variable that holds a token.
    #[must_use]
    pub const fn bearer(name: &'static str) -> Self {
        Self {
            name,
            holds: KeyKind::Bearer,
        }
    }
}

impl Address {
    /// An address that the user has to know nothing for.
    #[must_use]
    pub const fn fixed(base_variable: &'static str, base: &'static str) -> Self {
        Self {
            base_variable,
            base,
            bases: &[],
            own_hosts: &[],
            scope: &[],
            places: &[],
        }
    }
}

impl Place {
    pub(crate) const fn new(name: &'static str, variable: &'static str) -> Self {
        Self {
            name,
            variable,
            punctuation: &[],
        }
    }
}

/// The row of a provider is known by its name.
impl PartialEq for ProviderSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ProviderSpec {}

impl fmt::Debug for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProviderSpec").field(&self.name).finish()
    }
}

impl fmt::Debug for WireSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wire, paths, .. } = self;
        let mut out = f.debug_struct("WireSpec");
        out.field("wire", wire).field("paths", paths);
        out.finish_non_exhaustive()
    }
}

impl fmt::Display for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
