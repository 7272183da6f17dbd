//! Reading cache lifetimes from settings and environment variables.
//!
//! An unknown value is reported with the place that set it, and the default
//! applies.

use aside_cache_split::TtlPolicy;
use aside_diagnostic::Diagnostic;
use aside_messages::wire::Ttl;
use aside_session::CacheOptions;

use crate::session_inputs::{SessionInputs, quoted, wrong};

/// Parses a policy: `5m`, `prefix` (an hour for what sessions share), `1h` or
/// `auto` (checkpoints).
///
/// `None` for any other name.
fn ttl_policy(name: &str) -> Option<TtlPolicy> {
    Some(match name {
        "5m" => TtlPolicy::Short,
        "prefix" => TtlPolicy::LongPrefix,
        "1h" => TtlPolicy::Long,
        "auto" => TtlPolicy::Checkpoints,
        _ => return None,
    })
}

/// Parses the lifetime for layers that sessions share: `5m`, `1h`, or `auto`,
/// which is `None` and left to the project's sessions to decide.
///
/// The outer `None` is any other name.
fn prefix_ttl(name: &str) -> Option<Option<Ttl>> {
    if name == "auto" { Some(None) } else { name.parse().ok().map(Some) }
}

/// For diagnostics.
const POLICIES: &str = "5m, prefix, 1h or auto";
const LIFETIMES: &str = "5m, 1h or auto";

impl SessionInputs<'_> {
    /// Fills in the lifetimes. A variable has precedence over settings; the
    /// lists of query sources are joined.
    ///
    /// `ASIDE_CACHE_TTL` also sets the lifetime for subagents.
    pub(crate) fn cache(&self, options: &mut CacheOptions, diagnostics: &mut Vec<Diagnostic>) {
        let settings = self.settings;
        options.ttl_switches = self.variables.ttl;
        options.ttl_allowlist.clone_from(&settings.prompt_cache_ttl_allowlist);
        let sources = self
            .variables
            .cache_ttl_allowlist
            .iter()
            .flat_map(|it| it.split(','))
            .map(str::trim)
            .filter(|it| !it.is_empty())
            .map(str::to_owned);
        options.ttl_allowlist.extend(sources);
        let mut policy = |key, value: &Option<String>| {
            let name = value.as_deref()?;
            let policy = ttl_policy(name);
            if policy.is_none() {
                diagnostics.push(self.invalid(key, quoted(name), POLICIES));
            }
            policy
        };
        options.ttl = policy("promptCacheTtl", &settings.prompt_cache_ttl);
        options.subagent_ttl =
            policy("subagentPromptCacheTtl", &settings.subagent_prompt_cache_ttl);
        if let Some(name) = settings.cache_prefix.as_deref() {
            match prefix_ttl(name) {
                Some(prefix) => options.prefix = prefix,
                None => diagnostics.push(self.invalid("cache.prefix", quoted(name), LIFETIMES)),
            }
        }
        if let Some(name) = self.variables.cache_ttl.as_deref() {
            match ttl_policy(name) {
                Some(policy) => {
                    options.ttl = Some(policy);
                    options.subagent_ttl = Some(policy);
                }
                None => diagnostics.push(wrong("ASIDE_CACHE_TTL", name, POLICIES)),
            }
        }
        if let Some(name) = self.variables.cache_prefix.as_deref() {
            match prefix_ttl(name) {
                Some(prefix) => options.prefix = prefix,
                None => diagnostics.push(wrong("ASIDE_CACHE_PREFIX", name, LIFETIMES)),
            }
        }
    }
}
