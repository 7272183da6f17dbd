//! Checks for things that the product has once.
//!
//! A second reader of a body, detector of the wire, pairing of calls or table of rules contradicts
//! the first one some day, in front of a user. The check searches text: if a file needs the words
//! for something else, add it to the list, in a commit that says what for.

use std::path::Path;

use anyhow::Result;

use super::Package;
use crate::coverage::rule_ids;

/// A thing of which there is one.
struct Shared {
    what: &'static str,
    /// A file that has all these words has a second one.
    words: &'static [&'static str],
    /// Which paths below `crates` may have them, by how they begin: the thing, and its users.
    files: &'static [&'static str],
}

const SHARED: &[Shared] = &[
    Shared {
        what: "reader of a body",
        words: &["Tape::parse"],
        files: &[
            "body/",
            "json/",
            // A body's bytes on any wire.
            "rules/src/check.rs",
            "rules/src/messages/markers.rs",
            "rules/src/of/",
            // A call's arguments, which are JSON in a string.
            "rules/src/checker/shared.rs",
            // Parts of a body that `Body` has found.
            "cache-model/src/difference.rs",
            "inspect/",
            // Bodies that are edited or answered, and events in a response.
            "gateway/",
            "providers/src/import",
            // A tool's schema.
            "providers/src/json.rs",
            "messages/src/wire/",
            "cli/",
            "scenario/",
            // A finding's byte, one message that is replaced, and two bodies that are compared.
            "bindings-core/src/",
        ],
    },
    Shared {
        what: "detector of the wire",
        words: &["\"messages\"", "\"input\"", "\"contents\""],
        files: &[
            "body/",
            // Keys by name, on any wire.
            "cache-model/src/difference",
            "inspect/src/",
            "gateway/src/redact/places.rs",
            "request-logs/src/guess.rs",
            "rules/",
            "providers/src/import.rs",
        ],
    },
    Shared {
        what: "pairing of calls and results",
        words: &["orphan"],
        files: &[
            "body/src/turns",
            "rules/",
            "messages/src/lower/",
            "providers/src/",
            // The rule's id.
            "cli/src/arguments/rules.rs",
        ],
    },
];

/// The crate that may name rule ids.
const RULE_IDS: &str = "rules/";

/// Returns a fault for each source that has a second one of these things. Tests do not count.
pub(super) fn check(root: &Path, packages: &[Package]) -> Result<Vec<String>> {
    let ids = rule_ids(root)?;
    // One-word ids are words for other things, too.
    let quoted = ids.iter().filter(|id| id.contains('-'));
    let quoted: Vec<String> = quoted.map(|id| format!("\"{id}\"")).collect();
    let crates = root.join("crates");
    let mut faults = Vec::new();
    for package in packages.iter().filter(|package| !package.is_tool()) {
        for (path, text) in package.sources()? {
            let Ok(path) = path.strip_prefix(&crates) else {
                continue;
            };
            let path = path.to_string_lossy().replace('\\', "/");
            // Diagnostics have their own codes, some of them equal to an id.
            if !path.ends_with("kinds.rs") {
                faults.extend(of_file(&path, &text, &quoted));
            }
        }
    }
    Ok(faults)
}

/// Returns one file's faults; the file is named by its path below `crates`.
fn of_file(path: &str, text: &str, ids: &[String]) -> Vec<String> {
    let code = code(text);
    let is_in = |files: &[&str]| files.iter().any(|it| path.starts_with(it));
    let second = SHARED.iter().filter(|shared| {
        !is_in(shared.files) && shared.words.iter().all(|word| code.contains(word))
    });
    let mut faults: Vec<String> = second
        .map(|shared| format!("shared: crates/{path} may have a second {}", shared.what))
        .collect();
    if let Some(id) = ids.iter().find(|id| code.contains(*id) && !path.starts_with(RULE_IDS)) {
        faults.push(format!("shared: crates/{path} names the rule {id}"));
    }
    faults
}

/// Returns a file's code: without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.trim_end() != "mod tests {");
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_is_found() {
        let faults = |path: &str, text: &str| of_file(path, text, &["\"blank-text\"".to_owned()]);
        let tape = "let tape = Tape::parse(body)?;";
        assert_eq!(faults("body/src/body.rs", tape), Vec::<String>::new());
        assert_eq!(
            faults("agent/src/loop.rs", tape),
            ["shared: crates/agent/src/loop.rs may have a second reader of a body"]
        );
        assert_eq!(
            faults("cli/src/a.rs", "rule == \"blank-text\""),
            ["shared: crates/cli/src/a.rs names the rule \"blank-text\""]
        );
        let tests = "// \"blank-text\"\nmod tests {\n\"blank-text\"";
        assert_eq!(faults("cli/src/a.rs", tests), Vec::<String>::new());
    }
}
