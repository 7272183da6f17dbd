use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::ttl::TtlPolicy;

/// Who serves the model, as far as caching differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hosting {
    /// Anthropic's own API.
    #[default]
    FirstParty,
    /// Amazon Bedrock.
    Bedrock,
    /// Anybody else.
    Other,
}

/// Whether a request has cache markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caching {
    /// As planned.
    #[default]
    On,
    /// None at all, those of the caller included (`DISABLE_PROMPT_CACHING`).
    Off,
}

/// What [`TtlDecision::of`] depends on. The default asks for nothing, and gets
/// five minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TtlInputs<'a> {
    /// Who serves the model.
    pub hosting: Hosting,
    /// Who makes the request: `repl_main_thread`, `sdk`, `agent:<name>`.
    pub query_source: &'a str,
    /// First party: the query sources that get an hour. A trailing `*` stands
    /// for any rest; elsewhere it is a character like any other.
    pub allowlist: &'a [String],
    /// What the user's switches say.
    pub switches: TtlSwitches,
    /// What holds where nothing here asks for an hour.
    pub policy: TtlPolicy,
}

/// The user's switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct TtlSwitches {
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`: an hour, on Bedrock.
    pub long_on_bedrock: bool,
    /// `ENABLE_PROMPT_CACHING_1H`: an hour, everywhere.
    pub long_everywhere: bool,
    /// `FORCE_PROMPT_CACHING_5M`: five minutes, whatever else is asked for.
    pub force_short: bool,
}

/// How long entries of a session live, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TtlDecision {
    /// What holds.
    pub policy: TtlPolicy,
    /// Which rule said so.
    pub reason: TtlReason,
}

/// The rules of [`TtlDecision::of`], the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TtlReason {
    /// Five minutes were forced.
    Forced,
    /// An hour was asked for.
    Asked,
    /// An hour was asked for on Bedrock, and this is Bedrock.
    Bedrock,
    /// First party, and the query source is on the list.
    Allowlist,
    /// The policy of the session.
    Policy,
}

impl TtlDecision {
    /// Decides. Ask once for a session and keep the answer, in a [`TtlLatch`]:
    /// a lifetime that changes midway moves every marker behind it.
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
            (TtlPolicy::Long, TtlReason::Asked)
        } else if inputs.hosting == Hosting::Bedrock && switches.long_on_bedrock {
            (TtlPolicy::Long, TtlReason::Bedrock)
        } else if inputs.hosting == Hosting::FirstParty && is_listed() {
            (TtlPolicy::Long, TtlReason::Allowlist)
        } else {
            (inputs.policy, TtlReason::Policy)
        };
        Self { policy, reason }
    }
}

fn matches(pattern: &str, source: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => source.starts_with(start),
        None => source == pattern,
    }
}

/// Keeps the first decision of a session.
#[derive(Debug, Default)]
pub struct TtlLatch {
    decision: OnceLock<TtlDecision>,
}

impl TtlLatch {
    /// A latch that holds what an earlier run of the session decided.
    #[must_use]
    pub fn resumed(decision: TtlDecision) -> Self {
        Self {
            decision: decision.into(),
        }
    }

    /// The decision of the session: made by the first call, whatever later
    /// calls bring.
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
            policy: TtlPolicy::LongPrefix,
        });
        assert_eq!((decision.policy, decision.reason), expected);
    }

    #[test]
    fn the_list_counts_first_party_only() {
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
    fn switches() {
        let bedrock = TtlSwitches {
            long_on_bedrock: true,
            ..SWITCHES
        };
        let asked = (TtlPolicy::Long, TtlReason::Asked);
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
            check(hosting, everywhere, &[], asked);
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
    fn what_changes_midway_changes_nothing() {
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
