use aside_messages::wire::Ttl;
use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::ttl::TtlPolicy;

/// Who hosts the model, as far as caching depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hosting {
    /// Anthropic's own API.
    #[default]
    FirstParty,
    /// Amazon Bedrock.
    Bedrock,
    /// Any other host.
    Other,
}

/// Switches cache markers on or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// Send markers as planned.
    #[default]
    On,
    /// Send no markers, not even your own (`DISABLE_PROMPT_CACHING`).
    Off,
}

/// What [`TtlDecision::of`] depends on.
///
/// A minor version may add fields: end yours with `..Default::default()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TtlInputs<'a> {
    /// Who hosts the model.
    pub hosting: Hosting,
    /// Where the request comes from: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: &'a str,
    /// Query sources that get an hour on the first party's API. A trailing `*`
    /// matches any rest; elsewhere it is an ordinary character.
    pub allowlist: &'a [String],
    /// The user's switches.
    pub switches: TtlSwitches,
    /// The policy to use when no other rule applies; by default it follows from
    /// layout and host.
    pub policy: Option<TtlPolicy>,
    /// The layout for this session's requests.
    pub layout: Layout,
    /// The lifetime for layers that sessions share, when the policy leaves it
    /// open.
    pub prefix: Ttl,
}

/// User switches for how long cache entries live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TtlSwitches {
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`: an hour on Bedrock.
    pub long_on_bedrock: bool,
    /// `ENABLE_PROMPT_CACHING_1H`: an hour on every host.
    pub long_everywhere: bool,
    /// `FORCE_PROMPT_CACHING_5M`: five minutes, whatever the other rules say.
    pub force_short: bool,
}

/// How long a session's cache entries live, and which rule decided this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TtlDecision {
    /// The lifetime.
    pub policy: TtlPolicy,
    /// The lifetime for layers that sessions share, under
    /// [`TtlPolicy::Checkpoints`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub prefix: Ttl,
    /// The rule.
    pub reason: TtlReason,
}

aside_text::names! {
    /// The rules for [`TtlDecision::of`], strongest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum TtlReason {
        /// Five minutes are forced.
        Forced = "FORCE_PROMPT_CACHING_5M",
        /// An hour is requested on every host.
        #[serde(alias = "asked")]
        Requested = "ENABLE_PROMPT_CACHING_1H",
        /// An hour is requested on Bedrock, and the host is Bedrock.
        Bedrock = "ENABLE_PROMPT_CACHING_1H_BEDROCK",
        /// The query source is on the first party's allowlist.
        Allowlist = "the allowlist of query sources",
        /// You chose the policy.
        Policy = "chosen",
        /// The default for this layout on this host.
        Default = "the default",
    }
}

fn is_default(ttl: &Ttl) -> bool {
    *ttl == Ttl::default()
}

impl TtlDecision {
    /// Decides how long entries live. Decide once per session and keep the
    /// decision: a changed lifetime invalidates the cached prefix.
    ///
    /// ```
    /// use aside_cache_split::{TtlDecision, TtlInputs, TtlPolicy, TtlReason};
    ///
    /// let allowlist = ["agent:*".to_owned()];
    /// let inputs = TtlInputs { query_source: "agent:review", allowlist: &allowlist, ..TtlInputs::default() };
    /// let decision = TtlDecision::of(&inputs);
    /// assert_eq!((decision.policy, decision.reason), (TtlPolicy::Long, TtlReason::Allowlist));
    /// ```
    #[must_use]
    pub fn of(inputs: &TtlInputs<'_>) -> Self {
        let switches = inputs.switches;
        let is_listed = || {
            let mut patterns = inputs.allowlist.iter();
            patterns.any(|pattern| matches(pattern, inputs.query_source))
        };
        let (policy, reason) = if switches.force_short {
            (TtlPolicy::Short, TtlReason::Forced)
        } else if switches.long_everywhere {
            (TtlPolicy::Long, TtlReason::Requested)
        } else if inputs.hosting == Hosting::Bedrock && switches.long_on_bedrock {
            (TtlPolicy::Long, TtlReason::Bedrock)
        } else if inputs.hosting == Hosting::FirstParty && is_listed() {
            (TtlPolicy::Long, TtlReason::Allowlist)
        } else if let Some(policy) = inputs.policy {
            (policy, TtlReason::Policy)
        } else {
            (inputs.default_policy(), TtlReason::Default)
        };
        let prefix = match policy {
            TtlPolicy::Checkpoints => inputs.prefix,
            _ => Ttl::FiveMinutes,
        };
        Self { policy, prefix, reason }
    }
}

impl TtlInputs<'_> {
    /// Checkpoints in the layered layout on the first party, otherwise the
    /// lifetime that the API's markers have.
    fn default_policy(&self) -> TtlPolicy {
        match (self.layout, self.hosting, self.prefix) {
            (Layout::Layered, Hosting::FirstParty, _) => TtlPolicy::Checkpoints,
            (_, _, Ttl::OneHour) => TtlPolicy::LongPrefix,
            (_, _, Ttl::FiveMinutes) => TtlPolicy::Short,
        }
    }
}

fn matches(pattern: &str, source: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => source.starts_with(prefix),
        None => source == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCHES: TtlSwitches =
        TtlSwitches { long_on_bedrock: false, long_everywhere: false, force_short: false };

    fn check(
        hosting: Hosting,
        switches: TtlSwitches,
        allowlist: &[&str],
        expected: (TtlPolicy, TtlReason),
    ) {
        let allowlist: Vec<String> = allowlist.iter().map(ToString::to_string).collect();
        let decision = TtlDecision::of(&TtlInputs {
            hosting,
            query_source: "repl_main_thread",
            allowlist: &allowlist,
            switches,
            policy: Some(TtlPolicy::LongPrefix),
            ..TtlInputs::default()
        });
        assert_eq!((decision.policy, decision.reason), expected);
    }

    #[test]
    fn the_allowlist_applies_to_the_first_party_only() {
        let listed = (TtlPolicy::Long, TtlReason::Allowlist);
        let not = (TtlPolicy::LongPrefix, TtlReason::Policy);
        let first = Hosting::FirstParty;
        check(first, SWITCHES, &["sdk", "repl_main_thread"], listed);
        check(first, SWITCHES, &["repl_main_thread*"], listed);
        check(first, SWITCHES, &["repl*"], listed);
        check(first, SWITCHES, &["*"], listed);
        check(first, SWITCHES, &["repl", "*thread", "repl_main_thread_2"], not);
        check(first, SWITCHES, &["REPL*", ""], not);
        check(first, SWITCHES, &[], not);
        check(Hosting::Bedrock, SWITCHES, &["*"], not);
        check(Hosting::Other, SWITCHES, &["*"], not);
    }

    #[test]
    fn switches_take_precedence() {
        let bedrock = TtlSwitches { long_on_bedrock: true, ..SWITCHES };
        let requested = (TtlPolicy::Long, TtlReason::Requested);
        let by_policy = (TtlPolicy::LongPrefix, TtlReason::Policy);
        let on_bedrock = (TtlPolicy::Long, TtlReason::Bedrock);
        check(Hosting::Bedrock, bedrock, &[], on_bedrock);
        check(Hosting::FirstParty, bedrock, &[], by_policy);
        check(Hosting::Other, bedrock, &[], by_policy);
        let everywhere = TtlSwitches { long_everywhere: true, ..SWITCHES };
        for hosting in [Hosting::FirstParty, Hosting::Bedrock, Hosting::Other] {
            check(hosting, everywhere, &[], requested);
            let forced =
                TtlSwitches { long_on_bedrock: true, long_everywhere: true, force_short: true };
            check(hosting, forced, &["*"], (TtlPolicy::Short, TtlReason::Forced));
        }
    }
}
