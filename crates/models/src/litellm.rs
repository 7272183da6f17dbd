//! Reading LiteLLM's model map, `model_prices_and_context_window.json`, as figures.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess};

use crate::date::Date;
use crate::family::vendor_of;
use crate::figures::{Figures, PRICES, Prices, Row};
use crate::normalize::normalize;
use crate::price::Price;
use crate::usage::lenient::{Lenient, Maybe};
use crate::wire::Vendor;

/// LiteLLM's names for prices per token, in the order of [`PRICES`].
const KEYS: [&str; PRICES.len()] = [
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "cache_creation_input_token_cost_above_1hr",
    "cache_creation_input_token_cost_above_12hr",
];

/// When the input limit is one of these, the window is the sum of both limits.
const INPUT_ONLY: [u64; 2] = [272_000, 922_000];

impl Figures {
    /// Reads LiteLLM's map. `date` is the day for which it is true, which the map does not state.
    ///
    /// Models by Anthropic, OpenAI, Google and xAI get the catalogue's ids; those of other
    /// providers keep their keys, such as `deepseek/deepseek-chat`. It leaves out dated snapshots,
    /// models by these four vendors on other platforms, and models for other purposes than text.
    ///
    /// ```
    /// use aside_models::{Date, Figures};
    ///
    /// let map = r#"{"gpt-7": {"litellm_provider": "openai", "input_cost_per_token": 1e-06}}"#;
    /// let mut map = serde_json::Deserializer::from_str(map);
    /// let figures = Figures::from_litellm(&mut map, Date::new(2026, 11, 24))?;
    /// assert_eq!(figures.ids().collect::<Vec<_>>(), ["gpt-7"]);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the deserializer's error if the text is no object of objects, or if a figure has
    /// another type or an impossible value.
    pub fn from_litellm<'de, D: Deserializer<'de>>(map: D, date: Date) -> Result<Self, D::Error> {
        let Maybe(rows, _) = Maybe::deserialize(map)?;
        let Rows(rows) = rows.ok_or_else(|| D::Error::custom("no object of models"))?;
        Ok(Self { rows, ..Self::from_source("litellm", "map", date) })
    }
}

struct Rows(Vec<Row>);

impl Lenient for Rows {
    fn of_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut rows = Vec::new();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            // The sample has a description in place of each value.
            if key == "sample_spec" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let Maybe(entry, _) = map.next_value::<Maybe<Entry>>()?;
            let fault = || A::Error::custom(format!("{key}: no object"));
            rows.extend(entry.ok_or_else(fault)?.into_row(&key));
        }
        Ok(Some(Self(rows)))
    }
}

/// The members that matter here.
#[derive(Default)]
struct Entry {
    provider: Option<String>,
    mode: Option<String>,
    input: Option<f64>,
    output: Option<f64>,
    retires: Option<Date>,
    bands: BTreeMap<u64, Prices>,
}

impl Lenient for Entry {
    fn of_object<'de, A: MapAccess<'de>>(mut map: A) -> Result<Option<Self>, A::Error> {
        let mut entry = Entry::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "litellm_provider" => entry.provider = map.next_value()?,
                "mode" => entry.mode = map.next_value()?,
                "max_input_tokens" => entry.input = map.next_value()?,
                "max_output_tokens" => entry.output = map.next_value()?,
                "deprecation_date" => {
                    let text: Option<String> = map.next_value()?;
                    let date = |text: String| {
                        let date = Date::parse(&text);
                        date.ok_or_else(|| A::Error::custom(format!("{key}: no date: {text:?}")))
                    };
                    entry.retires = text.map(date).transpose()?;
                }
                key => match price_of(key) {
                    Some((above, place)) => {
                        let Some(value) = map.next_value::<Option<f64>>()? else {
                            continue;
                        };
                        let price = Price::from_dollars(value * 1e6);
                        let fault = || A::Error::custom(format!("{key}: no price: {value}"));
                        // Bands begin with the shortest prompts, even if these have no prices.
                        entry.bands.entry(0).or_default();
                        let prices = entry.bands.entry(above).or_default();
                        prices[place] = Some(price.ok_or_else(fault)?);
                    }
                    None => {
                        map.next_value::<IgnoredAny>()?;
                    }
                },
            }
        }
        Ok(Some(entry))
    }
}

/// Returns where the band starts, and the index into [`PRICES`], for a key such as
/// `input_cost_per_token_above_200k_tokens`.
fn price_of(key: &str) -> Option<(u64, usize)> {
    let (name, above) = match key.strip_suffix("k_tokens") {
        Some(rest) => {
            let (name, thousands) = rest.rsplit_once("_above_")?;
            (name, thousands.parse::<u64>().ok()?.checked_mul(1_000)?)
        }
        None => (key, 0),
    };
    let place = KEYS.iter().position(|it| *it == name)?;
    Some((above, place))
}

impl Entry {
    fn into_row(self, key: &str) -> Option<Row> {
        let is_text = |mode: &str| matches!(mode, "chat" | "responses" | "completion");
        if !self.mode.as_deref().is_none_or(is_text) {
            return None;
        }
        let (id, vendor) = match self.provider.as_deref()? {
            "anthropic" => (key, Vendor::Anthropic),
            "openai" => (key, Vendor::OpenAi),
            "gemini" => (key.strip_prefix("gemini/")?, Vendor::Google),
            "xai" => (key.strip_prefix("xai/")?, Vendor::Xai),
            _ => (key, Vendor::Other),
        };
        let normal = normalize(id);
        let is_foreign = vendor == Vendor::Other && vendor_of(normal) != Vendor::Other;
        if id.is_empty() || normal != id || is_foreign {
            return None;
        }
        let tokens = |limit: Option<f64>| limit.map(|it| it as u64).filter(|it| *it > 0);
        let (input, output) = (tokens(self.input), tokens(self.output));
        let window = match (input, output) {
            (Some(input), Some(output)) if INPUT_ONLY.contains(&input) => {
                Some(input.saturating_add(output))
            }
            _ => input,
        };
        Some(Row {
            id: id.to_owned(),
            vendor,
            context_window: window,
            // An output as long as the window is how the map writes that there is no separate
            // limit.
            max_output: output.filter(|_| output != window),
            retires: self.retires,
            bands: self.bands,
            less_certain: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(map: &str) -> Result<Figures, serde_json::Error> {
        let mut map = serde_json::Deserializer::from_str(map);
        Figures::from_litellm(&mut map, Date::new(2026, 11, 24))
    }

    #[test]
    fn the_map_is_read_like_rows() {
        let map = r#"{
            "sample_spec": {"input_cost_per_token": "dollars", "max_input_tokens": "a limit"},
            "gpt-7": {"litellm_provider": "openai", "mode": "chat",
                "max_input_tokens": 922000, "max_output_tokens": 128000.0,
                "input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05,
                "cache_read_input_token_cost": 1.875e-08, "input_cost_per_token_flex": 1e-06,
                "input_cost_per_token_above_272k_tokens": 4e-06,
                "output_cost_per_token_above_272k_tokens": 1.5e-05,
                "cache_creation_input_token_cost_above_12hr_above_272k_tokens": 1e-05,
                "search_context_cost_per_query": {"search_context_size_high": 0.01},
                "deprecation_date": "2027-01-14"},
            "gpt-7-2026-12-01": {"litellm_provider": "openai"},
            "gemini/gemini-9": {"litellm_provider": "gemini", "max_input_tokens": 9, "max_output_tokens": 9},
            "gemini-9": {"litellm_provider": "vertex_ai-language-models"},
            "us.anthropic.claude-opus-5-5": {"litellm_provider": "bedrock_converse"},
            "deepseek/deepseek-chat": {"litellm_provider": "deepseek", "input_cost_per_token": null},
            "gpt-image-9": {"litellm_provider": "openai", "mode": "image_generation"}
        }"#;
        let rows = "source litellm map 2026-11-24
            gpt-7 openai context_window=1050000 max_output=128000 retires=2027-01-14 input=2 output=10 read=0.01875 above=272000 input=4 output=15 write_12h=10
            gemini-9 google context_window=9
            deepseek/deepseek-chat other";
        assert_eq!(read(map).unwrap(), Figures::parse(rows).unwrap());
    }

    #[test]
    fn a_price_without_that_of_shorter_prompts_is_not_used() {
        let map = r#"{"x": {"litellm_provider": "acme", "input_cost_per_token_above_1k_tokens": 1,
                      "output_cost_per_token_above_1k_tokens": 1e-06}}"#;
        assert!(read(map).is_err(), "a million dollars");
        let figures = read(&map.replace(": 1,", ": 1e-06,")).unwrap();
        assert_eq!(figures.rows[0].price_bands(), []);
    }

    #[test]
    fn a_fault_has_its_place() {
        let check = |entry: &str, expected: &str| {
            let error = read(&format!("{{\n\"x\": {entry}}}")).unwrap_err().to_string();
            assert_eq!(error, expected);
        };
        check("5", "x: no object at line 2 column 7");
        check(
            r#"{"input_cost_per_token": "1"}"#,
            "invalid type: string \"1\", expected f64 at line 2 column 33",
        );
        check(
            r#"{"output_cost_per_token": -1}"#,
            "output_cost_per_token: no price: -1 at line 2 column 34",
        );
        check(
            r#"{"deprecation_date": "soon"}"#,
            "deprecation_date: no date: \"soon\" at line 2 column 33",
        );
    }
}
