use crate::outside_text::line;
use crate::product::Product;

/// Returns the prompt for coordinator mode, in which the model gives all work
/// to workers and combines their results: a value for
/// [`EffectiveInputs::coordinator`](crate::EffectiveInputs).
///
/// `worker_tool` is the tool that starts a worker, by name.
pub fn coordinator_prompt(product: &Product, worker_tool: &str) -> String {
    include_str!("coordinator.md")
        .trim_end()
        .replace("{product}", product.name)
        .replace("{worker_tool}", &line(worker_tool))
}
