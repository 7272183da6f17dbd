//! The golden check, with faults that it must catch.

#![expect(clippy::unwrap_used, reason = "a test that fails panics")]

use std::fs;
use std::path::{Path, PathBuf};

use aside_scenario::{Accepted, Baseline, Case, Review, Scope, check, discover};

/// How many scenarios are played at a time.
const THREADS: usize = 4;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("fixtures")
}

fn run<T>(future: impl Future<Output = anyhow::Result<T>>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future).unwrap()
}

fn review(case: &Case) -> (Vec<String>, Review) {
    let checked = [run(check(case))];
    let failures = checked[0].failures.iter().map(ToString::to_string);
    let directory = case.dir.parent().unwrap();
    let review = Review::of(directory, &checked, Scope::Some, &Baseline::Files);
    (failures.chain(review.of_case(&case.name)).collect(), review)
}

fn failures(case: &Case) -> String {
    review(case).0.join("\n")
}

#[test]
fn every_scenario_has_its_bytes() {
    let cases = discover(&fixtures()).unwrap();
    assert!(cases.len() >= 22, "only {} cases", cases.len());
    let part = |first| {
        let cases = cases.iter().skip(first).step_by(THREADS);
        let checked = cases.map(|case| run(check(case)));
        checked.collect::<Vec<_>>()
    };
    let checked: Vec<_> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || part(first))).collect();
        let checked = parts.into_iter().flat_map(|part| part.join().unwrap());
        checked.collect()
    });
    let failures = checked.iter().flat_map(|it| &it.failures);
    let failures: Vec<_> = failures.map(ToString::to_string).collect();
    assert_eq!(failures, [""; 0]);
    let review = Review::of(&fixtures(), &checked, Scope::All, &Baseline::Files);
    assert!(review.is_empty(), "{review}");
}

/// Copies `tool-use` and its first request, to put a fault in.
fn copy() -> (tempfile::TempDir, Case, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let from = fixtures().join("tool-use");
    let to = directory.path().join("tool-use");
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let texts = directory.path().join("texts");
    fs::create_dir(&texts).unwrap();
    for entry in fs::read_dir(fixtures().join("texts")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), texts.join(entry.file_name())).unwrap();
    }
    let case = Case::read(directory.path(), "tool-use").unwrap();
    (directory, case, to.join("request-2.json"))
}

/// Changes the expected bytes; the failure must name everything in `expected`.
fn fault(change: impl FnOnce(String) -> String, expected: &[&str]) {
    let (_directory, case, path) = copy();
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    let told = failures(&case);
    assert!(!told.is_empty(), "the fault was not caught");
    for expected in expected {
        assert!(told.contains(expected), "{expected:?} is not in: {told}");
    }
}

#[test]
fn one_byte_is_named_with_its_path_and_source() {
    let json = fs::read_to_string(fixtures().join("tool-use/request-2.json")).unwrap();
    let at = json.find("I look at the Makefile").unwrap();
    let byte = format!("request-2.json differs: byte {at}, at messages[1].content[0].text");
    fault(
        |json| json.replace("I look at the Makefile", "J look at the Makefile"),
        &[&byte, "from conversation", "- | J look", "+ | I look"],
    );
    fault(|json| json.replace("# Doing tasks", "# Doing work"), &["from section doing_tasks"]);
    fault(|json| json.replace("\"Glob\"", "\"Grep\""), &["tools[0].name", "from tool Glob"]);
    fault(|json| json.replace("\"max_tokens\"", "\"maxTokens\""), &["at max_tokens\n"]);
}

#[test]
fn a_final_newline_a_moved_marker_and_other_line_ends_are_caught() {
    fault(|json| json + "\n", &["request-2.json differs: byte "]);
    fault(
        |json| json.replacen(r#","cache_control":{"type":"ephemeral"}"#, "", 1),
        &["messages[2].content[0]"],
    );
    fault(|json| json.replace("\\n", "\\r\\n"), &["request-2.json differs: byte "]);
    fault(
        |json| {
            json.replace(
                r#""model":"claude-sonnet-5-5","max_tokens":8192"#,
                r#""max_tokens":8192,"model":"claude-sonnet-5-5""#,
            )
        },
        &["byte 1, at model\n"],
    );
}

#[test]
fn files_and_turns_must_match() {
    let (_directory, case, path) = copy();
    fs::copy(&path, path.with_file_name("request-3.json")).unwrap();
    assert!(failures(&case).contains("no turn makes"));
    fs::remove_file(path.with_file_name("request-3.json")).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(failures(&case).contains("request-2.json is missing"));
    let done = review(&case).1.accept(&Accepted::All).unwrap().done;
    assert_eq!(done, [format!("wrote {}", path.display())]);
    assert_eq!(failures(&case), "");
}

#[test]
fn a_scenario_that_is_not_valid_names_file_and_line() {
    let directory = tempfile::tempdir().unwrap();
    let case = directory.path().join("bad");
    fs::create_dir(&case).unwrap();
    fs::write(case.join("scenario.yaml"), "turns: []\nlayuot: classic\n").unwrap();
    let error = discover(directory.path()).unwrap_err().to_string();
    assert!(error.contains("scenario.yaml:2") && error.contains("layuot"), "{error}");
}
