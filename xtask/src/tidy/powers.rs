//! Checks who uses files, environment, processes, the clock and untyped JSON,
//! and who names the keys in a vendor's usage.
//!
//! A library that reads the clock or a variable gives another result tomorrow
//! or on another machine, and its tests cannot set the value. Only crates whose
//! purpose is this access have the power; some of them in one file only. The
//! check searches text: it does not see a name that a macro or an external
//! crate uses.
//!
//! A fault names the line and the trace:
//!
//! ```text
//! power: crates/agent/src/turn.rs:12: aside-agent may not use Instant here (Clock)
//! ```

use std::path::Path;

use anyhow::Result;

use super::Package;
use super::edges::{Power, rule_of};

/// Modules, types and keys, each with the power that it needs.
///
/// A name counts as a whole word, also within `use std::{…}`.
const TRACES: &[(&str, Power)] = &[
    ("std::fs", Power::Files),
    ("tokio::fs", Power::Files),
    ("std::env", Power::Environment),
    ("std::process", Power::Processes),
    ("tokio::process", Power::Processes),
    ("std::net", Power::Network),
    ("tokio::net", Power::Network),
    ("SystemTime", Power::Clock),
    ("Instant", Power::Clock),
    ("serde_json::Value", Power::Json),
    ("serde_json::json!", Power::Json),
    ("RawValue", Power::Json),
    ("cache_read_input_tokens", Power::UsageKeys),
    ("ephemeral_1h_input_tokens", Power::UsageKeys),
    ("prompt_tokens_details", Power::UsageKeys),
    ("cached_tokens", Power::UsageKeys),
    ("promptTokenCount", Power::UsageKeys),
    ("cacheReadInputTokens", Power::UsageKeys),
];

/// Path methods that access the file system.
///
/// They are easily overlooked, since no module is named.
const LOOKS: &[&str] = &[
    ".exists()",
    ".try_exists()",
    ".is_file()",
    ".is_dir()",
    ".is_symlink()",
    ".metadata()",
    ".symlink_metadata()",
    ".canonicalize()",
    ".read_dir()",
    ".read_link()",
];

/// Crates in which only some files may use a power.
///
/// Crate, power, file names. An empty list forbids the power in the sources of
/// a crate whose rule has it for another reason.
const ONLY_IN: &[(&str, Power, &[&str])] = &[
    ("git-context", Power::Environment, &["command.rs"]),
    ("cli", Power::Environment, &[]),
    ("cli", Power::UsageKeys, &["gateway.rs", "usage_line.rs"]),
    (
        "gateway",
        Power::UsageKeys,
        &["cached.rs", "history.rs", "report.rs", "response.rs", "summary.rs", "usage.rs"],
    ),
    ("providers", Power::UsageKeys, &["read.rs"]),
    ("scenario", Power::UsageKeys, &["script.rs"]),
    // In a repository, git runs only as `aside_git_context` does it.
    ("scenario", Power::Processes, &["world.rs"]),
    ("transcript", Power::Clock, &["store.rs"]),
    ("transcript", Power::Processes, &["snapshot.rs"]),
    ("host", Power::Clock, &["date.rs", "session_clock.rs"]),
    ("tools", Power::Clock, &["effort.rs"]),
];

/// Returns a fault for each trace that the crate's rule does not allow in its
/// file. Tests may do everything.
pub(super) fn check(root: &Path, packages: &[Package]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for package in packages {
        // This program's sources have the names as patterns.
        let Some(rule) = rule_of(package).filter(|rule| rule.name != "xtask") else {
            continue;
        };
        for (path, text) in package.sources()? {
            let path = path.strip_prefix(root).unwrap_or(&path);
            for (line, trace, power) in traces(&text) {
                let elsewhere = ONLY_IN.iter().find(|(crate_name, of, files)| {
                    let is_allowed = files.iter().any(|file| path.ends_with(file));
                    *crate_name == rule.name && *of == power && !is_allowed
                });
                if !rule.powers.contains(&power) || elsewhere.is_some() {
                    faults.push(format!(
                        "power: {}:{line}: {} may not use {trace} here ({power:?})",
                        path.display(),
                        package.name
                    ));
                }
            }
        }
    }
    Ok(faults)
}

/// Returns the 1-based lines that name a guarded module or type. Comments and
/// the tests at a file's end do not count.
fn traces(text: &str) -> Vec<(usize, &'static str, Power)> {
    let mut found = Vec::new();
    let mut group = false;
    for (number, line) in (1..).zip(text.lines()) {
        // The tests are the last thing in a file, in a module by this name.
        if line.trim_end() == "mod tests {" {
            break;
        }
        let code = line.split("//").next().unwrap_or_default();
        group |= code.contains("use std::{");
        for &(trace, power) in TRACES {
            let module = trace.strip_prefix("std::");
            let in_group = group && module.is_some_and(|module| has_word(code, module));
            if has_word(code, trace) || in_group {
                found.push((number, trace, power));
            }
        }
        let of_json = code.split_once("serde_json::{").map(|(_, names)| names);
        if of_json.is_some_and(|names| has_word(names, "Value") || has_word(names, "json")) {
            found.push((number, "serde_json::Value", Power::Json));
        }
        for look in LOOKS.iter().filter(|look| code.contains(**look)) {
            found.push((number, look, Power::Files));
        }
        group &= !code.contains("};");
    }
    found
}

/// Returns true if the code has the word between characters that belong to no
/// name.
fn has_word(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(is_name) && !code[at + word.len()..].starts_with(is_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found: Vec<_> =
            traces(text).into_iter().map(|(line, trace, _)| (line, trace)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_way_to_name_a_power() {
        check("use std::fs;\n", &[(1, "std::fs")]);
        check("use std::{\n    env,\n    fmt,\n};\nlet env = 1;\n", &[(2, "std::env")]);
        check("let now = std::time::Instant::now();", &[(1, "Instant")]);
        check("std::process::exit(1)", &[(1, "std::process")]);
        check("tokio::process::Command", &[(1, "tokio::process")]);
        check("std::net::TcpStream", &[(1, "std::net")]);
        check("use serde_json::{Value, from_str};", &[(1, "serde_json::Value")]);
        check("value: &RawValue", &[(1, "RawValue")]);
        check("if path.is_dir() {", &[(1, ".is_dir()")]);
        check("usage.get(\"cached_tokens\")", &[(1, "cached_tokens")]);
        check("#[cfg(test)]\nmod few {}\nuse std::fs;", &[(3, "std::fs")]);
    }

    #[test]
    fn comments_tests_and_other_words_do_not_count() {
        check("// std::fs\nInstantly();\nstd::fsx;\nmod tests {\nuse std::fs;\n", &[]);
    }
}
