//! Reading what a server answered to a request.

use rmcp::model::{CustomResult, ServerResult};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Returns a result as JSON, with all that is left of what the server wrote.
///
/// rmcp reads a result as a whole or not at all: one item in an unknown form, and nothing of it is
/// typed.
pub(crate) fn json(result: ServerResult) -> Value {
    match result {
        ServerResult::CustomResult(CustomResult(value)) => value,
        typed => serde_json::to_value(typed).unwrap_or_default(),
    }
}

/// Removes and returns the items of a list, each typed or as the server wrote it. `None` if there
/// is no list under `key`.
pub(crate) fn take_items<T: DeserializeOwned>(
    result: &mut Value,
    key: &str,
) -> Option<impl Iterator<Item = Result<T, Value>> + use<T>> {
    let Some(Value::Array(items)) = result.get_mut(key).map(Value::take) else {
        return None;
    };
    Some(items.into_iter().map(|item| T::deserialize(&item).map_err(|_| item)))
}
