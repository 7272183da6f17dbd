use serde::{Deserialize, Deserializer};

/// Reads what is left of an object for a variant without fields: serde itself
/// would let anything stand beside its tag.
pub(crate) fn no_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct NoFields {}

    NoFields::deserialize(deserializer).map(|NoFields {}| ())
}
