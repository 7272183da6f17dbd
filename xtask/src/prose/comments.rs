/// The prose of one source file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comments {
    /// The words of all comments in lower case; code in backticks is left out.
    pub(super) words: Vec<String>,
    /// The first word of the documentation of each public function.
    pub(super) function_openings: Vec<String>,
    /// Lines that are not blank.
    pub(super) lines: usize,
    /// Lines of documentation.
    pub(super) documentation_lines: usize,
}

/// Reads the comments of a source file.
pub(super) fn read(text: &str) -> Comments {
    let mut comments = Comments::default();
    let mut opening: Option<String> = None;
    let mut in_example = false;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        comments.lines += 1;
        let documentation = line.strip_prefix("///").or(line.strip_prefix("//!"));
        if let Some(prose) = documentation {
            comments.documentation_lines += 1;
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

fn is_public_function(line: &str) -> bool {
    ["pub fn ", "pub async fn ", "pub const fn "]
        .iter()
        .any(|start| line.starts_with(start))
}

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
    fn only_public_functions_count() {
        let found = read(
            "/// Reads.\npub(crate) fn a() {}\n/// Writes.\npub struct B;\nlet x = 1; // Why.\n",
        );
        assert_eq!(found.function_openings, [] as [&str; 0]);
    }
}
