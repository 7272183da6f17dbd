//! `aside models`: a table of all models, one line each.

use aside_models::{Lifecycle, ModelFacts};

use crate::paint::Paint;
use crate::table::{Align, Column, Table};

/// The columns: tokens of the window and of the longest response, dollars per million
/// tokens of input and output with their day, the minimum length of a cached prefix in tokens, and the
/// day of retirement.
const COLUMNS: &[Column] = &[
    column("id", Align::Left),
    column("window", Align::Right),
    column("answer", Align::Right),
    column("input $", Align::Right),
    column("output $", Align::Right),
    column("prices of", Align::Left),
    column("cache from", Align::Right),
    column("retires", Align::Left),
];

/// Returns a column.
const fn column(heading: &'static str, align: Align) -> Column {
    Column { heading, align }
}

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
                facts.prices_as_of.map_or_else(dash, |it| it.to_string()),
                number(facts.cache_minimum),
                retirement(&facts.lifecycle),
            ],
            None,
        );
    }
    table.render(paint)
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
        (None, Some(date)) => format!("not before {date}"),
        (None, None) => dash(),
    }
}
