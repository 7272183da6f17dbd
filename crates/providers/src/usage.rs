use std::collections::HashMap;
use std::collections::hash_map::Entry;

use aside_messages::wire::Extra;
use aside_models::usage::Messages;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::read::{Members, owned};
use crate::stream_error::{StreamError, parse};

/// How many tokens a request and its response used, in the Anthropic form: typed figures, and
/// members to pass on as the provider wrote them.
///
/// ```
/// use aside_providers::ReportedUsage;
///
/// let billed = aside_models::Usage { read: 900, uncached: 20, output: 7, ..Default::default() };
/// let usage = ReportedUsage::from(billed);
/// assert_eq!(usage.figures().context(), 927);
/// assert_eq!(
///     serde_json::to_string(&usage)?,
///     r#"{"input_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":900,"output_tokens":7}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReportedUsage {
    figures: Messages,
    /// The provider's further members, such as `service_tier`, `cache_creation` and `iterations`.
    /// The figures have the last two, too.
    pub extra: Extra,
}

impl ReportedUsage {
    /// Returns the figures. To get the sum of all tokens that you pay for, convert them to
    /// [`aside_models::Usage`].
    #[must_use]
    pub fn figures(&self) -> &Messages {
        &self.figures
    }

    /// Takes over every member in a later report, the JSON of a `usage` object; others keep their
    /// values.
    ///
    /// # Errors
    ///
    /// When the JSON is not an object.
    pub(crate) fn update(&mut self, report: &str) -> Result<(), StreamError> {
        let Members::<&RawValue>(members) = parse(report)?;
        self.figures.update(parse(report).unwrap_or_default());
        let extra = &mut self.extra.0;
        let known = extra.iter().map(|(key, _)| key.clone());
        let mut places: HashMap<_, _> = known.zip(0..).collect();
        let further = |(key, value): &(String, &RawValue)| {
            value.get() != "null" && !Messages::FIGURES.contains(&key.as_str())
        };
        for (key, value) in members.into_iter().filter(further) {
            let value = owned(value);
            match places.entry(key) {
                Entry::Occupied(place) => extra[*place.get()].1 = value,
                Entry::Vacant(place) => {
                    extra.push((place.key().clone(), value));
                    place.insert(extra.len() - 1);
                }
            }
        }
        Ok(())
    }

    /// Returns the figures in key order; one that is not reported is 0.
    fn values(&self) -> [u64; 4] {
        let it = &self.figures;
        [it.input, it.written, it.read, it.output].map(Option::unwrap_or_default)
    }
}

/// Figures from a provider in another family.
impl From<aside_models::Usage> for ReportedUsage {
    fn from(usage: aside_models::Usage) -> Self {
        Self { figures: usage.into(), extra: Extra::default() }
    }
}

/// A figure that is not reported equals 0: the form has no other way to write it.
impl PartialEq for ReportedUsage {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values() && self.extra == other.extra
    }
}

impl Eq for ReportedUsage {}

impl Serialize for ReportedUsage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, figure) in Messages::FIGURES.iter().zip(self.values()) {
            map.serialize_entry(key, &figure)?;
        }
        for (key, value) in &self.extra.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
