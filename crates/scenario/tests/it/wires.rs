//! Faulty scenarios on providers' wires, and with added directories.

use std::fs;
use std::path::Path;

use aside_scenario::{Accepted, Baseline, Case, Review, Scope, check, play};

fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

/// Its files are removed with the folder.
fn scenario(text: &str) -> (tempfile::TempDir, Case) {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("case");
    fs::create_dir_all(folder.join("tree/library")).unwrap();
    fs::write(folder.join("scenario.yaml"), text).unwrap();
    let case = Case::read(directory.path(), "case").unwrap();
    (directory, case)
}

/// Returns the broken laws, and how the files differ.
fn failures(case: &Case) -> (String, Review) {
    let checked = [block_on(check(case)).unwrap()];
    let failures = checked[0].failures.iter().map(ToString::to_string);
    let failures: Vec<_> = failures.collect();
    let review = Review::of(&case.dir, &checked, Scope::Some, &Baseline::Files);
    (failures.join("\n"), review)
}

fn fault_of(text: &str) -> String {
    let (_directory, case) = scenario(text);
    format!("{:#}", block_on(play(&case)).unwrap_err())
}

/// Checks which source is reported when a byte in the user's text is changed in
/// the expected file.
fn check_source(provider: &str, expected: &str) {
    let model = match provider {
        "openai" => "model: gpt-6.1-terra\n",
        "grok" => "model: grok-4.5\n",
        "gemini" => "model: gemini-3.8-flash\n",
        _ => "",
    };
    let text = format!("provider: {provider}\n{model}turns: [[{{user: Explain the build}}]]");
    let (_directory, case) = scenario(&text);
    let (reported, review) = failures(&case);
    review.accept(&Accepted::All).unwrap();
    // Only conversion losses, which the scenario does not expect.
    assert!(reported.lines().all(|it| it.contains(": reported: ")), "{reported}");
    let path = case.expected_path(1);
    let json = fs::read_to_string(&path).unwrap();
    fs::write(&path, json.replace("the build", "the guild")).unwrap();
    let messages = failures(&case).1.to_string();
    assert!(messages.contains(expected), "{provider}: {messages}");
}

#[test]
fn every_wire_keeps_the_sources() {
    for (provider, path) in [
        ("first-party", "messages[0].content[1].text"),
        ("bedrock", "messages[0].content[1].text"),
        ("vertex", "messages[0].content[1].text"),
        ("foundry", "messages[0].content[1].text"),
        ("openai", "input[1].content[1].text"),
        ("grok", "input[1].content[1].text"),
        ("gemini", "contents[0].parts[1].text"),
    ] {
        check_source(provider, &format!("at {path}, from conversation"));
    }
}

#[test]
fn the_version_of_a_cloud_has_no_source() {
    let (_directory, case) = scenario("provider: bedrock\nturns: [[{user: Explain}]]");
    failures(&case).1.accept(&Accepted::All).unwrap();
    let path = case.expected_path(1);
    let json = fs::read_to_string(&path).unwrap();
    fs::write(&path, json.replace("bedrock-2023-05-31", "bedrock-2023-05-32")).unwrap();
    let review = failures(&case).1;
    assert_eq!(review.changes[0].change.source, "");
    assert_eq!(review.changes[0].change.path, "anthropic_version");
}

#[test]
fn an_unexpected_loss_is_a_fault() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut case = Case::read(&fixtures, "provider-openai").unwrap();
    case.scenario.diagnostics.remove(0);
    let messages = failures(&case).0;
    let expected =
        "provider-openai: reported: warning: model: claude-sonnet-5-5 is replaced by gpt-6.1-terra";
    assert!(messages.contains(expected), "{messages}");
}

#[test]
fn a_refusal_of_the_provider_is_reported_with_its_turn() {
    let messages = fault_of("provider: gemini\nmax_tokens: 1000000\nturns: [[{user: Explain}]]");
    assert!(messages.starts_with("turn 1: "), "{messages}");
    assert!(messages.contains("max-tokens: max_tokens: "), "{messages}");
}

#[test]
fn an_added_directory_is_inside_the_scenario() {
    let fault = |path: &str| fault_of(&format!("add_dirs: {{paths: [{path}]}}\nturns: []"));
    assert_eq!(fault("missing"), r#"add_dirs: "missing": expected a directory of the scenario"#);
    let outside = fault("../outside");
    assert!(outside.contains("a path without `.` and `..`"), "{outside}");
    let text = "symlinks: {out: /}\nadd_dirs: {paths: [out]}\nturns: []";
    assert_eq!(fault_of(text), r#"add_dirs: "out": it leads out of the scenario"#);
}
