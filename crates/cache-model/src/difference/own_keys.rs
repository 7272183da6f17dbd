//! Which keys in a body are a user's or a tool's own, and not the API's.

/// Keys of values in a user's or a tool's own format.
pub const OPAQUE_KEYS: &[&str] = &[
    "args",
    "arguments",
    "attributes",
    "client_metadata",
    "const",
    "default",
    "enum",
    "env",
    "example",
    "examples",
    "input",
    "input_examples",
    "labels",
    "metadata",
    "response",
];

/// Keys in [`OPAQUE_KEYS`] of a request's parameters. Only the values below are texts: `user_id` is
/// a key of the API.
pub const LABELED_KEYS: &[&str] = &["client_metadata", "labels", "metadata"];

/// Keys of objects whose keys are a user's names, with strings or values in a known format.
pub const NAMED_KEYS: &[&str] = &["variables"];

/// Keys below which a key in [`OPAQUE_KEYS`] or [`NAMED_KEYS`] is a name, or a schema.
pub const DECLARING_KEYS: &[&str] = &[
    "$defs",
    "definitions",
    "functionDeclarations",
    "function_declarations",
    "patternProperties",
    "properties",
];

/// Returns a path in a request without the keys of a user or a tool: `messages[1].content[0].input`
/// for `messages[1].content[0].input.file_path`.
pub(crate) fn without_own_keys(path: &str) -> &str {
    let (mut parent, mut is_labeled, mut start) = ("", false, 0);
    for segment in path.split('.') {
        let key = segment.split('[').next().unwrap_or(segment);
        let end = start + segment.len();
        // The messages of Responses are in `input`.
        let is_listed = OPAQUE_KEYS.contains(&key) && !(start == 0 && key == "input");
        let is_own = is_listed || NAMED_KEYS.contains(&key);
        let is_own = is_own && !DECLARING_KEYS.contains(&parent);
        if is_labeled || is_own && !LABELED_KEYS.contains(&key) {
            return &path[..end];
        }
        (parent, is_labeled, start) = (key, is_own, end + 1);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_keys_are_left_out_of_a_path() {
        for (path, expected) in [
            ("messages[1].content[0].input.a.b-1", "messages[1].content[0].input"),
            ("messages[1].content[0].input", "messages[1].content[0].input"),
            (
                "contents[1].parts[0].functionCall.args.a[0].b",
                "contents[1].parts[0].functionCall.args",
            ),
            ("tools[0].input_examples[1].a", "tools[0].input_examples[1]"),
            (
                "tools[0].input_schema.properties.a.default.b",
                "tools[0].input_schema.properties.a.default",
            ),
            ("prompt.variables.ada.text", "prompt.variables"),
            ("metadata.user_id", "metadata.user_id"),
            ("metadata.user_id.a", "metadata.user_id"),
            (
                "tools[0].input_schema.properties.metadata.properties.a",
                "tools[0].input_schema.properties.metadata.properties.a",
            ),
            ("input[3].content[0].text", "input[3].content[0].text"),
            ("input[3].input.a", "input[3].input"),
            ("messages[3].content[0].text", "messages[3].content[0].text"),
            (
                "tools[0].input_schema.properties.file_path",
                "tools[0].input_schema.properties.file_path",
            ),
            (
                "tools[0].input_schema.properties.input.description",
                "tools[0].input_schema.properties.input.description",
            ),
            ("", ""),
        ] {
            assert_eq!(without_own_keys(path), expected);
        }
    }
}
