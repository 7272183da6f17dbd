use aside_cache_split::Explanation;
use aside_messages::conversation::Entry;
use aside_messages::encode::Body;
use aside_session::Prepared;

use super::report::RequestReport;

/// A request as a session prepared it.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) body: Body,
    pub(crate) report: RequestReport,
    pub(crate) explanation: Explanation,
    pub(crate) entries: Vec<Entry>,
}

impl Captured {
    /// Takes over a request; `entries` are those of the conversation.
    pub(crate) fn of(prepared: &Prepared, entries: Vec<Entry>) -> Self {
        Self {
            body: prepared.body.clone(),
            report: RequestReport::of(prepared),
            explanation: prepared.explain(),
            entries,
        }
    }
}
