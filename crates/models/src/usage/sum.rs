use super::Usage;

/// What several requests used and cost.
///
/// ```
/// use aside_models::{Usage, UsageSum};
///
/// let mut sum = UsageSum::default();
/// sum.add(&UsageSum::from_request(Usage::from_input(0, 0, 0, 900), Some(0.25)));
/// assert_eq!((sum.requests, sum.usage.input(), sum.dollars), (1, 900, Some(0.25)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsageSum {
    /// How many requests.
    pub requests: u64,
    /// Their tokens.
    pub usage: Usage,
    /// What these tokens cost in US dollars; `None` if one request's price is unknown.
    pub dollars: Option<f64>,
}

impl Default for UsageSum {
    /// No request, which costs nothing.
    fn default() -> Self {
        Self { requests: 0, usage: Usage::default(), dollars: Some(0.0) }
    }
}

impl UsageSum {
    /// Returns the sum over one request.
    #[must_use]
    pub fn from_request(usage: Usage, dollars: Option<f64>) -> Self {
        Self { requests: 1, usage, dollars }
    }

    /// Adds another sum's requests. An unknown price makes the sum unknown.
    pub fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.usage += other.usage;
        let both = self.dollars.zip(other.dollars);
        self.dollars = both.map(|(sum, new)| sum + new);
    }
}
