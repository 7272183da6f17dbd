//! Model prices, limits and dates as lines of text.
//!
//! ```text
//! # a comment
//! source litellm 1.110.2 2026-11-24
//! source genai-prices 0.2.3 2026-11-24
//! gpt-5.5 openai max_output=128000@litellm input=5 output=30 read=0.5 above=272000 input=10 output=45 read=1
//! ```
//!
//! The built-in figures for vendors other than Anthropic have this form, and so has a file with
//! which a user overlays them.

use std::collections::BTreeMap;
use std::fmt;

use crate::date::Date;
use crate::price::{Price, PriceBand};
use crate::wire::Vendor;

/// Model figures from outside the catalogue, for [`overlay`](crate::overlay).
///
/// ```
/// use aside_models::{Figures, Vendor};
///
/// let figures = Figures::parse(
///     "source contract 2026 2026-11-01\n\
///      claude-opus-5-5 anthropic input=3.2 output=16 read=0.16 write=4 write_1h=6.4\n",
/// )?;
/// assert_eq!(figures.ids().collect::<Vec<_>>(), ["claude-opus-5-5"]);
///
/// let error = Figures::parse("source contract 2026 2026-11-01\nour-model other input=free").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2: expected dollars per million tokens, found \"input=free\"",
/// );
/// # Ok::<(), aside_models::FiguresError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The sources with their versions and dates.
    pub(crate) source: String,
    /// The oldest source's date.
    pub(crate) date: Option<Date>,
    pub(crate) rows: Vec<Row>,
    pub(crate) names: Vec<String>,
}

/// One model's figures. `None` leaves a fact in the catalogue as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) vendor: Vendor,
    pub(crate) context_window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) retires: Option<Date>,
    /// Prices for prompts with more tokens than the key.
    pub(crate) bands: BTreeMap<u64, Prices>,
    /// The `ModelFacts` fields that only some sources state.
    pub(crate) less_certain: Vec<&'static str>,
}

/// In the order of [`PRICES`].
pub(crate) type Prices = [Option<Price>; PRICES.len()];

pub(crate) const PRICES: [&str; 6] = ["input", "output", "read", "write", "write_1h", "write_12h"];

/// Why figures cannot be read, or come too late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiguresError(pub(crate) String);

/// What was expected, and the word at fault.
type Fault<'a> = (&'static str, &'a str);

impl Figures {
    /// Parses lines of figures.
    ///
    /// `source NAME VERSION DATE` comes first, once or more. A row is an id, a vendor (`anthropic`,
    /// `openai`, `google`, `xai`, `other`) and figures: `context_window`, `max_output` (tokens),
    /// `retires` (a date), and prices in dollars per million tokens: `input`, `output`, `read`,
    /// `write`, `write_1h`, `write_12h`. Prices after `above=200000` apply to prompts with more
    /// tokens; when there are none, such prompts have no known price. A figure that ends with
    /// `@NAME` is stated by that source only.
    ///
    /// # Errors
    ///
    /// Returns the first line that is no such row, with the word at fault.
    pub fn parse(text: &str) -> Result<Self, FiguresError> {
        let mut figures = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = match &words[..] {
                ["source", source @ ..] => figures.add_source(line, source),
                _ => figures.row(line, &words).map(|it| figures.rows.push(it)),
            };
            read.map_err(|(expected, found)| {
                let line = index + 1;
                FiguresError(format!("line {line}: expected {expected}, found {found:?}"))
            })?;
        }
        Ok(figures)
    }

    /// Returns the models' ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| &*row.id)
    }

    /// Returns one source's figures, without rows.
    pub(crate) fn from_source(name: &str, version: &str, date: Date) -> Self {
        Self {
            source: format!("{name} {version} ({date})"),
            date: Some(date),
            names: vec![name.to_owned()],
            rows: Vec::new(),
        }
    }

    fn add_source<'a>(&mut self, line: &'a str, words: &[&'a str]) -> Result<(), Fault<'a>> {
        let [name, version, date] = words else {
            return Err(("source NAME VERSION DATE", line));
        };
        let date = Date::parse(date).ok_or(("a date, YYYY-MM-DD", *date))?;
        let other = Self::from_source(name, version, date);
        if self.date.is_some() {
            self.source += ", ";
        }
        self.source += &other.source;
        self.date = Some(self.date.map_or(date, |it| it.min(date)));
        self.names.extend(other.names);
        Ok(())
    }

    fn row<'a>(&self, line: &'a str, words: &[&'a str]) -> Result<Row, Fault<'a>> {
        if self.date.is_none() {
            return Err(("a line `source NAME VERSION DATE` before the first row", line));
        }
        let [id, vendor, words @ ..] = words else {
            return Err(("an id, a vendor and figures", line));
        };
        let mut row = Row {
            id: (*id).to_owned(),
            vendor: vendor
                .parse()
                .map_err(|_| ("a vendor: anthropic, openai, google, xai or other", *vendor))?,
            ..Row::default()
        };
        for word in words {
            let (name, value) = word.split_once('=').ok_or(("NAME=VALUE", *word))?;
            let (value, source) = value.split_once('@').unwrap_or((value, ""));
            if !source.is_empty() && self.names.iter().all(|name| name != source) {
                return Err(("the name of a source after @", word));
            }
            let field = row.set(name, value).map_err(|expected| (expected, *word))?;
            if !source.is_empty() && !row.less_certain.contains(&field) {
                row.less_certain.push(field);
            }
        }
        let is_complete = |prices: &Prices| match prices {
            [Some(_), Some(_), ..] => true,
            prices => prices.iter().all(Option::is_none),
        };
        if row.bands.values().all(is_complete) {
            Ok(row)
        } else {
            Err(("the prices input and output next to other prices", line))
        }
    }
}

impl Row {
    /// Sets a figure. Returns its field in `ModelFacts`.
    ///
    /// # Errors
    /// What was expected instead.
    fn set(&mut self, name: &str, value: &str) -> Result<&'static str, &'static str> {
        let tokens = || value.parse().map_err(|_| "a number of tokens");
        let last = self.bands.last_key_value().map(|it| *it.0);
        Ok(match name {
            "context_window" => {
                self.context_window = Some(tokens()?);
                "context_window"
            }
            "max_output" => {
                self.max_output = Some(tokens()?);
                "max_output"
            }
            "retires" => {
                self.retires = Some(Date::parse(value).ok_or("a date, YYYY-MM-DD")?);
                "lifecycle"
            }
            "above" => {
                let above = tokens()?;
                if last.is_none_or(|last| last >= above) {
                    return Err("bands in the order of their lengths");
                }
                self.bands.insert(above, Prices::default());
                "prices"
            }
            _ => {
                let place = PRICES.iter().position(|it| *it == name);
                let place = place.ok_or("the name of a figure")?;
                let price = value.parse().ok().and_then(Price::from_dollars);
                let prices = self.bands.entry(last.unwrap_or(0)).or_default();
                prices[place] = Some(price.ok_or("dollars per million tokens")?);
                "prices"
            }
        })
    }

    /// Returns the bands with known prices, shortest first, up to one without prices.
    pub(crate) fn price_bands(&self) -> Vec<PriceBand> {
        let ends = self.bands.keys().skip(1).copied().map(Some);
        let bands = self.bands.values().zip(ends.chain([None]));
        let band = |(prices, max_prompt): (&Prices, _)| {
            let [input, output, read, write_5m, write_1h, write_12h] = *prices;
            Some(PriceBand {
                max_prompt,
                input: input?,
                output: output?,
                write_5m,
                write_1h,
                write_12h,
                read,
            })
        };
        bands.map_while(band).collect()
    }
}

impl fmt::Display for FiguresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FiguresError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the error for this line, as the third in a file.
    fn check(line: &str, expected: &str) {
        let text = format!("# comment\nsource a 1 2026-11-24\n{line}\n");
        let error = Figures::parse(&text).unwrap_err().to_string();
        assert_eq!(error, format!("line 3: expected {expected}"));
    }

    #[test]
    fn a_fault_is_reported_with_its_line_and_word() {
        check("gpt-7", "an id, a vendor and figures, found \"gpt-7\"");
        check(
            "gpt-7 acme input=1",
            "a vendor: anthropic, openai, google, xai or other, found \"acme\"",
        );
        check("gpt-7 openai input", "NAME=VALUE, found \"input\"");
        check("gpt-7 openai inputs=1", "the name of a figure, found \"inputs=1\"");
        check(
            "gpt-7 openai retires=2026-02-30",
            "a date, YYYY-MM-DD, found \"retires=2026-02-30\"",
        );
        check("gpt-7 openai context_window=-1", "a number of tokens, found \"context_window=-1\"");
        check("gpt-7 openai input=1@b", "the name of a source after @, found \"input=1@b\"");
        check(
            "gpt-7 openai above=9 input=1",
            "bands in the order of their lengths, found \"above=9\"",
        );
        check("source a 1 today", "a date, YYYY-MM-DD, found \"today\"");
        check("source a 1", "source NAME VERSION DATE, found \"source a 1\"");
        for price in ["-1", "NaN", "inf", "1e9", "$1", ""] {
            let row = format!("gpt-7 openai input={price}");
            check(&row, &format!("dollars per million tokens, found \"input={price}\""));
        }
        let row = "gpt-7 openai input=1 output=1 above=7 read=1";
        check(row, &format!("the prices input and output next to other prices, found {row:?}"));
        let error = Figures::parse("gpt-7 openai").unwrap_err();
        let expected = "line 1: expected a line `source NAME VERSION DATE` before the first row, \
                        found \"gpt-7 openai\"";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn bands_end_where_the_next_begins_and_at_unknown_prices() {
        let ends = |figures: &str| {
            let text = format!("source a 1 2026-11-24\nx other {figures}");
            let figures = Figures::parse(&text).unwrap();
            let bands = figures.rows[0].price_bands();
            bands.iter().map(|it| it.max_prompt).collect::<Vec<_>>()
        };
        assert_eq!(ends("input=1 output=2"), [None]);
        assert_eq!(ends("input=1 output=2 above=5 input=3 output=4"), [Some(5), None]);
        assert_eq!(ends("input=1 output=2 above=5"), [Some(5)]);
        assert_eq!(ends("max_output=1"), []);
    }
}
