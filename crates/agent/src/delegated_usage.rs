use aside_models::Usage;

/// The usage of the requests that a tool sent by itself, such as those of a
/// worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelegatedUsage {
    /// The number of requests.
    pub requests: u64,
    /// Their tokens.
    pub usage: Usage,
    /// The price of these tokens in US dollars: `None` if it is unknown.
    pub dollars: Option<f64>,
}

impl DelegatedUsage {
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.usage += other.usage;
        let both = self.dollars.zip(other.dollars);
        self.dollars = both.map(|(sum, new)| sum + new);
    }
}
