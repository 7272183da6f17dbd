use std::borrow::Cow;

use crate::replace::replace;

/// Returns text for a log that a CI system reads commands from: the first character of each command
/// is escaped, as [`one_line`](crate::one_line()) escapes characters. The result is borrowed when
/// nothing has to change.
///
/// [GitHub] reads `::error::` at the start of a line, even after white space, and `##[error]`
/// anywhere; [Azure] `##vso[…]` anywhere; [TeamCity] `##teamcity[…]`.
///
/// ```
/// assert_eq!(aside_text::without_ci_commands("::error::x\na::b"), "\\u{3a}:error::x\na::b");
/// ```
///
/// [GitHub]: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
/// [Azure]: https://learn.microsoft.com/azure/devops/pipelines/scripts/logging-commands
/// [TeamCity]: https://www.jetbrains.com/help/teamcity/service-messages.html
#[must_use]
pub fn without_ci_commands(text: &str) -> Cow<'_, str> {
    // Most text has neither; to look at each character takes longer.
    if !text.contains("##") && !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let marks = text.match_indices(['#', ':']);
    let marks = marks.filter(|(at, mark)| {
        let (before, rest) = text.split_at(*at);
        if *mark == "#" {
            let name = rest.strip_prefix("##").unwrap_or_default();
            name.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).starts_with('[')
        } else {
            rest.starts_with("::") && is_line_start(before)
        }
    });
    let escape = |out: &mut String, mark: &str| out.extend(mark.escape_unicode());
    replace(text, marks.map(|(at, mark)| at..at + mark.len()), escape)
}

/// Returns true if only white space comes before on this line.
fn is_line_start(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_whitespace() && !is_line_end(c));
    before.is_empty() || before.ends_with(is_line_end)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let escaped = without_ci_commands(text);
        assert_eq!(escaped, expected);
        assert_eq!(matches!(escaped, Cow::Borrowed(_)), text == expected, "{text:?}");
        assert_eq!(without_ci_commands(&escaped), expected);
    }

    #[test]
    fn commands_are_escaped() {
        check("::stop-commands::x", r"\u{3a}:stop-commands::x");
        check("a\n \t::error file=a::b\n", "a\n \t\\u{3a}:error file=a::b\n");
        check("a\r::error::", "a\r\\u{3a}:error::");
        check(":::error::", r"\u{3a}::error::");
        check("a ##[error]b ##vso[task.x]c", r"a \u{23}#[error]b \u{23}#vso[task.x]c");
        check("##teamcity[x] ###[y]", r"\u{23}#teamcity[x] #\u{23}#[y]");
    }

    #[test]
    fn other_text_stays() {
        for text in ["", "a::b", "x: ::y", "# A\n## B [c]\n### C", "std::fs\n :a: b\n#[must_use]"] {
            check(text, text);
        }
    }
}
