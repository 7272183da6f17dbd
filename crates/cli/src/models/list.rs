//! `aside models`: a table with one line per model.

use aside_models::{Lifecycle, ModelFacts};

use crate::paint::Paint;
use crate::table::{Column, Table};

/// The columns: context window and longest response in tokens, input and output
/// prices in dollars per million tokens, the shortest prefix to cache in
/// tokens, and the retirement day.
const COLUMNS: &[Column] = &[
    Column::left("id"),
    Column::right("window"),
    Column::right("output"),
    Column::right("$ in"),
    Column::right("$ out"),
    Column::right("cache"),
    Column::left("retires"),
];

/// Returns one line per model; a dash marks an unknown fact. When a price
/// depends on the input length, semicolons separate its steps.
pub(super) fn table(models: &[&ModelFacts], paint: Paint) -> String {
    let mut table = Table::new(COLUMNS);
    for facts in models {
        let number = |number: Option<u64>| number.map_or_else(dash, |it| it.to_string());
        let price = |price: fn(&aside_models::PriceBand) -> f64| {
            let prices: Vec<_> = facts.prices.iter().map(|it| price(it).to_string()).collect();
            if prices.is_empty() { dash() } else { prices.join("; ") }
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

/// Returns the cell for an unknown fact.
fn dash() -> String {
    "-".to_owned()
}

/// Returns the retirement day, or the first day on which it is possible; a dash
/// when neither is known.
fn retirement(lifecycle: &Lifecycle) -> String {
    match (lifecycle.retires, lifecycle.retires_not_before) {
        (Some(date), _) => date.to_string(),
        (None, Some(date)) => format!("≥{date}"),
        (None, None) => dash(),
    }
}
