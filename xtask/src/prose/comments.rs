//! Reads the words and lines of comments, without a parser.
//!
//! A line is a comment if it begins with `//` after white space; a comment
//! after code on the same line is not read. Examples between fences are
//! documentation lines, and their words do not count.

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comments {
    /// The words in all comments, in lower case; code in backticks is left out.
    pub(super) words: Vec<String>,
    /// The first word in each public function's documentation.
    pub(super) function_openings: Vec<String>,
    /// How many lines are neither blank nor part of tests.
    pub(super) lines: usize,
    /// How many of these lines are documentation.
    pub(super) documentation_lines: usize,
}

/// Reads the comments in a test file, whose lines are not counted.
pub(super) fn read_test(text: &str) -> Comments {
    Comments { lines: 0, documentation_lines: 0, ..read(text) }
}

/// Reads a crate's documentation from its README.
pub(super) fn read_markdown(text: &str) -> Comments {
    let mut comments = Comments::default();
    let mut in_code = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        comments.lines += 1;
        comments.documentation_lines += 1;
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            comments.words.extend(words(line));
        }
    }
    comments
}

/// Reads the comments in a source file. A test module is at its end.
pub(super) fn read(text: &str) -> Comments {
    let mut comments = Comments::default();
    let mut opening: Option<String> = None;
    let mut in_example = false;
    let mut in_tests = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        in_tests |= line == "mod tests {";
        let counted = usize::from(!in_tests);
        comments.lines += counted;
        let documentation = line.strip_prefix("///").or(line.strip_prefix("//!"));
        if let Some(prose) = documentation {
            comments.documentation_lines += counted;
            if prose.trim_start().starts_with("```") {
                in_example = !in_example;
                continue;
            }
            if !in_example {
                let words = words(prose);
                if opening.is_none() {
                    opening = prose.split_whitespace().next().map(str::to_owned);
                }
                comments.words.extend(words);
            }
            continue;
        }
        in_example = false;
        if let Some(prose) = line.strip_prefix("//") {
            comments.words.extend(words(prose));
        } else if line.starts_with("#[") {
            // An attribute between documentation and item.
        } else {
            if is_public_function(line) {
                comments.function_openings.extend(opening.take());
            }
            opening = None;
        }
    }
    comments
}

/// Returns true for the first line of a function that other crates may call.
/// `pub(crate)` is not public.
fn is_public_function(line: &str) -> bool {
    ["pub fn ", "pub async fn ", "pub const fn "].iter().any(|start| line.starts_with(start))
}

/// Returns a line's words in lower case, apostrophes included; leaves out code
/// between backticks.
fn words(prose: &str) -> Vec<String> {
    let outside_code = prose.split('`').step_by(2).collect::<String>();
    outside_code
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_examples_are_left_out() {
        let found =
            read("/// Is `what` it is.\n/// ```\n/// what();\n/// ```\n#[inline]\npub fn a() {}");
        assert_eq!(found.words, ["is", "it", "is"]);
        assert_eq!(found.function_openings, ["Is"]);
        assert_eq!((found.lines, found.documentation_lines), (6, 4));
    }

    #[test]
    fn lines_of_tests_are_not_counted() {
        let found = read("/// Reads.\nfn a() {}\n#[cfg(test)]\nmod tests {\n// Why.\n}\n");
        assert_eq!((found.lines, found.documentation_lines), (3, 1));
        assert_eq!(found.words, ["reads", "why"]);
        assert_eq!(read_test("/// Reads.\n").lines, 0);
    }

    #[test]
    fn a_readme_is_documentation() {
        let found = read_markdown("# Title\n\nReads `what`.\n```\nwhat();\n```\n");
        assert_eq!((found.lines, found.documentation_lines), (5, 5));
        assert_eq!(found.words, ["title", "reads"]);
    }

    #[test]
    fn only_public_functions_count() {
        let found = read(
            "/// Reads.\npub(crate) fn a() {}\n/// Writes.\npub struct B;\nlet x = 1; // Why.\n",
        );
        assert_eq!(found.function_openings, [] as [&str; 0]);
    }
}
