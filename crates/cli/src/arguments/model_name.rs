//! The value of `--model`.

use aside_text::one_line;

/// Reads the name of a model, which must not be blank or contain terminal
/// control characters.
///
/// The name is not looked up: a model that the catalogue does not know is a warning of
/// the command.
pub(super) fn model_name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("expected a name, found none".to_owned());
    }
    let shown = one_line(text);
    if shown != text {
        return Err(format!(
            "expected a name on one line, without control characters, found {shown}"
        ));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_is_one_line_and_not_blank() {
        for name in
            ["claude-opus-5", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "my own/model é"]
        {
            assert_eq!(model_name(name), Ok(name.to_owned()));
        }
        for blank in ["", " ", "\t\u{a0}\n"] {
            assert_eq!(model_name(blank), Err("expected a name, found none".into()));
        }
        for name in ["a\nb", "a\u{1b}[31m", "m\u{202e}", "\0"] {
            let error = model_name(name).unwrap_err();
            assert!(error.ends_with(&*one_line(name)), "{error}");
        }
    }
}
