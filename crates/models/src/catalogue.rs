//! The rows that lookups read: this crate's own, overlaid with figures.
//!
//! A catalogue lives as long as the process, since facts are `&'static`, and the first lookup makes
//! it. [`overlay`] replaces it before that. It is the crate's only state, like the logger in `log`:
//! fifty places look facts up, deep below the one that reads a file of figures, and all have to
//! read the same.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use crate::date::Date;
use crate::facts::ModelFacts;
use crate::family::family;
use crate::figures::{Figures, FiguresError, Row};
use crate::normalize::normalize;
use crate::wire::Vendor;
use crate::{anthropic, google, openai, xai};

/// Written by `cargo xtask models --update`.
const GENERATED: &str = include_str!("figures.txt");

const OTHERS: [&[ModelFacts]; 3] = [openai::MODELS, google::MODELS, xai::MODELS];

static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();

/// All rows, and where they are by id and alias.
#[derive(Debug)]
pub(crate) struct Catalogue {
    rows: Vec<ModelFacts>,
    places: BTreeMap<&'static str, usize>,
    /// The rows of other vendors, if they are not in `rows`.
    others: Option<LazyLock<Box<Self>>>,
}

/// Overlays this process's catalogue with figures, for every later lookup. A figure replaces the
/// catalogue's; a model without a row gets one, with what its vendor's models have in common.
///
/// Call it once, before the first lookup. The rows are never freed.
///
/// ```
/// use aside_models::{Figures, find, overlay};
///
/// let text = "source contract 2026 2026-11-01\nclaude-opus-5-5 anthropic input=3.2 output=16\n";
/// overlay(&Figures::parse(text)?)?;
/// let facts = find("claude-opus-5-5").facts;
/// assert_eq!(facts.prices[0].input.dollars(), 3.2);
/// assert_eq!(facts.prices_as_of.map(|date| date.to_string()).as_deref(), Some("2026-11-01"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns an error if a lookup or another overlay came first.
pub fn overlay(figures: &Figures) -> Result<(), FiguresError> {
    let mut catalogue = Catalogue::built_in();
    catalogue.lay(figures);
    CATALOGUE
        .set(catalogue)
        .map_err(|_| FiguresError("the catalogue of models is in use already".to_owned()))
}

impl Catalogue {
    /// Leaves the other vendors for the first lookup that misses: to parse their figures costs as
    /// much as a fifth of a small `aside render`.
    pub(crate) fn current() -> &'static Self {
        CATALOGUE.get_or_init(|| Self {
            others: Some(LazyLock::new(|| Box::new(Self::new(OTHERS).with_generated()))),
            ..Self::new(anthropic::LINES)
        })
    }

    fn built_in() -> Self {
        Self::new(anthropic::LINES.into_iter().chain(OTHERS)).with_generated()
    }

    fn new(lines: impl IntoIterator<Item = &'static [ModelFacts]>) -> Self {
        let mut catalogue = Self { rows: Vec::new(), places: BTreeMap::new(), others: None };
        for facts in lines.into_iter().flatten() {
            catalogue.push(ModelFacts {
                prices_as_of: facts.prices.first().map(|_| facts.as_of),
                ..*facts
            });
        }
        catalogue
    }

    fn with_generated(mut self) -> Self {
        let generated = Figures::parse(GENERATED).expect("a test parses the generated figures");
        self.lay(&generated);
        self
    }

    fn push(&mut self, facts: ModelFacts) {
        for id in [&facts.id].into_iter().chain(facts.aliases) {
            self.places.insert(id, self.rows.len());
        }
        self.rows.push(facts);
    }

    fn lay(&mut self, figures: &Figures) {
        let source = leak(figures.source.clone().into_boxed_str());
        for row in &figures.rows {
            let id = normalize(&row.id);
            let place = self.places.get(id).copied().unwrap_or_else(|| {
                let id = leak(id.to_owned().into_boxed_str());
                self.push(family(row.vendor, id).row(id, id, "special", (0, 0)));
                self.rows.len() - 1
            });
            self.rows[place].set(row, figures.date);
            self.rows[place].figures_source = source;
        }
    }

    pub(crate) fn row(&self, id: &str) -> Option<&ModelFacts> {
        match self.places.get(id) {
            Some(place) => Some(&self.rows[*place]),
            None => self.others.as_ref()?.row(id),
        }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &ModelFacts> {
        let vendors = Vendor::ALL.into_iter();
        vendors.flat_map(|vendor| self.rows_of(vendor))
    }

    /// Does not make the rows of other vendors to return those of Anthropic.
    pub(crate) fn rows_of(&self, vendor: Vendor) -> impl Iterator<Item = &ModelFacts> {
        let others = self.others.iter().filter(move |_| vendor != Vendor::Anthropic);
        let rows = self.rows.iter().chain(others.flat_map(|others| &others.rows));
        rows.filter(move |facts| facts.vendor == vendor)
    }
}

impl ModelFacts {
    /// Replaces the facts that have figures. The prices are as of a given day.
    fn set(&mut self, row: &Row, prices_as_of: Option<Date>) {
        let bands = row.price_bands();
        let replaced = [
            ("context_window", row.context_window.is_some()),
            ("max_output", row.max_output.is_some()),
            ("lifecycle", row.retires.is_some()),
            ("prices", !bands.is_empty()),
        ];
        self.context_window = row.context_window.or(self.context_window);
        self.max_output = row.max_output.or(self.max_output);
        self.lifecycle.retires = row.retires.or(self.lifecycle.retires);
        if !bands.is_empty() {
            self.prices = leak(bands.into_boxed_slice());
            self.prices_as_of = prices_as_of;
        }
        let is_kept = |name: &&&str| !replaced.contains(&(**name, true));
        let kept = self.less_certain.iter().filter(is_kept);
        let less_certain: Vec<&str> = kept.chain(&row.less_certain).copied().collect();
        if less_certain != self.less_certain {
            self.less_certain = leak(less_certain.into_boxed_slice());
        }
    }
}

fn leak<T: ?Sized>(value: Box<T>) -> &'static T {
    Box::leak(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_figure_is_not_written_by_hand_as_well() {
        let generated = Figures::parse(GENERATED).unwrap();
        let by_hand: Vec<&ModelFacts> = OTHERS.into_iter().flatten().collect();
        for row in &generated.rows {
            let facts = by_hand.iter().find(|it| it.id == row.id);
            let Some(facts) = facts else { continue };
            let twice = [
                facts.context_window.and(row.context_window).is_some(),
                facts.max_output.and(row.max_output).is_some(),
                facts.lifecycle.retires.and(row.retires).is_some(),
                !facts.prices.is_empty() && !row.bands.is_empty(),
            ];
            assert_eq!(twice, [false; 4], "{}", row.id);
        }
    }

    #[test]
    fn the_generated_figures_are_sorted_rows_of_other_vendors() {
        let generated = Figures::parse(GENERATED).unwrap();
        let keys: Vec<_> = generated.rows.iter().map(|it| (it.vendor, &it.id)).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        assert!(keys.iter().all(|it| it.0 > Vendor::Anthropic));
    }

    #[test]
    fn rows_that_are_made_later_are_those_of_the_whole_catalogue() {
        let (lazy, whole) = (Catalogue::current(), Catalogue::built_in());
        assert!(lazy.rows().eq(whole.rows()));
        for id in whole.places.keys() {
            assert_eq!(lazy.row(id), whole.row(id), "{id}");
        }
    }

    #[test]
    fn an_overlay_replaces_figures_and_adds_rows() {
        let mut catalogue = Catalogue::built_in();
        let figures = "source ours 1 2026-12-01
            claude-haiku-5-5 anthropic max_output=9 input=1 output=2 above=500 input=3 output=4
            gpt-5.5-2026-04-23 openai retires=2027-01-01
            grok-12 xai context_window=7
            our-model other input=0.0001 output=1
            gemini-9-flash google input=1 output=1 above=9";
        catalogue.lay(&Figures::parse(figures).unwrap());
        let row = |id| catalogue.row(id).unwrap();
        let haiku = row("claude-haiku-5-5");
        assert_eq!((haiku.max_output, haiku.cache_minimum), (Some(9), Some(512)));
        let input = |tokens| haiku.price(tokens).map(|it| it.input.dollars());
        assert_eq!((input(500), input(501)), (Some(1.0), Some(3.0)));
        assert_eq!(haiku.figures_source, "ours 1 (2026-12-01)");
        assert!(row("gpt-5.5").lifecycle.retires.is_some());
        // Its prices still come from the generated figures.
        assert!(row("gpt-5.5").prices_as_of < haiku.prices_as_of);
        assert_eq!(row("grok-12").wires, xai::FAMILY.wires);
        assert_eq!(row("our-model").prices[0].input.micros(), 100);
        let gemini = row("gemini-9-flash");
        assert_eq!(gemini.signed_calls, Some(true));
        assert!(gemini.price(9).is_some() && gemini.price(10).is_none());
        let vendors: Vec<Vendor> = catalogue.rows().map(|it| it.vendor).collect();
        assert!(vendors.is_sorted() && vendors.last() == Some(&Vendor::Other));
        assert_eq!(vendors.len(), catalogue.rows.len());
    }
}
