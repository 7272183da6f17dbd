use aside_messages::wire::RawJson;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

/// Reads what the model wrote.
pub(crate) fn read<T: DeserializeOwned>(input: &RawJson) -> Result<T, Refusal> {
    // Of an array, the values would be taken for those of the keys.
    if !input.is_object() {
        return Err(Refusal::new("bad input", "not an object"));
    }
    serde_json::from_str(input.get()).map_err(|error| Refusal::new("bad input", error))
}

/// A schema that is part of this program.
pub(crate) fn schema(json: &str) -> RawJson {
    RawJson::parse(json.trim()).expect("the schema is JSON")
}
