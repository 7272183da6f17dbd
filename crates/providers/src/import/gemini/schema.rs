//! Google's own form of a schema.

use aside_messages::wire::RawJson;

use crate::import::object::snake_case;
use crate::json::Json;

/// Limits that Google's JSON has as strings: they are 64-bit integers there.
const LIMITS: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// The other keys of more than one word. Google's Python SDK writes all of them in snake case.
const LONG_KEYS: [&str; 3] = ["anyOf", "additionalProperties", "propertyOrdering"];

/// Converts a schema in Google's form to JSON Schema: keys are in camel case, types in lower case,
/// limits are numbers, and a nullable value has the type `null` as well.
///
/// ```text
/// {"type":"OBJECT","properties":{"type":{"type":"STRING","nullable":true,"maxLength":"9"}}}
/// → {"type":"object","properties":{"type":{"type":["string","null"],"maxLength":9}}}
/// ```
///
/// A schema that cannot be read, for example one of too many levels, stays as it is.
pub(super) fn json_schema(schema: &RawJson) -> RawJson {
    let Ok(mut json) = Json::parse(schema) else {
        return schema.clone();
    };
    convert(&mut json);
    let text = serde_json::to_string(&json).ok();
    let converted = text.and_then(|text| RawJson::parse(&text).ok());
    converted.unwrap_or_else(|| schema.clone())
}

/// Converts a schema and those in `properties`, `items`, `additionalProperties` and `anyOf`. A
/// property that is called `type` is no type.
fn convert(schema: &mut Json) {
    let Json::Object(members) = schema else {
        return;
    };
    let is_nullable = members.contains(&("nullable".to_owned(), Json::truth()));
    members.retain(|(key, _)| key != "nullable");
    for (key, value) in members {
        if key.contains('_')
            && let Some(camel) = LIMITS.iter().chain(&LONG_KEYS).find(|it| snake_case(it) == *key)
        {
            *key = (*camel).to_owned();
        }
        match (key.as_str(), &mut *value) {
            ("type", Json::Scalar(_)) => {
                if let Some(name) = value.as_string() {
                    let name = Json::string(&name.to_ascii_lowercase());
                    *value = if is_nullable {
                        Json::Array(vec![name, Json::string("null")])
                    } else {
                        name
                    };
                }
            }
            ("properties", Json::Object(properties)) => {
                properties.iter_mut().for_each(|(_, it)| convert(it));
            }
            ("anyOf", Json::Array(choices)) => {
                choices.iter_mut().for_each(convert);
                if is_nullable {
                    let kind = ("type".to_owned(), Json::string("null"));
                    choices.push(Json::Object(vec![kind]));
                }
            }
            ("enum", Json::Array(values)) if is_nullable => values.push(number_or_null("null")),
            ("items" | "additionalProperties", inner) => convert(inner),
            (key, Json::Scalar(_)) if LIMITS.contains(&key) => {
                if let Some(limit) = value.as_string().and_then(|it| it.parse::<u64>().ok()) {
                    *value = number_or_null(&limit.to_string());
                }
            }
            _ => {}
        }
    }
}

fn number_or_null(json: &str) -> Json {
    Json::Scalar(RawJson::parse(json).expect("a number, or null, is JSON"))
}
