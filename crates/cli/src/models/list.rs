//! `aside models`: a table of all models, one line each.

use aside_models::{Lifecycle, ModelFacts};

use crate::paint::Paint;
use crate::table::{Column, Table};

/// The columns: tokens of the window and of the longest response, dollars per million
/// tokens of input and output, the minimum length of a cached prefix in tokens, and the day of
/// retirement.
const COLUMNS: &[Column] = &[
    Column::left("id"),
    Column::right("window"),
    Column::right("output"),
    Column::right("$ in"),
    Column::right("$ out"),
    Column::right("cache"),
    Column::left("retires"),
];

/// Returns one line per model; an unknown fact is a dash. A model whose price depends on
/// the length of its input has its prices separated by semicolons.
pub(super) fn table(models: &[&ModelFacts], paint: Paint) -> String {
    let mut table = Table::new(COLUMNS);
    for facts in models {
        let number = |number: Option<u64>| number.map_or_else(dash, |it| it.to_string());
        let price = |price: fn(&aside_models::PriceBand) -> f64| {
            let prices: Vec<_> = facts
                .prices
                .iter()
                .map(|it| price(it).to_string())
                .collect();
            match prices.is_empty() {
                true => dash(),
                false => prices.join("; "),
            }
        };
        table.row(
            vec![
                facts.id.to_owned(),
                number(facts.context_window),
                number(facts.max_output),
                price(|band| band.input.dollars()),
                price(|band| band.output.dollars()),
                number(facts.cache_minimum),
                retirement(&facts.lifecycle),
            ],
            None,
        );
    }
    let days = models.iter().filter_map(|facts| facts.prices_as_of);
    let days = days.clone().min().zip(days.max());
    let days = days.map(|(first, last)| format!("prices of {first} to {last}\n"));
    table.render(paint) + &days.unwrap_or_default()
}

/// Returns the cell of an unknown fact.
fn dash() -> String {
    "-".to_owned()
}

/// Returns the day of retirement, or the first day on which it is possible; a dash if
/// neither is known.
fn retirement(lifecycle: &Lifecycle) -> String {
    match (lifecycle.retires, lifecycle.retires_not_before) {
        (Some(date), _) => date.to_string(),
        (None, Some(date)) => format!("≥{date}"),
        (None, None) => dash(),
    }
}
