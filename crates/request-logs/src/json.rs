//! Shorthands for JSON values.
//!
//! A path is a list of object keys. A key that is missing, and a value of
//! another type, are treated alike: logs differ in what they leave out.

use serde_json::Value;

/// Parses JSON; half a surrogate pair, as in a cut text, becomes U+FFFD.
pub(crate) fn parse(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text).or_else(|error| {
        let mut repaired = text.to_vec();
        let is_repaired = aside_body::json::replace_lone_surrogates(&mut repaired);
        if is_repaired { serde_json::from_slice(&repaired) } else { Err(error) }
    })
}

/// Returns the value below some keys.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Returns the text below some keys.
pub(crate) fn text(value: &Value, path: &[&str]) -> Option<String> {
    at(value, path)?.as_str().map(str::to_owned)
}

/// Returns the elements of the list below some keys; none if there is no list.
pub(crate) fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns headers: an object of names and values, or a list of objects with
/// `name` and `value`. Names become lower case, and several values of one name
/// are joined by commas. Values that are not text are left out.
pub(crate) fn headers(value: Option<&Value>) -> Vec<(String, String)> {
    let pair = |name: &str, value: &Value| {
        let value = match value {
            Value::Array(all) => {
                let texts: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
                texts.join(",")
            }
            other => other.as_str()?.to_owned(),
        };
        Some((name.to_ascii_lowercase(), value))
    };
    match value {
        Some(Value::Object(map)) => map.iter().filter_map(|(name, it)| pair(name, it)).collect(),
        Some(Value::Array(list)) => {
            list.iter().filter_map(|it| pair(it.get("name")?.as_str()?, it.get("value")?)).collect()
        }
        _ => Vec::new(),
    }
}
