//! A request as a session prepared it, before conversion for a provider.

use aside_cache_split::{BreakpointPlan, Explanation, TtlDecision};
use aside_messages::conversation::Entry;
use aside_messages::encode::Body;
use aside_session::Prepared;

use super::report::RequestReport;

#[derive(Debug)]
pub(crate) struct Captured {
    /// The body on the Messages API wire.
    pub(crate) body: Body,
    /// What the request adds, and its plan, for `--json`.
    pub(crate) report: RequestReport,
    plan: BreakpointPlan,
    ttl: TtlDecision,
    /// The conversation's entries, to find where bytes come from.
    pub(crate) entries: Vec<Entry>,
}

impl Captured {
    /// Copies what to print from a prepared request. `entries` are the
    /// conversation's.
    pub(crate) fn of(prepared: &Prepared, entries: Vec<Entry>) -> Self {
        Self {
            body: prepared.body.clone(),
            report: RequestReport::of(prepared),
            plan: prepared.plan.clone(),
            ttl: prepared.ttl,
            entries,
        }
    }

    /// Explains why cache markers are where they are, with estimated tokens.
    pub(crate) fn explain(&self) -> Explanation {
        let request = self.body.to_request();
        self.plan.explain(&request).decided_by(self.ttl)
    }
}
