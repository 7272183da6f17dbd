//! The facts of a response, as parts of an exchange.

use aside_body::response::Facts;
use serde_json::Value;

use crate::exchange::Exchange;

/// Reads parts of a response, which were parsed with their log, into an exchange.
pub(crate) fn add<'a>(exchange: &mut Exchange, parts: impl IntoIterator<Item = &'a Value>) {
    let mut facts = Facts::default();
    for part in parts {
        match part {
            Value::String(text) => facts.add_text(text.as_bytes()),
            other => facts.add_text(other.to_string().as_bytes()),
        }
    }
    add_facts(exchange, facts);
}

/// Writes the facts of a response into its exchange.
///
/// Usage, id and diagnostics that the exchange already has stay, since a log knows
/// them better than a response that it may have cut. The ids of tool uses and the
/// text are replaced.
pub(crate) fn add_facts(exchange: &mut Exchange, facts: Facts) {
    exchange.usage = exchange.usage.or(facts.usage());
    exchange.answer_text = facts.text().map(str::to_owned);
    exchange.id = exchange.id.take().or(facts.id);
    exchange.diagnostics = exchange.diagnostics.take().or(facts.cache_miss);
    exchange.answer_tool_ids = facts.call_ids;
}
