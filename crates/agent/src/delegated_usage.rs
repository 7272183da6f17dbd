use aside_providers::Usage;

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
        add_tokens(&mut self.usage, &other.usage);
        let both = self.dollars.zip(other.dollars);
        self.dollars = both.map(|(sum, new)| sum + new);
    }
}

/// Adds the four figures.
pub(crate) fn add_tokens(sum: &mut Usage, usage: &Usage) {
    for (sum, new) in [
        (&mut sum.input_tokens, usage.input_tokens),
        (
            &mut sum.cache_creation_input_tokens,
            usage.cache_creation_input_tokens,
        ),
        (
            &mut sum.cache_read_input_tokens,
            usage.cache_read_input_tokens,
        ),
        (&mut sum.output_tokens, usage.output_tokens),
    ] {
        *sum = sum.saturating_add(new);
    }
}
