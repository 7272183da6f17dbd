//! Seeded regressions. Each must fail exactly the cases that it affects, and
//! the failure must name the owner of the bytes.
//!
//! Most are seeded into the expected bytes, because a comparison is symmetric.
//! `a_checkout_with_crlf` is seeded into the files that the program reads.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::{Path, PathBuf};

use aside_scenario::{Case, check};

/// One case of each kind, affected or unaffected by a regression.
const CASES: [&str; 8] = [
    "caching-off",
    "custom-prompt",
    "empty-directory",
    "ephemeral-reminder",
    "git-status",
    "simple-mode",
    "three-levels",
    "tool-use",
];

fn fixtures() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    workspace.unwrap().join("fixtures")
}

/// Every fixture, to be changed.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in walkdir::WalkDir::new(fixtures()).min_depth(1) {
        let entry = entry.unwrap();
        let to = copy
            .path()
            .join(entry.path().strip_prefix(fixtures()).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    copy
}

/// Checks the cases; those that fail must be `red`, and each failure must
/// contain `expected`.
fn check_all(fixtures: &Path, red: &[&str], expected: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut failed = Vec::new();
    for name in CASES {
        let case = Case::read(fixtures, name).unwrap();
        let failures = runtime.block_on(check(&case)).unwrap();
        let told: Vec<_> = failures.iter().map(ToString::to_string).collect();
        let told = told.join("\n");
        if !told.is_empty() {
            assert!(told.contains(expected), "{expected:?} is not in: {told}");
            failed.push(name);
        }
    }
    assert_eq!(failed, red);
}

/// Changes every expected request.
fn seed(change: impl Fn(String) -> String, red: &[&str], expected: &str) {
    let copy = copy();
    for name in CASES {
        let case = Case::read(copy.path(), name).unwrap();
        for request in 1..=case.len() {
            let path = case.expected_path(request);
            fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
        }
    }
    check_all(copy.path(), red, expected);
}

#[test]
fn field_order_swapped() {
    let order = r#""model":"claude-sonnet-5-5","max_tokens":8192"#;
    let swapped = r#""max_tokens":8192,"model":"claude-sonnet-5-5""#;
    seed(
        |json| json.replace(order, swapped),
        &CASES,
        "byte 3, at model",
    );
}

#[test]
fn marker_moved() {
    let marker = r#","cache_control":{"type":"ephemeral"}"#;
    let moved = |json: String| {
        let Some(at) = json.rfind(marker) else {
            return json;
        };
        let without = format!("{}{}", &json[..at], &json[at + marker.len()..]);
        match without[..at].rfind(r#""},{"type""#) {
            Some(to) => format!("{}{marker}{}", &without[..=to], &without[to + 1..]),
            None => without,
        }
    };
    // It has none.
    let red: Vec<_> = CASES
        .into_iter()
        .filter(|it| *it != "caching-off")
        .collect();
    seed(moved, &red, "cache_control");
}

#[test]
fn trailing_newline() {
    seed(
        |json| json + "\n",
        &CASES,
        "a line break or other white space",
    );
}

#[test]
fn section_renamed() {
    let title = "# Doing tasks";
    let red = [
        "caching-off",
        "empty-directory",
        "ephemeral-reminder",
        "git-status",
        "three-levels",
        "tool-use",
    ];
    seed(
        |json| json.replace(title, "# Doing work"),
        &red,
        "from section doing_tasks",
    );
}

#[test]
fn a_list_in_the_order_of_a_hash_map() {
    let reversed = |json: String| {
        let Some((before, rest)) = json.split_once(r#""tools":["#) else {
            return json;
        };
        let (tools, after) = rest.split_once(r#"],"system""#).unwrap();
        let mut tools: Vec<_> = tools.split(r#",{"name""#).map(str::to_owned).collect();
        for tool in &mut tools[1..] {
            tool.insert_str(0, r#"{"name""#);
        }
        tools.reverse();
        format!(r#"{before}"tools":[{}],"system"{after}"#, tools.join(","))
    };
    seed(
        reversed,
        &["ephemeral-reminder", "tool-use"],
        "at tools[0].name, from tool ",
    );
}

#[test]
fn reminder_moved() {
    let (first, second) = ("Skills: release, review.", "Ask before you delete.");
    let swapped = |json: String| {
        let json = json.replace(first, "third");
        json.replace(second, first).replace("third", second)
    };
    seed(
        swapped,
        &["ephemeral-reminder"],
        "messages[1].content[0].text",
    );
}

#[test]
fn a_date_in_the_static_zone() {
    let red = [
        "empty-directory",
        "ephemeral-reminder",
        "git-status",
        "tool-use",
    ];
    seed(
        |json| {
            // Simple mode has no static zone.
            if !json.contains("# Doing tasks") {
                return json;
            }
            let end = r#"","cache_control":{"type":"ephemeral"}}],"messages":["#;
            json.replace(end, &format!(r"\n\nToday's date is 2026-01-31.{end}"))
        },
        &red,
        "at system[1].text",
    );
}

#[test]
fn crlf() {
    seed(|json| json.replace(r"\n", r"\r\n"), &CASES, "⟨here⟩r");
}

#[test]
fn a_checkout_with_crlf() {
    let copy = copy();
    for name in CASES {
        let tree = Case::read(copy.path(), name).unwrap().tree;
        for entry in walkdir::WalkDir::new(&tree).into_iter().flatten() {
            let is_markdown = entry.path().extension().is_some_and(|it| it == "md");
            if is_markdown && entry.file_type().is_file() {
                let text = fs::read_to_string(entry.path()).unwrap();
                fs::write(
                    entry.path(),
                    text.replace("\r\n", "\n").replace('\n', "\r\n"),
                )
                .unwrap();
            }
        }
    }
    // Of a repository, the commits are others too.
    let red = ["caching-off", "git-status", "three-levels"];
    check_all(copy.path(), &red, "⟨here⟩");
}
