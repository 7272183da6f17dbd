mod iterations;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use aside_messages::wire::{Extra, RawJson};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The usage of a request and its response, in tokens, as the Messages API counts on every wire.
/// The total input is the sum of the three input figures.
///
/// ```text
/// Messages API                 OpenAI                                     Gemini
/// input_tokens                 prompt − cached − written                  prompt + tools − cached
/// cache_creation_input_tokens  cache_write_tokens                         0
/// cache_read_input_tokens      cached_tokens                              cachedContentTokenCount
/// output_tokens                completion, reasoning included             candidates + thoughts
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input that was neither read from the cache nor written to it.
    /// Providers that report the total input have the other two subtracted from it.
    pub input_tokens: u64,
    /// Input that was written to the cache.
    pub cache_creation_input_tokens: u64,
    /// Input that was read from the cache.
    pub cache_read_input_tokens: u64,
    /// The answer, thinking included.
    pub output_tokens: u64,
    /// Further figures of the provider, such as `service_tier`.
    pub extra: Extra,
}

impl Usage {
    /// Takes over every figure that a later report has; one that it leaves out
    /// keeps its value.
    ///
    /// The last report of a stream is complete; the first has the input only.
    pub(crate) fn update(&mut self, report: Report) {
        let figures = [
            (&mut self.input_tokens, report.input_tokens),
            (
                &mut self.cache_creation_input_tokens,
                report.cache_creation_input_tokens,
            ),
            (
                &mut self.cache_read_input_tokens,
                report.cache_read_input_tokens,
            ),
            (&mut self.output_tokens, report.output_tokens),
        ];
        for (figure, reported) in figures {
            if let Some(reported) = reported {
                *figure = reported;
            }
        }
        let extra = &mut self.extra.0;
        let known = extra.iter().map(|(key, _)| key.clone());
        let mut places: HashMap<_, _> = known.zip(0..).collect();
        for (key, value) in report.extra.0 {
            match places.entry(key) {
                Entry::Occupied(place) => extra[*place.get()].1 = value,
                Entry::Vacant(place) => {
                    extra.push((place.key().clone(), value));
                    place.insert(extra.len() - 1);
                }
            }
        }
    }
}

/// Figures as a provider of the Anthropic family reports them, any of them
/// left out.
///
/// `None` means that the provider left the figure out or does not know it yet (null), in contrast
/// to 0.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) cache_creation_input_tokens: Option<u64>,
    pub(crate) cache_read_input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) extra: Extra,
}

impl Report {
    /// Reads the members of a `usage` object. A figure that is no number is left out.
    ///
    /// Members that are no figure of these four are kept as they are, in order.
    pub(crate) fn read(members: Vec<(String, RawJson)>) -> Self {
        Self::read_checked(members).0
    }

    /// Reads the members as [`Report::read`]. False if a figure is no number.
    fn read_checked(members: Vec<(String, RawJson)>) -> (Self, bool) {
        let (mut report, mut is_valid) = (Self::default(), true);
        for (key, value) in members {
            match report.figure(&key).map(|it| (it, value.get())) {
                // A null means that it is not known yet.
                Some((figure, json)) => match serde_json::from_str(json) {
                    Ok(read) => *figure = read,
                    Err(_) => is_valid = false,
                },
                None => report.extra.0.push((key, value)),
            }
        }
        (report, is_valid)
    }

    /// Returns the figure of a member, `None` for other members.
    fn figure(&mut self, key: &str) -> Option<&mut Option<u64>> {
        Some(match key {
            "input_tokens" => &mut self.input_tokens,
            "cache_creation_input_tokens" => &mut self.cache_creation_input_tokens,
            "cache_read_input_tokens" => &mut self.cache_read_input_tokens,
            "output_tokens" => &mut self.output_tokens,
            _ => return None,
        })
    }
}

impl Serialize for Usage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("input_tokens", &self.input_tokens)?;
        map.serialize_entry(
            "cache_creation_input_tokens",
            &self.cache_creation_input_tokens,
        )?;
        map.serialize_entry("cache_read_input_tokens", &self.cache_read_input_tokens)?;
        map.serialize_entry("output_tokens", &self.output_tokens)?;
        for (key, value) in &self.extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
