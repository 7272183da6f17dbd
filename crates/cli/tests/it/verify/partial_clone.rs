//! A clone that fetches the contents of files when git reads them.

use std::fs;

use super::init::aside;
use super::{SCENARIO, SCENARIOS};
use crate::support::git;

#[test]
fn a_review_names_the_command_that_gets_missing_files() {
    let machine = tempfile::tempdir().unwrap();
    let [origin, partial, whole] = ["origin", "partial", "whole"].map(|it| machine.path().join(it));
    let scenario = origin.join(SCENARIOS).join("first");
    fs::create_dir_all(&scenario).unwrap();
    fs::write(scenario.join("scenario.yaml"), SCENARIO).unwrap();
    git(&origin, &["init", "--quiet"]);
    git(&origin, &["config", "uploadpack.allowFilter", "true"]);
    for text in ["Use tabs.\n", "Use spaces.\n"] {
        fs::write(origin.join("CLAUDE.md"), text).unwrap();
        git(&origin, &["add", "--all"]);
        git(&origin, &["commit", "--quiet", "--message", "x"]);
    }
    let url = format!("file://{}", origin.display());
    let partial_path = partial.to_str().unwrap();
    git(&origin, &["clone", "--quiet", "--filter=blob:none", &url, partial_path]);
    git(&origin, &["clone", "--quiet", &url, whole.to_str().unwrap()]);
    let review = |clone| aside(clone, "", &["verify", "--review", "HEAD~1"]);

    let output = review(&partial);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = String::from_utf8(output.stderr).unwrap();
    let hint =
        "; this clone is partial and Aside fetches nothing: run `git archive --output=/dev/null ";
    assert!(error.contains(hint), "{error}");
    git(&partial, &["archive", "--output=/dev/null", "HEAD~1"]);
    for clone in [&partial, &whole] {
        let output = review(clone);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("- Use tabs.\n+ Use spaces.\n"), "{printed}");
    }

    // Another fault has no hint.
    let objects = whole.join(".git/objects");
    fs::rename(&objects, whole.join("objects")).unwrap();
    fs::create_dir(&objects).unwrap();
    let error = String::from_utf8(review(&whole).stderr).unwrap();
    assert!(!error.contains("partial"), "{error}");
}
