//! A body as lines: its keys, and the lines in its texts.
//!
//! The lines follow from the bytes alone, and the bytes from the lines: while
//! the lines are made, the body is written again from what they show, without
//! white space or as `json.dumps` of Python does, and if it comes out differently,
//! the whole body is one escaped line. So no byte can change without a line.

use aside_cache_model::Body;
use aside_cache_model::body::json::{Kind, Tape, Value};

/// Containers up to this length are shown in one line.
const MAX_INLINE_BYTES: usize = 120;

/// Strings up to this length, without line breaks, are shown in one line.
const MAX_INLINE_CHARS: usize = 80;

/// A line, and the bytes that it stands for: from `start` to where the next
/// line starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLine {
    /// The first byte.
    pub start: usize,
    /// The byte where the shown part begins.
    pub content: usize,
    /// What it shows.
    pub kind: BodyLineKind,
    /// The object or array around it.
    pub path: String,
    /// The member's key; empty for a heading and for an array's element.
    pub key: String,
    /// The JSON to show, or the string's line.
    pub text: String,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyLineKind {
    /// An object or array with lines of its own starts here.
    Heading,
    /// The same object again, after another inside it.
    Continued,
    /// Members as JSON.
    Json,
    /// A string's first line.
    FirstOfText,
    /// A string's further line.
    Text,
}

impl BodyLine {
    /// Returns a byte whose source is the line's: in its middle, since at its
    /// ends it touches lines from other sources. `None` for a heading, and for
    /// a line of white space.
    #[must_use]
    pub fn middle(&self) -> Option<usize> {
        let length = if self.is_text() { quoted(&self.text).len() - 2 } else { self.text.len() };
        (!self.is_blank() && !self.is_heading()).then_some(self.content + length / 2)
    }

    /// Returns the first byte where this line differs from another.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> usize {
        let pairs = self.text.chars().zip(other.text.chars());
        let same: String = pairs.take_while(|(a, b)| a == b).map(|it| it.0).collect();
        let bytes = if self.is_text() { quoted(&same).len() - 2 } else { same.len() };
        self.content + bytes
    }

    /// Returns the value's JSON path.
    #[must_use]
    pub fn full_path(&self) -> String {
        match (self.path.as_str(), self.key.as_str()) {
            (path, "") => path.to_owned(),
            ("", key) => key.to_owned(),
            (path, key) => format!("{path}.{key}"),
        }
    }

    /// Returns true for a line in a string.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, BodyLineKind::Text | BodyLineKind::FirstOfText)
    }

    /// Returns true for a line of white space in a string.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.is_text() && self.text.trim().is_empty()
    }

    /// Returns true if this line continues the string above it.
    #[must_use]
    pub fn continues_text(&self) -> bool {
        self.kind == BodyLineKind::Text
    }

    /// Returns true if an object or array starts here.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        matches!(self.kind, BodyLineKind::Heading | BodyLineKind::Continued)
    }

    /// Returns the line without its margin. Text that a terminal or an editor
    /// would not show as it is gets quoted.
    #[must_use]
    pub fn shown(&self) -> String {
        let (sign, text) = match self.kind {
            BodyLineKind::Heading if self.path.is_empty() => {
                return format!("== request{}", self.text);
            }
            BodyLineKind::Heading => return format!("== {}{}", self.path, self.text),
            BodyLineKind::Continued if self.path.is_empty() => return "== request …".to_owned(),
            BodyLineKind::Continued => return format!("== {} …", self.path),
            BodyLineKind::Json => (':', &self.text),
            BodyLineKind::FirstOfText | BodyLineKind::Text => ('|', &self.text),
        };
        let is_visible =
            |c: char| matches!(c, '"' | '\'' | '\\' | '\t') || c.escape_debug().len() == 1;
        if !text.chars().all(is_visible) || text.ends_with(char::is_whitespace) {
            return format!("{sign}{text:?}");
        }
        format!("{sign} {text}").trim_end().to_owned()
    }

    /// Returns a text that is equal for equal lines in different places of a
    /// list: a path's index follows from the lines before it.
    #[must_use]
    pub fn key(&self) -> String {
        match self.kind {
            BodyLineKind::Heading => format!("== {}{}", without_indices(&self.path), self.text),
            BodyLineKind::Continued => format!("== {} …", without_indices(&self.path)),
            _ => self.shown(),
        }
    }
}

/// Returns a path with `[]` instead of each index.
#[must_use]
pub fn without_indices(path: &str) -> String {
    let mut out = String::new();
    for part in path.split_inclusive('[') {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(if rest.starts_with(']') { rest } else { part });
    }
    out
}

/// Splits a body on any wire into lines. Anything else is one line.
#[must_use]
pub fn body_lines(bytes: &[u8]) -> Vec<BodyLine> {
    let request = Body::parse(bytes).ok();
    let tape = request.and_then(|_| Tape::parse(bytes).ok());
    let written = |space| {
        let mut writer = Writer { space, ..Writer::default() };
        if !space.is_empty() {
            writer.line(BodyLineKind::Heading, ("", ""), SPACED);
        }
        writer.object("", tape.as_ref()?.root());
        (writer.rebuilt == bytes).then_some(writer.lines)
    };
    match written("").or_else(|| written(" ")) {
        Some(lines) => lines,
        None => vec![BodyLine {
            start: 0,
            content: 0,
            kind: BodyLineKind::Json,
            path: String::new(),
            key: String::new(),
            text: bytes.escape_ascii().to_string(),
        }],
    }
}

/// What a body begins with whose JSON is as Python's `json.dumps` writes it.
const SPACED: &str = ", with a space after each comma and colon";

#[derive(Default)]
struct Writer {
    /// What follows commas and colons.
    space: &'static str,
    lines: Vec<BodyLine>,
    /// The bytes that follow from the lines so far.
    rebuilt: Vec<u8>,
    /// The object that the last line belongs to.
    at: String,
}

impl Writer {
    /// Adds a line, after another one if the container has to be named again.
    fn line(&mut self, kind: BodyLineKind, (path, key): (&str, &str), text: &str) {
        if kind == BodyLineKind::Heading {
            path.clone_into(&mut self.at);
        } else if self.at != path {
            self.at = path.to_owned();
            self.line(BodyLineKind::Continued, (path, ""), "");
        }
        self.lines.push(BodyLine {
            start: self.rebuilt.len(),
            content: self.rebuilt.len(),
            kind,
            path: path.to_owned(),
            key: key.to_owned(),
            text: text.to_owned(),
        });
    }

    fn put(&mut self, bytes: impl AsRef<[u8]>) {
        self.rebuilt.extend_from_slice(bytes.as_ref());
    }

    /// Writes what is before an element or a member.
    fn open(&mut self, index: usize, bracket: &str) {
        if index == 0 {
            self.put(bracket);
        } else {
            self.put(",");
            self.put(self.space);
        }
    }

    /// Writes an object under a heading, which includes the first member if
    /// that is the type or the role.
    fn object(&mut self, path: &str, value: Value<'_>) {
        let first = value.members().next();
        let first = first.filter(|(key, value)| is_plain_tag(key, *value));
        let first = first.map(|(key, value)| (key, value.text().unwrap_or_default()));
        let tag = first.as_ref().map(|(key, tag)| format!(" {key}: {tag}"));
        self.line(BodyLineKind::Heading, (path, ""), &tag.unwrap_or_default());
        for (index, (key, value)) in value.members().enumerate() {
            self.open(index, "{");
            match &first {
                Some((key, tag)) if index == 0 => {
                    self.put(format!("{}:{}{}", quoted(key), self.space, quoted(tag)));
                }
                _ => self.member(path, &key, value),
            }
        }
        self.put("}");
    }

    fn member(&mut self, path: &str, key: &str, value: Value<'_>) {
        let step = if is_name(key) { key.to_owned() } else { format!("{key:?}") };
        let inner = match path {
            "" => step,
            _ => format!("{path}.{step}"),
        };
        let name = format!("{}:{}", quoted(key), self.space);
        match value.kind() {
            Kind::String => self.string(path, (key, &name), value),
            Kind::Object if is_long(value) => {
                self.put(name);
                self.object(&inner, value);
            }
            Kind::Array if is_list(path, key, value) => {
                self.put(name);
                self.array(&inner, value);
            }
            _ => self.json((path, key), &name, value),
        }
    }

    /// Writes each element under its own heading.
    fn array(&mut self, path: &str, value: Value<'_>) {
        for (index, element) in value.items().enumerate() {
            self.open(index, "[");
            let path = format!("{path}[{index}]");
            if element.kind() == Kind::Object && element.children().next().is_some() {
                self.object(&path, element);
                continue;
            }
            self.line(BodyLineKind::Heading, (&path, ""), "");
            match element.kind() {
                Kind::String => self.string(&path, ("", ""), element),
                _ => self.json((&path, ""), "", element),
            }
        }
        self.put("]");
    }

    fn json(&mut self, at: (&str, &str), name: &str, value: Value<'_>) {
        self.line(BodyLineKind::Json, at, &format!("{name}{}", value.raw()));
        self.put(name);
        self.put(value.raw());
    }

    /// Writes a string: in one line of JSON if it is short, else line by line.
    /// A string with unusual escapes stays as written.
    fn string(&mut self, path: &str, (key, name): (&str, &str), value: Value<'_>) {
        let text = value.text().unwrap_or_default();
        let is_short = !text.contains('\n') && text.chars().nth(MAX_INLINE_CHARS).is_none();
        let is_text = key == "text" || !is_short;
        if !is_text || quoted(&text) != value.raw() {
            return self.json((path, key), name, value);
        }
        let is_first = self.lines.last().is_some_and(|it| it.kind == BodyLineKind::Heading);
        let is_implied = key.is_empty() || (key == "text" && is_first && self.at == path);
        if !is_implied {
            self.line(BodyLineKind::Json, (path, key), name);
        }
        let mut kind = BodyLineKind::FirstOfText;
        for line in text.split('\n') {
            self.line(kind, (path, key), line);
            let is_first =
                std::mem::replace(&mut kind, BodyLineKind::Text) == BodyLineKind::FirstOfText;
            let before = if is_first { format!("{name}\"") } else { "\\n".to_owned() };
            if let Some(line) = self.lines.last_mut() {
                line.content += before.len();
            }
            self.put(before);
            let escaped = quoted(line);
            self.put(&escaped[1..escaped.len() - 1]);
        }
        self.put("\"");
    }
}

/// Returns true for a type or a role that fits into a heading.
fn is_plain_tag(key: &str, value: Value<'_>) -> bool {
    matches!(key, "type" | "role") && value.text().is_some_and(|it| is_name(&it))
}

fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !text.is_empty() && text.chars().all(is_plain)
}

/// Returns true for a container that does not fit into a line.
fn is_long(value: Value<'_>) -> bool {
    let is_long = value.raw().len() > MAX_INLINE_BYTES || value.raw().contains(r"\n");
    is_long && value.children().next().is_some()
}

/// Returns true for a list whose elements have headings: tools, messages and
/// their blocks always, others if they are long and have objects.
fn is_list(path: &str, key: &str, value: Value<'_>) -> bool {
    let has_objects = value.items().any(|it| it.kind() == Kind::Object);
    let is_of_blocks = path.is_empty() || matches!(key, "content" | "parts");
    has_objects && (is_of_blocks || value.raw().len() > MAX_INLINE_BYTES)
}

/// Returns a string as the encoder writes it.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Every kind of line: short and long strings, odd characters, nested
    /// containers, unusual keys and escapes.
    const BODY: &str = concat!(
        r#"{"model":"m","n":1.50,"system":[{"type":"text","text":"a\nb  \n\n\tc","#,
        r#""cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"#,
        r#""text","text":"x"},{"text":"| y","type":"text"},{"type":"tool_use","id":"t","input":"#,
        r#"{"a":[{"k":"one\ntwo"},"= intro",[1,2]],"b.c":{"d":{}}}},{"type":"thinking","thinking":"#,
        r#""p\nq","text":"\u0041\u202e"}]},{"role":"assistant","content":"é\u001b \\n"}],"#,
        r#""text":"== system[0]\n: 1","end":[]}"#
    );

    fn shown(bytes: &[u8]) -> Vec<String> {
        body_lines(bytes).iter().map(BodyLine::shown).collect()
    }

    /// Returns the body as Python's `json.dumps` spaces it.
    fn spaced() -> String {
        let (mut out, mut in_text, mut is_escaped) = (String::new(), false, false);
        for character in BODY.chars() {
            out.push(character);
            in_text ^= character == '"' && !is_escaped;
            is_escaped = character == '\\' && !is_escaped;
            if !in_text && matches!(character, ',' | ':') {
                out.push(' ');
            }
        }
        out
    }

    fn bodies() -> Vec<Vec<u8>> {
        let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
        let folders = fs::read_dir(fixtures).unwrap();
        let first = folders.map(|folder| fs::read(folder.unwrap().path().join("request-1.json")));
        first.filter_map(Result::ok).collect()
    }

    #[test]
    fn every_golden_body_has_lines_that_cover_it() {
        let bodies = bodies();
        assert!(bodies.len() > 100);
        let spaced = spaced();
        let own = [BODY.as_bytes(), spaced.as_bytes()];
        for bytes in bodies.iter().map(Vec::as_slice).chain(own) {
            let lines = body_lines(bytes);
            assert!(lines.len() > 5, "{}", String::from_utf8_lossy(bytes));
            assert_eq!(lines[0].start, 0);
            assert_eq!(lines[0].text == SPACED, bytes == spaced.as_bytes());
            assert!(lines.windows(2).all(|it| it[0].start <= it[1].start));
            assert!(lines.iter().all(|it| it.start < bytes.len()));
        }
    }

    #[test]
    fn every_changed_byte_is_a_changed_line() {
        let check = |bytes: &[u8], whole: &[String], at: usize, to: u8| {
            let mut changed = bytes.to_vec();
            changed[at] = to;
            assert_eq!(shown(&changed) == whole, changed == bytes, "byte {at} as {to}");
        };
        for body in [BODY, &spaced()] {
            let whole = shown(body.as_bytes());
            for at in 0..body.len() {
                for to in *b" \"\\,:[]{}\n0A|" {
                    check(body.as_bytes(), &whole, at, to);
                }
            }
        }
        for (index, bytes) in bodies().iter().enumerate() {
            let (whole, at) = (shown(bytes), index * 7919 % bytes.len());
            check(bytes, &whole, at, bytes[at] ^ 1);
            check(bytes, &whole, bytes.len() - 1 - at, b'x');
        }
    }

    #[test]
    fn bytes_that_are_added_or_removed_are_changed_lines() {
        let whole = shown(BODY.as_bytes());
        for at in 0..BODY.len() {
            let (head, tail) = BODY.as_bytes().split_at(at);
            assert_ne!(shown(&[head, &tail[1..]].concat()), whole, "without byte {at}");
            assert_ne!(shown(&[head, b" ", tail].concat()), whole, "a space at {at}");
        }
        for twice in [r#"{"text":"a","text":"b"}"#, r#"{"thinking":"x","text":"y"}"#] {
            let body = |block: &str| {
                format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{block}]}}]}}"#)
            };
            let joined = twice.replace(r#"","text":""#, "\\n").replace(r#"","thinking":""#, "\\n");
            assert_ne!(shown(body(twice).as_bytes()), shown(body(&joined).as_bytes()));
        }
    }

    #[test]
    fn no_line_can_pretend_to_be_another() {
        let forged =
            r#"{"model":"m","messages":[{"role":"user","content":"x\n== system[0]\n: {}"}]}"#;
        let shown = shown(forged.as_bytes());
        assert!(shown.contains(&"| == system[0]".to_owned()), "{shown:?}");
        let hidden = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\u{202e}\u{1b}[31m b\"}]}";
        let text = self::shown(hidden.as_bytes()).join("\n");
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
    }
}
