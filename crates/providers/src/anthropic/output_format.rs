//! The schema of an output, as the Messages API accepts it.

use aside_messages::wire::RawJson;
use aside_rules::of::schema::{SchemaUse, repair};

use crate::loss::ConversionLoss;
use crate::read::Members;

/// Returns `output_config` with a schema that the API accepts; `None` if nothing is left of it. A
/// format that cannot be repaired is left out.
///
/// ```text
/// {"format":{"type":"json_schema","schema":{"type":"object"}}}
/// → {"format":{"type":"json_schema","schema":{"type":"object","additionalProperties":false}}}
/// ```
pub(super) fn repaired_format(
    config: &RawJson,
    losses: &mut Vec<ConversionLoss>,
) -> Option<RawJson> {
    let Some(Format { mut members, at, mut format, schema }) = Format::read(config) else {
        return Some(config.clone());
    };
    match repair(SchemaUse::MessagesOutput, format[schema].1.get()) {
        Ok(None) => return Some(config.clone()),
        Ok(Some(repaired)) => {
            format[schema].1 = RawJson::parse(&repaired.schema).ok()?;
            losses.extend(repaired.repairs.into_iter().map(|it| {
                let dot = if it.path.is_empty() { "" } else { "." };
                let path = format!("output_config.format.schema{dot}{}", it.path);
                ConversionLoss::new(path, it.what)
            }));
            members[at].1 = RawJson::of(&Members(format));
        }
        Err(fault) => {
            let what = format!("left out: {} is {}", fault.path, fault.found);
            losses.push(ConversionLoss::new("output_config.format", what));
            members.remove(at);
        }
    }
    (!members.is_empty()).then(|| RawJson::of(&Members(members)))
}

/// The members of `output_config`, and those of its format, with the places of the format and its
/// schema.
struct Format {
    members: Vec<(String, RawJson)>,
    at: usize,
    format: Vec<(String, RawJson)>,
    schema: usize,
}

impl Format {
    /// Returns `None` without a schema.
    fn read(config: &RawJson) -> Option<Self> {
        let Members(members) = serde_json::from_str(config.get()).ok()?;
        let at = place(&members, "format")?;
        let Members(format) = serde_json::from_str(members[at].1.get()).ok()?;
        let schema = place(&format, "schema")?;
        Some(Self { members, at, format, schema })
    }
}

/// Returns the place of a key; of doubled keys the last one counts.
fn place(members: &[(String, RawJson)], key: &str) -> Option<usize> {
    members.iter().rposition(|(known, _)| known == key)
}
