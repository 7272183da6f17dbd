//! A Rust source's string literals, without those that no request contains:
//! literals in attributes, tests and `Display`, and in panics and diagnostics.
//!
//! This is a lexer, not a parser: it follows brackets and comments, and decides
//! by the code directly before a bracket whether its literals count. The
//! strings in a JSON document are found in the same way.

/// A character and its byte offset in the source.
pub(super) type Located = (usize, char);

/// Macros and methods whose arguments are reported to people.
const REPORTS: &[&str] = &[
    "anyhow!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "bail!",
    "debug_assert!",
    "diagnostic",
    "expect",
    "panic!",
    "unreachable!",
];

/// Items whose literals do not count, by the code before their braces.
const SKIPPED_ITEMS: &[&str] = &["fn fmt(", "fn expecting(", "#[cfg(test)]"];

/// Returns the literals in order, each as its characters with escapes and line
/// continuations resolved.
pub(super) fn literals(source: &str) -> Vec<Vec<Located>> {
    lexed(source).found
}

/// Returns the source without comments and without what literals hold.
pub(crate) fn code(source: &str) -> String {
    lexed(source).code
}

fn lexed(source: &str) -> Lexer<'_> {
    let mut lexer =
        Lexer { source, at: 0, code: String::new(), brackets: Vec::new(), found: Vec::new() };
    while let Some(next) = lexer.peek() {
        lexer.step(next);
    }
    lexer
}

struct Lexer<'a> {
    source: &'a str,
    /// The next character's byte offset.
    at: usize,
    /// The source up to `at` without comments and without what literals hold.
    code: String,
    /// For each open bracket, whether the literals in it are skipped.
    brackets: Vec<bool>,
    found: Vec<Vec<Located>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn step(&mut self, next: char) {
        let rest = self.rest();
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if let Some(end) = raw_end(rest).filter(|_| !self.code.ends_with(is_name)) {
            self.raw(&end);
        } else if next == '"' {
            self.plain();
        } else {
            self.at += quoted_len(rest).unwrap_or(next.len_utf8());
            match next {
                '(' | '[' | '{' => self.brackets.push(self.is_skipped(next)),
                ')' | ']' | '}' => drop(self.brackets.pop()),
                _ => {}
            }
            self.code.push(next);
        }
    }

    /// Reads a raw literal, up to `end`: the quote and its hashes.
    fn raw(&mut self, end: &str) {
        let rest = self.rest();
        let start = rest.find('"').map_or(rest.len(), |quote| quote + 1);
        let text = &rest[start..];
        let text = &text[..text.find(end).unwrap_or(text.len())];
        let from = self.at + start;
        let located = text.char_indices().map(|(at, c)| (from + at, c));
        self.at = self.source.len().min(from + text.len() + end.len());
        self.add(located.collect());
    }

    fn plain(&mut self) {
        self.at += 1;
        let mut text = Vec::new();
        while let Some(c) = self.peek() {
            let at = self.at;
            self.at += c.len_utf8();
            match c {
                '"' => break,
                '\\' => text.extend(self.escape().map(|c| (at, c))),
                _ => text.push((at, c)),
            }
        }
        self.add(text);
    }

    /// Reads an escape after its backslash; a line continuation is no
    /// character.
    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += kind.len_utf8();
        let rest = self.rest();
        let (digits, len) = match kind {
            '\n' => {
                self.at += rest.len() - rest.trim_start().len();
                return None;
            }
            'n' => return Some('\n'),
            't' => return Some('\t'),
            'r' => return Some('\r'),
            '0' => return Some('\0'),
            'x' => (rest.get(..2)?, 2),
            'u' if rest.starts_with('{') => {
                let end = rest.find('}')?;
                (&rest[1..end], end + 1)
            }
            // As JSON writes it.
            'u' => (rest.get(..4)?, 4),
            other => return Some(other),
        };
        self.at += len;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }

    fn add(&mut self, text: Vec<Located>) {
        if self.brackets.last() != Some(&true) {
            self.found.push(text);
        }
        self.code.push_str("\"\"");
    }

    /// Returns true if the literals in the bracket that opens here do not
    /// count.
    fn is_skipped(&self, bracket: char) -> bool {
        let code = self.code.trim_end();
        self.brackets.last() == Some(&true)
            || match bracket {
                '[' => code.ends_with('#') || code.ends_with("#!"),
                '(' => {
                    let is_other = |c: char| !is_name(c) && c != '!';
                    let name = code.rsplit(is_other).next().unwrap_or_default();
                    // A diagnostic's message.
                    REPORTS.contains(&name) || code.ends_with("let message = format!")
                }
                _ => {
                    let header = code.rsplit([';', '{', '}']).next().unwrap_or_default();
                    SKIPPED_ITEMS.iter().any(|item| header.contains(item))
                }
            }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns how the raw literal that begins here ends: a quote and its hashes.
fn raw_end(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let is_raw = rest[hashes..].starts_with('"');
    is_raw.then(|| format!("\"{}", "#".repeat(hashes)))
}

/// Measures the character literal that begins here, in bytes. A lifetime is
/// none.
fn quoted_len(rest: &str) -> Option<usize> {
    let first = rest.strip_prefix('\'')?.chars().next()?;
    // The first character after a backslash may be a quote.
    let from = 1 + first.len_utf8() + usize::from(first == '\\');
    let end = from + rest.get(from..)?.find('\'')?;
    (first == '\\' || end == from).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::literals;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let found: Vec<String> = literals(source)
            .into_iter()
            .map(|text| text.into_iter().map(|(_, c)| c).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_form_of_a_literal() {
        check(r#"let a = "one"; let b = b"two";"#, &["one", "two"]);
        check("let a = \"one \\\n      two\\n\";", &["one two\n"]);
        check(r#""\"x\" \\ \u{e9}\x41\u00e9\t""#, &["\"x\" \\ éAé\t"]);
        check(
            r###"r"a\n" + r#"{"b":1}"# + br##"c"#"## + bar"d""###,
            &["a\\n", "{\"b\":1}", "c\"#", "d"],
        );
        check(r#"format!("{a} of", concat!("b"))"#, &["{a} of", "b"]);
        check("\"no end", &["no end"]);
    }

    #[test]
    fn characters_lifetimes_and_comments_hold_no_literal() {
        check(r#"('"', '\'', '\u{22}', 'é') "a""#, &["a"]);
        check(r#"fn a<'a>(b: &'a u8, c: &'static u8) -> "a""#, &["a"]);
        check("/// \"a\"\n//! \"b\"\n/* \"c\" */ \"d\" // \"e\"", &["d"]);
    }

    #[test]
    fn literals_for_people_do_not_count() {
        check(r#"#[error("a")] #![doc = "b"] ["c"]"#, &["c"]);
        check(r#"panic!("a"); b.expect(&format!("c")); wrap("d")"#, &["d"]);
        check(r#"let message = format!("a"); f(format!("b"))"#, &["b"]);
        check(r#"NOTE.diagnostic(format!("a {}", f("b"))) + "c""#, &["c"]);
        check(r#"impl Display for A { fn fmt(&self) { f("a") } fn b() { "b" } }"#, &["b"]);
        check(
            r#"fn a() { "a" } #[cfg(test)] mod tests { fn b() { "b" } } const C: &str = "c";"#,
            &["a", "c"],
        );
    }

    #[test]
    fn offsets_are_those_of_the_source() {
        let source = r#"é("a\nb")"#;
        let found = literals(source);
        assert_eq!(found, [[(4, 'a'), (5, '\n'), (7, 'b')]]);
    }
}
