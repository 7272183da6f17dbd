//! Describing keys for editors.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::Value;

/// Writes descriptions for editors: a paragraph is one line, since an editor breaks lines itself; a
/// rustdoc link is its text; and a key that selects one of several forms, by its value or by its
/// presence, has that form's description.
#[derive(Clone)]
pub(super) struct Describe;

impl Transform for Describe {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = on_one_line(text).replace("[`", "`").replace("`]", "`");
        }
        if let Some(Value::String(form)) = schema.get("description").cloned()
            && let Some(Value::Object(properties)) = schema.get_mut("properties")
        {
            let is_only = properties.len() == 1;
            let keys = properties.values_mut().filter_map(Value::as_object_mut);
            for tag in keys.filter(|it| is_only || it.contains_key("const")) {
                let description = tag.entry("description");
                description.or_insert_with(|| form.as_str().into());
            }
        }
        // An optional key says by its type that it may be missing.
        if schema.get("default") == Some(&Value::Null) {
            schema.remove("default");
        }
        transform_subschemas(self, schema);
    }
}

fn on_one_line(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|it| it.replace('\n', " "));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}
