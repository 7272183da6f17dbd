//! Seeded regressions. Each must fail exactly the cases that it affects, and
//! the failure must name the owner of the bytes.
//!
//! Most are seeded into the expected bytes, because a comparison is symmetric.
//! `a_checkout_with_crlf` is seeded into the files that the program reads.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::{Path, PathBuf};

use aside_scenario::{Accepted, Baseline, Case, Checked, Review, Scope, check};

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

/// Copies the cases and their common texts, to change them.
fn copy() -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let folders = CASES.into_iter().chain(["texts"]);
    let walks = folders.map(|it| walkdir::WalkDir::new(fixtures().join(it)));
    for entry in walks.flatten() {
        let entry = entry.unwrap();
        let to = copy.path().join(entry.path().strip_prefix(fixtures()).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    copy
}

fn play(fixtures: &Path) -> [Checked; CASES.len()] {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    CASES.map(|name| {
        let case = Case::read(fixtures, name).unwrap();
        runtime.block_on(check(&case)).unwrap()
    })
}

/// Checks the cases; those that fail must be `red`, and each failure must
/// contain `expected`.
fn check_all(fixtures: &Path, red: &[&str], expected: &str) {
    let checked = play(fixtures);
    let review = Review::of(fixtures, &checked, Scope::Some, &Baseline::Files);
    let mut failed = Vec::new();
    for (name, checked) in CASES.into_iter().zip(&checked) {
        let failures = checked.failures.iter().map(ToString::to_string);
        let told: Vec<_> = failures.chain(review.of_case(name)).collect();
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
    seed(|json| json.replace(order, swapped), &CASES, "byte 1, at model");
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
    let red: Vec<_> = CASES.into_iter().filter(|it| *it != "caching-off").collect();
    seed(moved, &red, "cache_control");
}

#[test]
fn trailing_newline() {
    seed(|json| json + "\n", &CASES, "a line break or other white space");
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
    seed(|json| json.replace(title, "# Doing work"), &red, "from section doing_tasks");
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
    seed(reversed, &["ephemeral-reminder", "tool-use"], "at tools[0].name, from tool ");
}

#[test]
fn reminder_moved() {
    let (first, second) = ("Skills: release, review.", "Ask before you delete.");
    let swapped = |json: String| {
        let json = json.replace(first, "third");
        json.replace(second, first).replace("third", second)
    };
    seed(swapped, &["ephemeral-reminder"], "messages[1].content[0].text");
}

#[test]
fn a_date_in_the_static_zone() {
    let red = ["empty-directory", "ephemeral-reminder", "git-status", "tool-use"];
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
    seed(|json| json.replace(r"\n", r"\r\n"), &CASES, r#"\r""#);
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
                fs::write(entry.path(), text.replace("\r\n", "\n").replace('\n', "\r\n")).unwrap();
            }
        }
    }
    // In a repository, the commits differ too.
    let red = ["caching-off", "git-status", "simple-mode", "three-levels"];
    check_all(copy.path(), &red, "\n  + ");
}

/// A word in a section everywhere, and one change in one request, which must
/// come first.
#[test]
fn the_rare_change_comes_first() {
    let copy = copy();
    let path = |name: &str, end: &str| copy.path().join(name).join(format!("request-1.{end}"));
    let read = |name: &str| fs::read_to_string(path(name, "json")).unwrap();
    let right = CASES.map(read);
    for (name, json) in CASES.into_iter().zip(&right) {
        let json = json.replace("build and maintain software", "write software");
        let json = match name {
            "tool-use" => json.replace("Explain the build", "Explain the test"),
            _ => json,
        };
        fs::write(path(name, "json"), json).unwrap();
    }
    let checked = play(copy.path());
    let review = || Review::of(copy.path(), &checked, Scope::Some, &Baseline::Files);
    let found = review();
    let [rare, common] = &found.changes[..] else {
        panic!("expected two changes: {found}");
    };
    assert_eq!(rare.requests, ["tool-use/request-1"]);
    assert_eq!(
        (&rare.change.before[..], &rare.change.after[..]),
        (&["| Explain the test".to_owned()][..], &["| Explain the build".to_owned()][..])
    );
    assert_eq!(common.change.source, "section intro");
    assert!(common.requests.len() > 4 && common.requests.contains(&rare.requests[0]));
    let (printed, ids) = (found.to_string(), [rare.id.clone(), common.id.clone()]);
    assert!(printed.find(&ids[0]) < printed.find(&ids[1]), "{printed}");
    assert!(printed.contains("in the static layer; loses about "), "{printed}");

    // A request is written when all its changes are accepted.
    let accept = |id: &String| Accepted::parse(id);
    let settled = found.accept(&accept(&ids[1])).unwrap();
    let (done, left) = (settled.done, settled.left);
    assert_eq!(left.changes.len(), 2, "{left}");
    assert!(done.iter().all(|line| !line.contains("/tool-use/request-1.json")), "{done:?}");
    assert_ne!(read("tool-use"), right[CASES.len() - 1]);
    assert_eq!(fs::read_to_string(path("tool-use", "new")).unwrap(), right[CASES.len() - 1]);
    assert!(review().accept(&accept(&"000000".to_owned())).is_err());
    let left = review().accept(&Accepted::All).unwrap().left;
    assert!(left.is_empty(), "{left}");
    assert_eq!(CASES.map(read), right);
    assert!(!path("tool-use", "new").exists());
}

#[test]
fn a_new_request_is_printed_as_it_reads() {
    let copy = copy();
    fs::remove_file(copy.path().join("git-status/request-1.json")).unwrap();
    let review = Review::of(copy.path(), &play(copy.path()), Scope::Some, &Baseline::Files);
    let printed = review.to_string();
    for expected in ["request-1.json is missing", "+ == messages[0] role: user", "= section-intro"]
    {
        assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
    }
}
