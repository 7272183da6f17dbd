//! The price of a request.

use aside_models::{Cost, find_on};
use aside_providers::ReportedUsage;

use super::Session;

impl Session {
    /// Returns the price of a request and its answer in US dollars, by the
    /// catalogue of models. Compactions that the API ran for it are included.
    /// `None` if the price of the model is unknown.
    ///
    /// The prices depend on the length of the prompt, which is the sum of
    /// fresh, read and written tokens. A read or a write without a price of its
    /// own costs as much as fresh input. Fees that are not per token, such as
    /// those of server tools, are not included.
    #[must_use]
    pub fn price(&self, usage: &ReportedUsage) -> Option<f64> {
        let config = &self.config;
        let model = config.answering_model.as_ref().unwrap_or(&config.model);
        let found = find_on(config.service, model);
        let facts = found.is_known().then_some(found.facts)?;
        let costs = usage.figures().samplings().map(|it| it.cost(facts));
        costs.sum::<Option<Cost>>().map(Cost::dollars)
    }
}
