use std::fmt;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::layout::Layout;
use crate::ttl::{PrefixTtl, TtlPolicy};

/// The host of the model, as far as caching depends on it.
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
    /// Markers are sent as planned.
    #[default]
    On,
    /// No markers are sent, not even those of the caller
    /// (`DISABLE_PROMPT_CACHING`).
    Off,
}

/// The inputs of [`TtlDecision::of`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TtlInputs<'a> {
    /// The host of the model.
    pub hosting: Hosting,
    /// The source of the request: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: &'a str,
    /// The query sources that get an hour on the first party's API. A trailing
    /// `*` matches any rest; elsewhere it is an ordinary character.
    pub allowlist: &'a [String],
    /// The user's switches.
    pub switches: TtlSwitches,
    /// The policy of the caller's choice, if no other rule applies; by default
    /// the one of the layout and the host.
    pub policy: Option<TtlPolicy>,
    /// The layout of the session's requests.
    pub layout: Layout,
    /// The lifetime of the layers that sessions share, if the policy does not
    /// decide it.
    pub prefix: PrefixTtl,
}

/// The user's switches for the lifetime of cache entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct TtlSwitches {
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`: an hour on Bedrock.
    pub long_on_bedrock: bool,
    /// `ENABLE_PROMPT_CACHING_1H`: an hour on every host.
    pub long_everywhere: bool,
    /// `FORCE_PROMPT_CACHING_5M`: five minutes, regardless of the other rules.
    pub force_short: bool,
}

/// The lifetime of the cache entries of a session, and the rule that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TtlDecision {
    /// The lifetime.
    pub policy: TtlPolicy,
    /// The lifetime of the layers that sessions share, under
    /// [`TtlPolicy::Checkpoints`].
    #[serde(default, skip_serializing_if = "PrefixTtl::is_short")]
    pub prefix: PrefixTtl,
    /// The rule.
    pub reason: TtlReason,
}

/// The rules of [`TtlDecision::of`], the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TtlReason {
    /// Five minutes are forced.
    Forced,
    /// An hour is requested on every host.
    #[serde(alias = "asked")]
    Requested,
    /// An hour is requested on Bedrock, and the host is Bedrock.
    Bedrock,
    /// The query source is on the first party's allowlist.
    Allowlist,
    /// The policy is the caller's choice.
    Policy,
    /// The default of the layout on this host.
    Default,
}

impl fmt::Display for TtlReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forced => "FORCE_PROMPT_CACHING_5M",
            Self::Requested => "ENABLE_PROMPT_CACHING_1H",
            Self::Bedrock => "ENABLE_PROMPT_CACHING_1H_BEDROCK",
            Self::Allowlist => "the allowlist of query sources",
            Self::Policy => "chosen",
            Self::Default => "the default",
        })
    }
}

impl TtlDecision {
    /// Decides on the lifetime. Decide once for a session and keep the decision
    /// in a [`TtlLatch`]: a changed lifetime invalidates the cached prefix.
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
            _ => PrefixTtl::FiveMinutes,
        };
        Self {
            policy,
            prefix,
            reason,
        }
    }
}

impl TtlInputs<'_> {
    /// Returns the default policy: checkpoints in the layered layout on the first
    /// party, otherwise the lifetime of the API's markers.
    fn default_policy(&self) -> TtlPolicy {
        match (self.layout, self.hosting, self.prefix) {
            (Layout::Layered, Hosting::FirstParty, _) => TtlPolicy::Checkpoints,
            (_, _, PrefixTtl::OneHour) => TtlPolicy::LongPrefix,
            (_, _, PrefixTtl::FiveMinutes) => TtlPolicy::Short,
        }
    }
}

fn matches(pattern: &str, source: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => source.starts_with(prefix),
        None => source == pattern,
    }
}

/// Keeps the first decision of a session.
#[derive(Debug, Default)]
pub struct TtlLatch {
    decision: OnceLock<TtlDecision>,
}

impl TtlLatch {
    /// Creates a latch with the decision of an earlier run of the session.
    #[must_use]
    pub fn resumed(decision: TtlDecision) -> Self {
        Self {
            decision: decision.into(),
        }
    }

    /// Returns the decision of the session. The first call makes it; the inputs
    /// of later calls have no effect.
    pub fn decide(&self, inputs: &TtlInputs<'_>) -> TtlDecision {
        *self.decision.get_or_init(|| TtlDecision::of(inputs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCHES: TtlSwitches = TtlSwitches {
        long_on_bedrock: false,
        long_everywhere: false,
        force_short: false,
    };

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
        check(
            first,
            SWITCHES,
            &["repl", "*thread", "repl_main_thread_2"],
            not,
        );
        check(first, SWITCHES, &["REPL*", ""], not);
        check(first, SWITCHES, &[], not);
        check(Hosting::Bedrock, SWITCHES, &["*"], not);
        check(Hosting::Other, SWITCHES, &["*"], not);
    }

    #[test]
    fn switches_take_precedence() {
        let bedrock = TtlSwitches {
            long_on_bedrock: true,
            ..SWITCHES
        };
        let requested = (TtlPolicy::Long, TtlReason::Requested);
        let by_policy = (TtlPolicy::LongPrefix, TtlReason::Policy);
        let on_bedrock = (TtlPolicy::Long, TtlReason::Bedrock);
        check(Hosting::Bedrock, bedrock, &[], on_bedrock);
        check(Hosting::FirstParty, bedrock, &[], by_policy);
        check(Hosting::Other, bedrock, &[], by_policy);
        let everywhere = TtlSwitches {
            long_everywhere: true,
            ..SWITCHES
        };
        for hosting in [Hosting::FirstParty, Hosting::Bedrock, Hosting::Other] {
            check(hosting, everywhere, &[], requested);
            let forced = TtlSwitches {
                long_on_bedrock: true,
                long_everywhere: true,
                force_short: true,
            };
            check(
                hosting,
                forced,
                &["*"],
                (TtlPolicy::Short, TtlReason::Forced),
            );
        }
    }

    #[test]
    fn later_inputs_have_no_effect() {
        let latch = TtlLatch::default();
        let first = latch.decide(&TtlInputs::default());
        let switches = TtlSwitches {
            long_everywhere: true,
            ..SWITCHES
        };
        let later = TtlInputs {
            switches,
            ..TtlInputs::default()
        };
        assert_eq!(latch.decide(&later), first);
        assert_eq!(TtlLatch::resumed(first).decide(&later), first);
        assert_ne!(TtlLatch::default().decide(&later), first);
    }
}
