//! The model in the path of a request, percent-encoded.

use std::fmt::Write;

use aside_rules::table;

use crate::refused::RefusedError;

/// Puts the model into a path. It is one segment, or a part of one, whatever
/// characters it has.
///
/// ```text
/// /model/{model}/invoke   a/b   →  /model/a%2Fb/invoke
/// /v1/messages            any   →  /v1/messages
/// ```
///
/// # Errors
/// The rule `model-name`, if the model is empty or consists of dots, and the path has a place for
/// it.
pub(crate) fn path(template: &str, model: &str) -> Result<String, RefusedError> {
    let Some((before, after)) = template.split_once("{model}") else {
        return Ok(template.to_owned());
    };
    // A segment of dots would be another path, and an empty one none.
    if model.is_empty() || model.bytes().all(|byte| byte == b'.') {
        return Err(RefusedError::one(&table::MODEL_NAME, "model", format_args!("{model:?}")));
    }
    let mut path = before.to_owned();
    for byte in model.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
        if is_plain {
            path.push(char::from(byte));
        } else {
            write!(path, "%{byte:02X}").expect("a string can be written to");
        }
    }
    path.push_str(after);
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(template: &str, model: &str, expected: &str) {
        let found = path(template, model).map_err(|refused| refused.to_string());
        assert_eq!(found.as_deref().unwrap_or_else(|error| error), expected);
    }

    #[test]
    fn a_model_is_one_segment() {
        check("/v1/messages", "..", "/v1/messages");
        check("/models/{model}:go?alt=sse", "gemini-3-pro", "/models/gemini-3-pro:go?alt=sse");
        check(
            "/model/{model}/invoke",
            "arn:aws:bedrock:x:1:inference-profile/a b",
            "/model/arn:aws:bedrock:x:1:inference-profile%2Fa%20b/invoke",
        );
        check("/m/{model}", "claude@1", "/m/claude@1");
        check("/m/{model}", "é?#%\\", "/m/%C3%A9%3F%23%25%5C");
        for model in ["", ".", ".."] {
            check("/m/{model}", model, &format!("model-name: model: {model:?}"));
        }
    }
}
