//! A request as a session prepared it, before it is converted for a provider.

use aside_cache_split::Explanation;
use aside_messages::conversation::Entry;
use aside_messages::encode::Body;
use aside_session::Prepared;

use super::report::RequestReport;

/// A request as a session prepared it.
#[derive(Debug)]
pub(crate) struct Captured {
    /// The body on the wire of the Messages API.
    pub(crate) body: Body,
    /// The additions of the request and its plan, for `--json`.
    pub(crate) report: RequestReport,
    /// The reasons for the cache markers, for `--explain`.
    pub(crate) explanation: Explanation,
    /// The entries of the conversation, from which the sources of bytes are found.
    pub(crate) entries: Vec<Entry>,
}

impl Captured {
    /// Copies what is printed of a prepared request; `entries` are those of the
    /// conversation.
    pub(crate) fn of(prepared: &Prepared, entries: Vec<Entry>) -> Self {
        Self {
            body: prepared.body.clone(),
            report: RequestReport::of(prepared),
            explanation: prepared.explain(),
            entries,
        }
    }
}
