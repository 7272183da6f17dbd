//! What a request costs.

use aside_models::{Cost, find_on};
use aside_providers::ReportedUsage;

use super::Session;

impl Session {
    /// Returns what a request and its answer cost in US dollars, by the model
    /// catalogue. Compactions that the API ran for it are included. `None` if
    /// the model's price is unknown.
    ///
    /// Prices depend on how long the prompt is: fresh, read and written tokens
    /// together. A read or a write without its own price costs as much as fresh
    /// input. Fees that are not per token, such as for server tools, are not
    /// included.
    #[must_use]
    pub fn price(&self, usage: &ReportedUsage) -> Option<f64> {
        let config = &self.config;
        let found = config.answering();
        let facts = found.is_known().then_some(found.facts)?;
        let figures = usage.figures();
        let own = figures.samplings().map(|it| it.cost(facts));
        let advisors = figures.advisors();
        let advisors = advisors.map(|(model, it)| it.cost(find_on(config.service, model).facts));
        own.chain(advisors).sum::<Option<Cost>>().map(Cost::dollars)
    }
}
