//! Prompt caching options, and the decision on lifetimes that follows from them
//! when a session opens.

use aside_cache_split::{
    Caching, Continuation, GlobalScopeInputs, Hosting, Layout, TtlDecision, TtlInputs, TtlPolicy,
    TtlSwitches,
};
use aside_messages::wire::{CacheControl, Ttl};
use aside_providers::{CacheTerms, ProviderSpec};

/// How a session uses the provider's prompt cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// Whether requests have cache markers, and who sets them.
    pub caching: Caching,
    /// The service that runs the model; it decides which lifetimes are on
    /// offer.
    pub hosting: Hosting,
    /// Where the requests come from: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: String,
    /// First party: query sources whose cache entries live for an hour; a
    /// trailing `*` matches any suffix.
    pub ttl_allowlist: Vec<String>,
    /// User switches for how long entries live.
    pub ttl_switches: TtlSwitches,
    /// How long entries live when no rule above applies; by default this
    /// follows from layout and provider ([`TtlInputs::policy`]).
    pub ttl: Option<TtlPolicy>,
    /// The same for subagents, whose query source begins with `agent:`; by
    /// default `ttl`.
    pub subagent_ttl: Option<TtlPolicy>,
    /// How long the layers live that a project's sessions share
    /// ([`shared_ttl`](aside_cache_split::shared_ttl)); five minutes if this is `None`.
    pub prefix: Option<Ttl>,
    /// What `"scope":"global"` depends on. Its hosting is ignored in favour of
    /// [`CacheOptions::hosting`].
    pub global_scope: GlobalScopeInputs,
    /// The request's automatic marker: the provider places it on the last block
    /// that it can cache.
    pub automatic: Option<CacheControl>,
    /// Whether a later request reads the cache entry at this one's end.
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
    /// Returns how a provider counts for caching.
    #[must_use]
    pub fn hosting_of(provider: impl Into<&'static ProviderSpec>) -> Hosting {
        match provider.into().cache_terms {
            CacheTerms::FirstParty => Hosting::FirstParty,
            CacheTerms::Bedrock => Hosting::Bedrock,
            _ => Hosting::Other,
        }
    }

    /// Decides how long entries live, once, when the session opens.
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

    /// Returns what global scope depends on: whether to send it, and with which
    /// beta.
    #[must_use]
    pub fn global_scope(&self) -> GlobalScopeInputs {
        GlobalScopeInputs { hosting: self.hosting, ..self.global_scope }
    }
}
