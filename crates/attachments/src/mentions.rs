use std::collections::HashSet;

/// A reference in a prompt, written with an `@`.
///
/// You resolve it. If you cannot, it remains plain text in the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mention {
    /// `@src/main.rs`, `@"a file"`, `@src/main.rs#L10-20`: a file or a
    /// directory.
    Path {
        /// The path as written, without quotes.
        path: String,
        /// The lines, if the mention names a range.
        lines: Option<LineRange>,
    },
    /// `@server:uri`: a resource of an MCP server.
    Resource {
        /// The text before the first colon.
        server: String,
        /// The text after the first colon.
        uri: String,
    },
    /// `@agent-reviewer`: an agent.
    Agent {
        /// Its type, without `agent-`.
        agent_type: String,
    },
}

impl Mention {
    /// Returns the mention of the file that is spelled the same: a name may
    /// begin with `agent-` and have a colon.
    ///
    /// ```
    /// use aside_attachments::{Mention, mentions};
    ///
    /// let agent = mentions("Read @agent-notes.md").remove(0);
    /// let file = Mention::Path { path: "agent-notes.md".into(), lines: None };
    /// assert_eq!(agent.into_file(), file);
    /// ```
    #[must_use]
    pub fn into_file(self) -> Self {
        match self {
            Self::Resource { server, uri } => file(&format!("{server}:{uri}")),
            Self::Agent { agent_type } => file(&format!("agent-{agent_type}")),
            path @ Self::Path { .. } => path,
        }
    }
}

/// A range of lines, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line, at or after the first.
    pub last: u32,
}

/// Finds the mentions in a prompt, in order and without duplicates.
///
/// A mention begins at the start of the text or after white space, and ends at
/// white space. Punctuation that ends a sentence is not part of it. A quoted
/// mention ends at the closing quote, which must be on the same line.
///
/// ```
/// use aside_attachments::{LineRange, Mention, mentions};
///
/// assert_eq!(
///     mentions("Compare @src/main.rs#L3-9 with @\"my notes.md\", mia@example.com."),
///     [
///         Mention::Path {
///             path: "src/main.rs".into(),
///             lines: Some(LineRange { first: 3, last: 9 }),
///         },
///         Mention::Path { path: "my notes.md".into(), lines: None },
///     ]
/// );
/// ```
#[must_use]
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    // An `@` inside a quoted path is not a mention.
    let mut from = 0;
    for (at, _) in text.match_indices('@') {
        let is_start = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if at < from || !is_start {
            continue;
        }
        let Some((mention, length)) = mention(&text[at + 1..]) else {
            continue;
        };
        from = at + 1 + length;
        if seen.insert(mention.clone()) {
            found.push(mention);
        }
    }
    found
}

/// Parses the mention at the start of `rest`, the text after an `@`; also
/// returns how many bytes it took.
fn mention(rest: &str) -> Option<(Mention, usize)> {
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find(['"', '\n'])?;
        let path = &quoted[..end];
        let after = quoted[end..].strip_prefix('"')?;
        if path.trim().is_empty() {
            return None;
        }
        let lines = line_range(word(after));
        let mention = Mention::Path { path: path.to_owned(), lines };
        return Some((mention, end + 2));
    }
    let word = trimmed(word(rest));
    if word.is_empty() {
        return None;
    }
    Some((unquoted(word), word.len()))
}

fn unquoted(word: &str) -> Mention {
    if let Some(agent_type) = word.strip_prefix("agent-").filter(|it| !it.is_empty()) {
        return Mention::Agent { agent_type: agent_type.to_owned() };
    }
    if let Some((server, uri)) = word.split_once(':')
        && !server.is_empty()
        && !uri.is_empty()
        && !is_drive(server, uri)
    {
        return Mention::Resource { server: server.to_owned(), uri: uri.to_owned() };
    }
    file(word)
}

fn file(word: &str) -> Mention {
    let (path, lines) = match word.rfind("#L") {
        Some(at) if at > 0 => match line_range(&word[at..]) {
            Some(lines) => (&word[..at], Some(lines)),
            None => (word, None),
        },
        _ => (word, None),
    };
    Mention::Path { path: path.to_owned(), lines }
}

fn word(text: &str) -> &str {
    text.split(char::is_whitespace).next().unwrap_or_default()
}

/// Strips punctuation that ends a sentence or a parenthesis, but keeps `.` and
/// `..` as a path's last component.
fn trimmed(word: &str) -> &str {
    let start = word.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let last_component = &word[start..];
    let kept = last_component.trim_end_matches(ends_sentence).len();
    let dots = last_component.bytes().take(2).take_while(|it| *it == b'.');
    let kept = if kept == 0 { dots.count() } else { kept };
    &word[..start + kept]
}

fn ends_sentence(c: char) -> bool {
    ".,;:!?)]}>\"'`。，、；：！？）】」』》…’”»".contains(c)
}

/// Returns true for a Windows path such as `C:\notes.md`.
fn is_drive(server: &str, uri: &str) -> bool {
    server.len() == 1
        && server.chars().all(|c| c.is_ascii_alphabetic())
        && uri.starts_with(['\\', '/'])
}

/// Parses `#L10` or `#L10-20`, followed by nothing but punctuation that ends a
/// sentence.
fn line_range(text: &str) -> Option<LineRange> {
    let range = text.strip_prefix("#L")?.trim_end_matches(ends_sentence);
    let (first, last) = match range.split_once('-') {
        Some((first, last)) => (line(first)?, line(last.strip_prefix('L').unwrap_or(last))?),
        None => (line(range)?, line(range)?),
    };
    Some(LineRange { first: first.min(last), last: first.max(last) })
}

/// Digits only: `parse` alone would accept a sign.
fn line(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|line| is_number && *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> Mention {
        Mention::Path { path: path.into(), lines: None }
    }

    fn lines(path: &str, first: u32, last: u32) -> Mention {
        Mention::Path { path: path.into(), lines: Some(LineRange { first, last }) }
    }

    fn resource(server: &str, uri: &str) -> Mention {
        Mention::Resource { server: server.into(), uri: uri.into() }
    }

    fn agent(agent_type: &str) -> Mention {
        Mention::Agent { agent_type: agent_type.into() }
    }

    fn check(text: &str, expected: &[Mention]) {
        assert_eq!(mentions(text), expected, "{text:?}");
    }

    #[test]
    fn paths() {
        check("@a", &[path("a")]);
        check("see\t@src/a.rs,\n@b/", &[path("src/a.rs"), path("b/")]);
        check("(@a)", &[]);
        check(
            "@. @.. @../x/.. @~/.bashrc",
            &[path("."), path(".."), path("../x/.."), path("~/.bashrc")],
        );
        check("@a... @b?!", &[path("a"), path("b")]);
        check("看 @文档.md。", &[path("文档.md")]);
        check(r"@C:\notes.md @c:/x", &[path(r"C:\notes.md"), path("c:/x")]);
    }

    #[test]
    fn quotes() {
        check("@\"a b\" c @\"d\"", &[path("a b"), path("d")]);
        check("@\"a @b\" c", &[path("a @b")]);
        check("@\"a\nb\" @\"", &[]);
        check("@\" \"", &[]);
        check("@\"server: x\"", &[path("server: x")]);
    }

    #[test]
    fn line_ranges() {
        check("@a#L10-20", &[lines("a", 10, 20)]);
        check("@a#L10.", &[lines("a", 10, 10)]);
        check("@a#L10-L12, @\"b c\"#L3-4;", &[lines("a", 10, 12), lines("b c", 3, 4)]);
        check("@a#L20-10", &[lines("a", 10, 20)]);
        check(
            "@a#Lx @a#L0 @a#L+1 @a#L99999999999",
            &[path("a#Lx"), path("a#L0"), path("a#L+1"), path("a#L99999999999")],
        );
        check("@a#L1#L2", &[lines("a#L1", 2, 2)]);
    }

    #[test]
    fn resources_and_agents() {
        check("@docs:file:///a#L1", &[resource("docs", "file:///a#L1")]);
        check("@docs: x", &[path("docs")]);
        check("@:x", &[path(":x")]);
        check("@agent-code-review", &[agent("code-review")]);
        check("@agent-plugin:x.", &[agent("plugin:x")]);
        check("@agent- @agent", &[path("agent-"), path("agent")]);
    }

    #[test]
    fn an_at_sign_alone_is_not_a_mention() {
        check("a@b @ @, @@", &[path("@")]);
        check("", &[]);
    }

    #[test]
    fn duplicates_are_removed() {
        check("@a @a @a#L1", &[path("a"), lines("a", 1, 1)]);
    }
}
