//! A provider's row: its names, credentials, address, wires and capabilities, all as data.
//!
//! To learn how providers differ, a wire's code reads their rows. So if you add a provider that
//! uses an existing wire, you write a row and no code.

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

/// Everything specific to one provider. The rows are in `provider/table.rs`, the only place that
/// lists providers: the command line, scenarios, HTTP and the documentation read them.
///
/// To use a provider that is not there, start from a similar row and change it:
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
    /// The name, in lower case with hyphens, such as `bedrock-messages`. Use this one spelling on
    /// the command line, in files and in errors.
    pub name: &'static str,
    /// The name to show to people, such as `Amazon Bedrock`.
    pub title: &'static str,
    /// The variable to set to a true value to choose this provider, such as
    /// `CLAUDE_CODE_USE_VERTEX`; `None` for the default.
    pub chosen_by: Option<&'static str>,
    /// Which variables to read credentials from. The first one set is used.
    pub keys: &'static [KeyVariable],
    /// Which header to send an API key in. A token is always sent as bearer.
    pub api_key: ApiKeyHeader,
    /// Where to send requests.
    pub address: Address,
    /// The variable to choose a compatible server's wire, such as `OPENAI_WIRE_API`: `chat` (the
    /// default) or `responses`. `None` if the provider has no such servers.
    pub wire_variable: Option<&'static str>,
    /// Which variables choose models.
    pub model_variables: ModelVariables,
    /// The platform to look up in the model catalogue.
    pub platform: Platform,
    /// Whose models it serves.
    pub vendor: Vendor,
    /// Returns the provider's name for a Claude model, by its tier and server.
    ///
    /// On a cloud that hosts Anthropic's models this is the cloud's id for the same model, such as
    /// `claude-haiku-4-5@20251001` on Vertex; elsewhere it is the vendor's newest model for this
    /// tier.
    pub stand_in: fn(model: &str, tier: Tier, server: ServerKind) -> String,
    /// The provider's wires, at least one. The first that serves the model is used; if none does,
    /// the last.
    pub wires: &'static [WireSpec],
    /// How streamed responses are framed.
    pub framing: Framing,
    /// What the provider supports. [`Capabilities::global_scope`] applies only when you enable it.
    /// A wire may replace them ([`WireSpec::capabilities`]).
    pub capabilities: Capabilities,
    /// What decides how long cache entries live.
    pub cache_terms: CacheTerms,
    /// What status 429 means without `retry-after`.
    pub bare_429: Bare429,
}

/// The variables to choose models with ([`ModelChoice`](crate::ModelChoice)).
///
/// A field is `None` if the provider has no such variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelVariables {
    /// For every request: `OPENAI_MODEL`, `GEMINI_MODEL` or `GROK_MODEL`.
    pub outright: Option<&'static str>,
    /// When a request names an Opus: `GEMINI_DEFAULT_OPUS_MODEL`.
    pub opus: Option<&'static str>,
    /// When a request names a Sonnet: `GEMINI_DEFAULT_SONNET_MODEL`.
    pub sonnet: Option<&'static str>,
    /// When a request names a Haiku. No provider has one yet.
    pub haiku: Option<&'static str>,
}

/// What decides how long cache entries live.
///
/// `aside-cache-split` uses this to choose each cache breakpoint's lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheTerms {
    /// The terms of Anthropic's own API.
    FirstParty,
    /// Bedrock's terms.
    Bedrock,
    /// Any other provider: the defaults.
    Other,
}

/// What status 429 means without `retry-after`.
///
/// This decides whether a client retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bare429 {
    /// Too many requests for the moment: pause, then retry.
    RateLimit,
    /// You reached a spending limit, so it does not help to send the request again.
    SpendLimit,
}

impl ProviderSpec {
    /// Returns what the provider supports.
    #[must_use]
    pub fn capabilities(&self, global: GlobalScope) -> Capabilities {
        self.capabilities.within(global)
    }

    /// Returns what the provider supports on one of its wires.
    ///
    /// A wire's own capabilities replace the provider's. OpenAI's Responses has some, because it
    /// accepts images in results although Chat Completions does not.
    #[must_use]
    pub fn capabilities_on(&self, wire: &WireSpec, global: GlobalScope) -> Capabilities {
        wire.capabilities.unwrap_or(self.capabilities).within(global)
    }

    /// Returns the AWS service to sign requests for, such as `bedrock-mantle`; `None` if the
    /// provider takes no AWS keys.
    #[must_use]
    pub fn aws_service(&self) -> Option<&'static str> {
        self.keys.iter().find_map(|key| match key.holds {
            KeyKind::AwsKeyId { service, .. } => Some(service),
            _ => None,
        })
    }

    /// Returns the wire to use for a model on the provider's own servers: the first that serves it,
    /// else the last.
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

    /// Returns the wire to use for a model on this server: the first that serves it, else the last.
    #[must_use]
    pub fn wire_on(&self, model: &str, server: ServerKind) -> &'static WireSpec {
        let serving = self.wires.iter().find(|wire| (wire.serves)(model, server));
        let wire = serving.or(self.wires.last());
        wire.expect("a provider speaks a wire")
    }

    /// Returns whose server the base URL names; without one, the provider's own.
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
    /// This compares the host with [`Address::own_hosts`] and their subdomains, ignoring case. It
    /// never returns [`ServerKind::CompatibleResponses`], which no URL can show.
    #[must_use]
    pub fn server(&self, base: Option<&str>) -> ServerKind {
        let own = self.address.own_hosts;
        let is_own = base.is_none_or(|base| {
            let host = host(base).to_ascii_lowercase();
            own.is_empty() || own.iter().any(|end| is_within(&host, end))
        });
        if is_own { ServerKind::Own } else { ServerKind::Compatible }
    }
}

/// Rows are equal when their names are.
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
