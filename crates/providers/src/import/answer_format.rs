//! The format of the answer on OpenAI's wires: a schema, or only JSON.
//!
//! ```text
//! {"type":"json_schema","json_schema":{"name":"n","schema":{…},"strict":true}}   Chat Completions
//! {"type":"json_schema","name":"n","schema":{…},"strict":true}                   Responses
//! → the schema, for {"type":"json_schema","schema":{…}} in `output_config.format`
//! ```
//!
//! `{"type":"json_object"}` has no schema, and so no counterpart.

use aside_messages::wire::RawJson;

use super::Result;
use super::object::Object;

/// The name that a format is written with: the Messages API has none.
///
/// A format with this name came from this crate, so its name is not reported as lost.
const WRITTEN_NAME: &str = "answer";

/// What is lost of a format's name.
pub(crate) const NO_NAME: &str = "left out: a format of the Messages API has no name";

/// What is lost of a format that is not strict.
pub(crate) const SET_STRICT: &str =
    "set to true: an answer of the Messages API always has its format";

/// Returns the schema of a format. Its other members, and formats without a
/// schema that are not plain text, are reported.
pub(super) fn schema(format: Option<Object<'_>>) -> Result<Option<RawJson>> {
    let Some(mut format) = format else {
        return Ok(None);
    };
    let kind = format.string("type")?;
    // Chat Completions have one object more.
    if let Some(inner) = format.object("json_schema")? {
        format = inner;
    }
    let Some(schema) = format.json("schema") else {
        if kind.as_deref() != Some("text") {
            let what = "left out: a format of the Messages API has a schema";
            format.lost(format.place(), what);
        }
        return Ok(None);
    };
    if format.string("name")?.is_some_and(|it| it != WRITTEN_NAME) {
        format.lost(format.path("name"), NO_NAME);
    }
    if format.value("strict", "a boolean")? != Some(true) {
        format.lost(format.path("strict"), SET_STRICT);
    }
    format.read_into(&[("schema", "output_config.format.schema")]);
    format.report();
    Ok(Some(schema))
}
