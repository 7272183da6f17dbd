//! From a byte of a JSON text to the path of its value, for messages about a
//! difference.

/// Returns the JSON path of the value, or of the bracket, that contains the
/// byte at `offset` of a JSON text: `messages[0].content[2].text`. If the text
/// is not JSON, the path leads to the first fault.
pub(crate) fn json_path_at(json: &[u8], offset: usize) -> String {
    let mut path: Vec<Level> = Vec::new();
    let mut at = 0;
    while at < json.len().min(offset + 1) {
        match json[at] {
            b'{' => path.push(Level::Object {
                key: None,
                in_value: false,
            }),
            b'[' => path.push(Level::Array(0)),
            b'}' | b']' if at < offset => drop(path.pop()),
            b',' => match path.last_mut() {
                Some(Level::Array(index)) => *index += 1,
                Some(Level::Object { key, in_value }) => (*key, *in_value) = (None, false),
                None => {}
            },
            b':' => {
                if let Some(Level::Object { in_value, .. }) = path.last_mut() {
                    *in_value = true;
                }
            }
            b'"' => {
                let end = string_end(json, at);
                if let Some(Level::Object {
                    key,
                    in_value: false,
                }) = path.last_mut()
                {
                    *key = Some(String::from_utf8_lossy(&json[at + 1..end - 1]).into_owned());
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    path.iter()
        .map(Level::step)
        .collect::<String>()
        .trim_start_matches('.')
        .to_owned()
}

/// An object or array around the current byte.
enum Level {
    Object { key: Option<String>, in_value: bool },
    Array(usize),
}

impl Level {
    /// Returns the part of the path: `.key` or `[index]`; empty for an object
    /// before its first key.
    fn step(&self) -> String {
        match self {
            Self::Object { key: Some(key), .. } => format!(".{key}"),
            Self::Object { key: None, .. } => String::new(),
            Self::Array(index) => format!("[{index}]"),
        }
    }
}

/// Returns the offset after the closing quote; at least one past the opening
/// one.
fn string_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < json.len() {
        match json[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len().max(start + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the path of the byte under the `^` of the second line.
    fn check(json: &str, pointer: &str, expected: &str) {
        assert_eq!(
            json_path_at(json.as_bytes(), pointer.find('^').unwrap()),
            expected
        );
    }

    #[test]
    fn paths_lead_to_the_byte() {
        check(
            r#"{"a":[1,{"b":"x,]"}],"c":2}"#,
            r#"               ^          "#,
            "a[1].b",
        );
        check(
            r#"{"a":[1,{"b":"x,]"}],"c":2}"#,
            r#"                         ^ "#,
            "c",
        );
        check(
            r#"{"a":[1,{"b":"x,]"}],"c":2}"#,
            r#"                  ^        "#,
            "a[1].b",
        );
        check(r#"{"a":[]"#, r#"      ^"#, "a[0]");
    }

    #[test]
    fn any_text_has_a_path() {
        for text in ["", "\"", "\"\\", "]]", "{\"", "{\"a", "x"] {
            for offset in 0..4 {
                let _ = json_path_at(text.as_bytes(), offset);
            }
        }
    }
}
