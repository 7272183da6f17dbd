//! The findings that make a proxy end with an error.

use std::str::FromStr;

use aside_cache_model::{LINT_RULES, Miss, MissReason, SPENDING_RULES, lint_rule};
use aside_rules::Rule;

/// A finding that makes the proxy end with an error: `miss`, the reason for a
/// miss as in `system_changed`, or a rule from [`LINT_RULES`] or
/// [`SPENDING_RULES`] as in `no-tail-marker`.
///
/// ```
/// use aside_gateway::proxy::Deny;
///
/// assert!("miss".parse::<Deny>().is_ok());
/// assert!("tools_changed".parse::<Deny>().is_ok());
/// assert!("tools-reordered".parse::<Deny>().is_ok());
/// assert!("single-calls".parse::<Deny>().is_ok());
/// assert!("tools".parse::<Deny>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deny(Denied);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    /// Any miss.
    Miss,
    /// Misses for one reason.
    Reason(MissReason),
    /// One rule's findings.
    Lint(&'static Rule),
}

/// The error for a name that is not a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown finding {name:?}, expected one of miss, {}, {}",
    MissReason::ALL.map(MissReason::as_str).join(", "),
    LINT_RULES.iter().chain(&SPENDING_RULES).map(|rule| rule.id).collect::<Vec<_>>().join(", ")
)]
pub struct DenyError {
    name: String,
}

impl Deny {
    pub(crate) fn denies(self, miss: &Miss) -> bool {
        match self.0 {
            Denied::Miss => true,
            Denied::Reason(reason) => reason == miss.reason,
            Denied::Lint(_) => false,
        }
    }

    pub(crate) fn denies_rule(self, rule: &str) -> bool {
        matches!(self.0, Denied::Lint(denied) if denied.id == rule)
    }

    /// Returns true if this finding needs the linters.
    pub(crate) fn is_of_lint(self) -> bool {
        matches!(self.0, Denied::Lint(_))
    }
}

impl FromStr for Deny {
    type Err = DenyError;

    fn from_str(name: &str) -> Result<Self, DenyError> {
        let denied = match (name, name.parse()) {
            ("miss", _) => Some(Denied::Miss),
            (_, Ok(reason)) => Some(Denied::Reason(reason)),
            _ => lint_rule(name).map(Denied::Lint),
        };
        match denied {
            Some(denied) => Ok(Self(denied)),
            None => Err(DenyError { name: name.to_owned() }),
        }
    }
}
