//! A call's input as a typed value. Unknown keys are faults: a model that
//! misspells a key should learn it.

use aside_messages::wire::RawJson;
use serde::de::DeserializeOwned;

use crate::refusal::Refusal;

pub(crate) fn read<T: DeserializeOwned>(input: &RawJson) -> Result<T, Refusal> {
    // serde would take an array's values for those of the keys, in order.
    if !input.is_object() {
        return Err(Refusal::new("bad input", "not an object"));
    }
    serde_json::from_str(input.get()).map_err(|error| Refusal::new("bad input", error))
}
