//! Finding the paths that a source file uses, without a parser: comments,
//! strings and the tests at its end are left out.
//!
//! The reader splits a file into tokens and knows two shapes only: a `use`
//! tree, and a path in code that begins with `crate`, `self`, `super` or a
//! child module. That is enough for the graph of files, and it never fails: an
//! unknown construct has no paths.

use crate::coverage::code;

/// A path within the crate: `use crate::a::B`, or `super::b::f()` in code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// `["crate", "a", "B"]`. It begins with `crate`, `self`, `super` or the
    /// name of a child module.
    pub(super) segments: Vec<String>,
    /// The name that it is given, if not its last segment.
    alias: Option<String>,
    /// It is a `use`, so others can reach the name through this file.
    pub(super) is_use: bool,
}

impl Import {
    /// Returns the name under which the file knows the item.
    pub(super) fn name(&self) -> Option<&String> {
        self.alias.as_ref().or(self.segments.last())
    }
}

/// Returns a source file's paths that stay in its crate.
///
/// A `use` tree gives an import for each leaf:
///
/// ```text
/// use crate::{a::A, b::{self, B as C}};
/// → crate::a::A, crate::b, crate::b::B (alias C)
/// ```
///
/// Leaves out paths to other crates.
pub(super) fn imports(text: &str) -> Vec<Import> {
    let tokens = tokens(text);
    let children: Vec<&str> = tokens
        .windows(3)
        .filter(|it| it[0] == "mod" && it[2] == ";")
        .map(|it| it[1].as_str())
        .collect();
    let is_inner = |segment: &str| {
        matches!(segment, "crate" | "self" | "super") || children.contains(&segment)
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        // `use<'a>` lists the lifetimes that a returned type captures.
        if tokens[at] == "use" && tokens.get(at + 1).is_none_or(|it| it != "<") {
            at = tree(&tokens, at + 1, &[], &mut found);
        } else if is_inner(&tokens[at]) && tokens.get(at + 1).is_some_and(|it| it == "::") {
            let (segments, end) = path(&tokens, at);
            found.push(Import { segments, alias: None, is_use: false });
            at = end;
        } else {
            at += 1;
        }
    }
    found.retain(|it| it.segments.first().is_some_and(|first| is_inner(first)));
    found
}

/// Reads a `use` tree behind `prefix` and returns the position after it.
fn tree(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Import>) -> usize {
    let mut segments = prefix.to_vec();
    let mut alias = None;
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "::" => {}
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|it| it != "}") {
                    at = tree(tokens, at, &segments, found);
                    at += usize::from(tokens.get(at).is_some_and(|it| it == ","));
                }
                return at + 1;
            }
            "as" => {
                alias = tokens.get(at + 1).cloned();
                at += 1;
            }
            ";" | "," | "}" => break,
            // `use a::{self}` is `use a`.
            "self" if !segments.is_empty() => {}
            _ => segments.push(token.clone()),
        }
        at += 1;
    }
    found.push(Import { segments, alias, is_use: true });
    at
}

/// Reads a path in code and returns the position after it.
fn path(tokens: &[String], mut at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].clone()];
    while tokens.get(at + 1).is_some_and(|it| it == "::")
        && let Some(next) = tokens.get(at + 2).filter(|it| is_name(it))
    {
        segments.push(next.clone());
        at += 2;
    }
    (segments, at + 1)
}

/// Returns true for a token that is a name or a keyword.
fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits a file into names, `::` and single characters, up to its tests.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for line in code(text).lines() {
        if line.trim_end() == "mod tests {" {
            break;
        }
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = if is_name(rest) {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                rest.find(|c| !is_part(c)).unwrap_or(rest.len())
            } else if rest.starts_with("::") {
                2
            } else {
                first.len_utf8()
            };
            if !first.is_whitespace() {
                tokens.push(rest[..length].to_owned());
            }
            rest = &rest[length..];
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = imports(text).iter().map(|it| it.segments.join("::")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn uses_and_paths_in_code() {
        check(
            "use crate::a::{self, B, c::{D, E as F}};",
            &["crate::a", "crate::a::B", "crate::a::c::D", "crate::a::c::E"],
        );
        check("pub(crate) use super::x;\nuse std::fmt;", &["super::x"]);
        check("mod child;\npub use child::Thing;", &["child::Thing"]);
        check("fn f() { crate::a::g(super::h::<T>()) }", &["crate::a::g", "super::h"]);
        check(
            "fn f<'a>(x: &'a X) -> impl Iterator + use<'a> { let y = { x }; super::h(y) }",
            &["super::h"],
        );
    }

    #[test]
    fn literals_and_comments_are_left_out() {
        check("let a = \"use crate::b;\"; // use crate::c;", &[]);
        check("let a = r#\"\" crate::b \"#; crate::d::f();", &["crate::d::f"]);
        check("let a = ['\"', '\\'']; crate::e::f();", &["crate::e::f"]);
    }

    #[test]
    fn tests_are_left_out() {
        check("use crate::a;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}", &["crate::a"]);
    }
}
