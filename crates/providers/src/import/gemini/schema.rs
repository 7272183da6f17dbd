//! Types of a schema, which Gemini's SDKs write in capitals.

use aside_messages::wire::RawJson;

use crate::json::Json;

/// Writes the types of a schema as JSON Schema has them: Gemini's SDKs write
/// `OBJECT`.
///
/// ```text
/// {"type":"OBJECT","properties":{"type":{"type":"STRING"}}}
/// → {"type":"object","properties":{"type":{"type":"string"}}}
/// ```
///
/// A schema that cannot be read, for example one of too many levels, stays as it is.
pub(super) fn in_lower_case(schema: &RawJson) -> RawJson {
    let Ok(mut json) = Json::parse(schema) else {
        return schema.clone();
    };
    lower_types(&mut json);
    let text = serde_json::to_string(&json).ok();
    let lowered = text.and_then(|text| RawJson::parse(&text).ok());
    lowered.unwrap_or_else(|| schema.clone())
}

/// Changes the type of a schema and of those in `properties`, `items` and `anyOf`. A property that
/// is called `type` is no type.
fn lower_types(schema: &mut Json) {
    let Json::Object(members) = schema else {
        return;
    };
    for (key, value) in members {
        match (key.as_str(), &mut *value) {
            ("type", Json::Scalar(_)) => {
                if let Some(name) = value.as_string() {
                    *value = Json::string(&name.to_ascii_lowercase());
                }
            }
            ("properties", Json::Object(properties)) => {
                properties.iter_mut().for_each(|(_, it)| lower_types(it));
            }
            ("anyOf", Json::Array(choices)) => choices.iter_mut().for_each(lower_types),
            ("items", items) => lower_types(items),
            _ => {}
        }
    }
}
