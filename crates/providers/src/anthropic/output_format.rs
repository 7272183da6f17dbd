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
    let unchanged = || Some(config.clone());
    let Some(Members(mut members)) = read(config) else {
        return unchanged();
    };
    let Some(at) = place(&members, "format") else {
        return unchanged();
    };
    let Some(Members(mut format)) = read(&members[at].1) else {
        return unchanged();
    };
    let Some(schema) = place(&format, "schema").and_then(|at| format.get_mut(at)) else {
        return unchanged();
    };
    match repair(SchemaUse::MessagesOutput, schema.1.get()) {
        Ok(None) => return unchanged(),
        Ok(Some(repaired)) => {
            schema.1 = RawJson::parse(&repaired.schema).ok()?;
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

fn read(object: &RawJson) -> Option<Members> {
    serde_json::from_str(object.get()).ok()
}

/// Returns the place of a key; of doubled keys the last one counts.
fn place(members: &[(String, RawJson)], key: &str) -> Option<usize> {
    members.iter().rposition(|(known, _)| known == key)
}
