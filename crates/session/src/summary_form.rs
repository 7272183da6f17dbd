/// How to summarize a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryForm {
    /// The API's own compaction; the response is a signed block.
    Api,
    /// A request for a summary, with the earlier requests' prefix.
    Request,
    /// The same with long tool results cut. It reads nothing from the cache.
    Shortened,
}
