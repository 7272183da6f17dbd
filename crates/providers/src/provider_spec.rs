//! The row of a provider: its names, credentials, address, wires and capabilities, all as data.
//!
//! The code of a wire reads the differences between providers from here, so a provider that uses an
//! existing wire needs a row and no code.

mod address;
mod credentials;
mod wire;

use std::fmt;

use crate::capabilities::{Capabilities, GlobalScope};
use aside_models::{Platform, Tier, Vendor};

pub use self::address::{Address, AddressPart};
pub use self::credentials::{ApiKeyHeader, KeyKind, KeyVariable};
pub use self::wire::{
    AnswerLimit, ChatDialect, CountBody, Framing, MessagesDialect, Paths, ResponsesDialect,
    ServerKind, WireDialect, WireSpec,
};

use self::address::{host, is_within};

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
    /// An example is `bedrock-messages`.
    pub name: &'static str,
    /// The name for people, such as `Amazon Bedrock`.
    pub title: &'static str,
    /// The variable that chooses the provider when it has a true value; `None`
    /// for the default.
    /// An example is `CLAUDE_CODE_USE_VERTEX`.
    pub chosen_by: Option<&'static str>,
    /// The variables that can hold credentials. The first one that is set is
    /// used.
    pub keys: &'static [KeyVariable],
    /// The header of an API key. A token is always sent as bearer.
    pub api_key: ApiKeyHeader,
    /// The address of the provider.
    pub address: Address,
    /// The variable that chooses the wire of a compatible server: `chat`, the default, or
    /// `responses`; `None` if the provider has no such servers.
    /// An example is `OPENAI_WIRE_API`.
    pub wire_variable: Option<&'static str>,
    /// The variables that choose models.
    pub model_variables: ModelVariables,
    /// The platform, for the catalogue of models.
    pub platform: Platform,
    /// The vendor of the models that it serves.
    pub vendor: Vendor,
    /// Returns the provider's name for a Claude model of a line, on a server.
    ///
    /// On a cloud of Anthropic's models it is the cloud's id of the same model, as
    /// `claude-haiku-4-5@20251001` on Vertex; elsewhere it is the newest model of the vendor for
    /// the line.
    pub stand_in: fn(model: &str, tier: Tier, server: ServerKind) -> String,
    /// The wires of the provider. The first one that serves the model is used.
    /// There is at least one; if none serves a model, the last is used.
    pub wires: &'static [WireSpec],
    /// The framing of a streamed response.
    pub framing: Framing,
    /// Its capabilities; [`Capabilities::global_scope`] applies only if
    /// enabled.
    /// A wire may replace them ([`WireSpec::capabilities`]).
    pub capabilities: Capabilities,
    /// The rules for the lifetime of cache entries.
    pub cache_terms: CacheTerms,
    /// The meaning of a response with status 429 without `retry-after`.
    pub bare_429: Bare429,
}

/// The variables that choose models ([`ModelChoice`](crate::ModelChoice)).
///
/// A field is `None` if the provider has no such variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelVariables {
    /// For every request.
    /// It is `OPENAI_MODEL`, `GEMINI_MODEL` or `GROK_MODEL`.
    pub outright: Option<&'static str>,
    /// For requests for an Opus.
    /// It is `GEMINI_DEFAULT_OPUS_MODEL`.
    pub opus: Option<&'static str>,
    /// For requests for a Sonnet.
    /// It is `GEMINI_DEFAULT_SONNET_MODEL`.
    pub sonnet: Option<&'static str>,
    /// For requests for a Haiku.
    /// No provider has one yet.
    pub haiku: Option<&'static str>,
}

/// The rules for the lifetime of cache entries.
///
/// `aside-cache-split` decides by them which lifetime a cache breakpoint has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheTerms {
    /// Those of Anthropic's own API.
    FirstParty,
    /// Those of Bedrock.
    Bedrock,
    /// Any other's: the defaults.
    Other,
}

/// The meaning of a response with status 429 without `retry-after`.
///
/// It decides whether a client retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bare429 {
    /// Too many requests for the moment.
    /// A retry after a pause is useful.
    RateLimit,
    /// A limit of spending, so that sending again does not help.
    SpendLimit,
}

impl ProviderSpec {
    /// Returns the capabilities of the provider.
    #[must_use]
    pub fn capabilities(&self, global: GlobalScope) -> Capabilities {
        Capabilities {
            global_scope: self.capabilities.global_scope && global == GlobalScope::Enabled,
            ..self.capabilities
        }
    }

    /// Returns the capabilities of the provider on one of its wires.
    ///
    /// They are the wire's own if it has any, as Responses at OpenAI, which accepts images in
    /// results although Chat Completions there does not.
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
    ///
    /// An example is `bedrock-mantle`.
    #[must_use]
    pub fn aws_service(&self) -> Option<&'static str> {
        self.keys.iter().find_map(|key| match key.holds {
            KeyKind::AwsKeyId { service, .. } => Some(service),
            _ => None,
        })
    }

    /// Returns the wire for a model on the provider's own servers: the first
    /// one that serves it, else the last.
    ///
    /// ```
    /// use aside_providers::{Provider, WireDialect};
    ///
    /// let wire = Provider::Gemini.spec().wire("gemini-3.8-flash");
    /// assert_eq!(wire.wire, WireDialect::GenerateContent);
    /// ```
    #[must_use]
    pub fn wire(&self, model: &str) -> &'static WireSpec {
        self.wire_on(model, ServerKind::Own)
    }

    /// Returns the wire for a model on a server: the first one that serves it,
    /// else the last.
    #[must_use]
    pub fn wire_on(&self, model: &str, server: ServerKind) -> &'static WireSpec {
        let serving = self.wires.iter().find(|wire| (wire.serves)(model, server));
        let wire = serving.or(self.wires.last());
        wire.expect("a provider speaks a wire")
    }

    /// Returns whose server the base URL names; without one, the provider's
    /// own.
    ///
    /// ```
    /// use aside_providers::{Provider, ServerKind};
    ///
    /// let spec = Provider::OpenAi.spec();
    /// assert_eq!(spec.server(Some("http://localhost:8080/v1")), ServerKind::Compatible);
    /// assert_eq!(spec.server(Some("https://my.openai.azure.com/openai/v1")), ServerKind::Own);
    /// assert_eq!(spec.server(None), ServerKind::Own);
    /// ```
    ///
    /// It compares the host with [`Address::own_hosts`], domains below them included, without
    /// regard to letter case. It never returns [`ServerKind::CompatibleResponses`], which no URL
    /// shows.
    #[must_use]
    pub fn server(&self, base: Option<&str>) -> ServerKind {
        let own = self.address.own_hosts;
        match base {
            Some(base) if !own.is_empty() => {
                let host = host(base).to_ascii_lowercase();
                match own.iter().any(|end| is_within(&host, end)) {
                    true => ServerKind::Own,
                    false => ServerKind::Compatible,
                }
            }
            _ => ServerKind::Own,
        }
    }
}

/// Two rows are equal if they have the same name.
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

impl fmt::Display for ProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
