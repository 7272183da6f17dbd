use aside_cache_split::{
    Caching, Continuation, GlobalScopeInputs, Hosting, Layout, PrefixTtl, TtlDecision, TtlInputs,
    TtlPolicy, TtlSwitches,
};
use aside_messages::wire::CacheControl;
use aside_providers::{CacheTerms, ProviderSpec};

/// Everything about the provider's prompt cache that a session is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// Whether there are markers at all.
    pub caching: Caching,
    /// Who serves the model.
    pub hosting: Hosting,
    /// Who makes the requests: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: String,
    /// First party: query sources whose entries live for an hour; a trailing
    /// `*` stands for any rest.
    pub ttl_allowlist: Vec<String>,
    /// What the user's switches say of lifetimes.
    pub ttl_switches: TtlSwitches,
    /// The lifetime of entries if no rule above applies; by default that of the
    /// layout and the provider ([`TtlInputs::policy`]).
    pub ttl: Option<TtlPolicy>,
    /// The same for subagents, whose query source begins with `agent:`; by
    /// default the one above.
    pub subagent_ttl: Option<TtlPolicy>,
    /// The lifetime of the layers that the sessions of a project share
    /// ([`PrefixTtl::auto`]); five minutes if it is not decided.
    pub prefix: Option<PrefixTtl>,
    /// Whether `"scope":"global"` is wanted; [`CacheOptions::hosting`] counts,
    /// not the one in here.
    pub global_scope: GlobalScopeInputs,
    /// The automatic marker: the provider marks the last block it can.
    pub automatic: Option<CacheControl>,
    /// Whether anybody reads what is written at the end of a request.
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
    /// Returns the provider as far as caching differs.
    #[must_use]
    pub fn hosting_of(provider: impl Into<&'static ProviderSpec>) -> Hosting {
        match provider.into().cache_terms {
            CacheTerms::FirstParty => Hosting::FirstParty,
            CacheTerms::Bedrock => Hosting::Bedrock,
            CacheTerms::Other => Hosting::Other,
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

    /// The automatic marker that is sent.
    pub(crate) fn automatic(&self) -> Option<CacheControl> {
        let is_on = self.caching == Caching::On;
        self.automatic.clone().filter(|_| is_on)
    }

    /// Whether global scope may be sent, and with which beta.
    #[must_use]
    pub fn global_scope(&self) -> GlobalScopeInputs {
        GlobalScopeInputs {
            hosting: self.hosting,
            ..self.global_scope
        }
    }
}
