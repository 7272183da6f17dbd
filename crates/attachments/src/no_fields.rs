use serde::{Deserialize, Deserializer};

/// Reads the rest of an object for an enum variant without fields, and refuses
/// any. serde ignores unknown fields next to a unit variant's tag.
pub(crate) fn no_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NoFields {}

    NoFields::deserialize(deserializer).map(|NoFields {}| ())
}
