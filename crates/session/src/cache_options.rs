//! The options of prompt caching, and the decision on lifetimes that follows
//! from them when a session opens.

use aside_cache_split::{
    Caching, Continuation, GlobalScopeInputs, Hosting, Layout, PrefixTtl, TtlDecision, TtlInputs,
    TtlPolicy, TtlSwitches,
};
use aside_messages::wire::CacheControl;
use aside_providers::{CacheTerms, ProviderSpec};

/// The options of the provider's prompt cache in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// Whether requests contain cache markers, and who sets them.
    pub caching: Caching,
    /// The service that runs the model, which decides the lifetimes on offer.
    pub hosting: Hosting,
    /// The source of the requests: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: String,
    /// First party: the query sources whose cache entries live for an hour; a
    /// trailing `*` matches any suffix.
    pub ttl_allowlist: Vec<String>,
    /// The user's switches for the lifetime.
    pub ttl_switches: TtlSwitches,
    /// The lifetime of entries if no rule above applies; by default that of the
    /// layout and the provider ([`TtlInputs::policy`]).
    pub ttl: Option<TtlPolicy>,
    /// The same for subagents, whose query source begins with `agent:`; by
    /// default `ttl`.
    pub subagent_ttl: Option<TtlPolicy>,
    /// The lifetime of the layers that the sessions of a project share
    /// ([`PrefixTtl::auto`]); five minutes if it is `None`.
    pub prefix: Option<PrefixTtl>,
    /// The inputs of `"scope":"global"`. The hosting in it is ignored in favour
    /// of [`CacheOptions::hosting`].
    pub global_scope: GlobalScopeInputs,
    /// The automatic marker of a request: the provider places it on the last
    /// block that it can cache.
    pub automatic: Option<CacheControl>,
    /// Whether a later request reads the cache entry at the end of this one.
    pub continuation: Continuation,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            caching: Caching::default(),
            hosting: Hosting::default(),
            query_source: "sdk".to_owned(),
            ttl_allowlist: Vec::new(),
            ttl_switches: TtlSwitches::default(),
            ttl: None,
            subagent_ttl: None,
            prefix: None,
            global_scope: GlobalScopeInputs::default(),
            automatic: None,
            continuation: Continuation::default(),
        }
    }
}

impl CacheOptions {
    /// Returns the class of a provider in respect of caching.
    #[must_use]
    pub fn hosting_of(provider: impl Into<&'static ProviderSpec>) -> Hosting {
        match provider.into().cache_terms {
            CacheTerms::FirstParty => Hosting::FirstParty,
            CacheTerms::Bedrock => Hosting::Bedrock,
            _ => Hosting::Other,
        }
    }

    /// Decides on the lifetimes, once, when the session opens.
    pub(crate) fn ttl(&self, layout: Layout) -> TtlDecision {
        let is_subagent = self.query_source.starts_with("agent:");
        let subagent = self.subagent_ttl.filter(|_| is_subagent);
        TtlDecision::of(&TtlInputs {
            hosting: self.hosting,
            query_source: &self.query_source,
            allowlist: &self.ttl_allowlist,
            switches: self.ttl_switches,
            policy: subagent.or(self.ttl),
            layout,
            prefix: self.prefix.unwrap_or_default(),
        })
    }

    /// Returns the automatic marker, unless markers are off.
    pub(crate) fn automatic(&self) -> Option<CacheControl> {
        let is_on = self.caching == Caching::On;
        self.automatic.clone().filter(|_| is_on)
    }

    /// Returns the inputs of global scope: whether it may be sent, and with
    /// which beta.
    #[must_use]
    pub fn global_scope(&self) -> GlobalScopeInputs {
        GlobalScopeInputs {
            hosting: self.hosting,
            ..self.global_scope
        }
    }
}
