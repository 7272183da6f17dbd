//! Unusual names for files and branches.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use aside_git_context::{Branch, FailureReason, Query, QueryFailure, Status};

use crate::snapshot::fixture::Repository;

/// The status line for an untracked file.
fn check_file(name: &[u8], expected: &str) {
    let repository = Repository::new();
    if fs::write(repository.path().join(OsStr::from_bytes(name)), "").is_err() {
        // Some file systems take UTF-8 only.
        assert!(str::from_utf8(name).is_err());
        return;
    }
    let snapshot = repository.snapshot();
    assert_eq!(snapshot.diagnostics, []);
    let expected = Status::Changed { lines: format!("?? {expected}") };
    assert_eq!(snapshot.status, Some(expected));
}

#[test]
fn files() {
    check_file(b"with space", r#""with space""#);
    check_file(b" leading", r#"" leading""#);
    check_file(b"trailing ", r#""trailing ""#);
    check_file(b"new\nline", r#""new\nline""#);
    check_file(b"quo\"te", r#""quo\"te""#);
    check_file(b"back\\slash", r#""back\\slash""#);
    check_file(b"\x1b[31mred", r#""\033[31mred""#);
    check_file(b"\xff\xfe", r#""\377\376""#);
    check_file("é".as_bytes(), r#""\303\251""#);
    check_file("\u{202e}txt".as_bytes(), r#""\342\200\256txt""#);
    check_file(b"<system-reminder>", "<system-reminder>");
}

#[test]
fn branches() {
    let repository = Repository::new();
    let check = |name: &[u8], expected: &str| {
        let mut branch = b"refs/heads/".to_vec();
        branch.extend_from_slice(name);
        repository.git([OsStr::new("symbolic-ref"), "HEAD".as_ref(), OsStr::from_bytes(&branch)]);
        let name = expected.to_owned();
        assert_eq!(repository.snapshot().branch, Some(Branch::Named { name }));
    };
    check(b"<system-reminder>", "<system-reminder>");
    check("ветка/\u{202e}x".as_bytes(), "ветка/\\u{202e}x");
    check("c1\u{9b}31m".as_bytes(), "c1\\u{9b}31m");
    check(b"\xff\xfe", "\\377\\376");
}

#[test]
fn user_and_subject() {
    let repository = Repository::new();
    let odd = "a\u{1b}]0;b\u{7}\r</system-reminder>\tc";
    let shown = "a\\u{1b}]0;b\\u{7}\\r</system-reminder>\\tc";
    repository.git(["config", "user.name", odd]);
    repository.commit(odd);
    let snapshot = repository.snapshot();
    assert_eq!(snapshot.user_name.as_deref(), Some(shown));
    assert_eq!(snapshot.commits.unwrap()[0].subject, shown);

    repository.git(["config", "user.name", "two\nlines"]);
    repository.commit("first line\nof the paragraph\n\nbody");
    let snapshot = repository.snapshot();
    assert_eq!(snapshot.user_name.as_deref(), Some("two\\nlines"));
    assert_eq!(snapshot.commits.unwrap()[0].subject, "first line of the paragraph");
}

#[test]
fn very_long_ones() {
    let cut = |text: &str| Some(format!("{}…", text.repeat(299)));
    let repository = Repository::new();
    repository.git(["config", "user.name", &"u".repeat(5_000)]);
    for character in ["1", "2", "3", "4", "5"] {
        repository.commit(&character.repeat(20_000));
    }
    let long_branch = ["b".repeat(240), "b".repeat(240)].join("/");
    repository.git(["checkout", "-q", "-b", &long_branch]);
    let main = format!("refs/remotes/origin/{long_branch}");
    repository.git(["update-ref", &main, "HEAD"]);
    repository.git(["symbolic-ref", "refs/remotes/origin/HEAD", &main]);

    let snapshot = repository.snapshot();
    assert_eq!(snapshot.diagnostics, []);
    assert_eq!(snapshot.user_name, cut("u"));
    let branch = format!("{}/{}…", "b".repeat(240), "b".repeat(58));
    assert_eq!(snapshot.main_branch.as_ref(), Some(&branch));
    assert_eq!(snapshot.branch, Some(Branch::Named { name: branch }));
    let subjects: Vec<_> =
        snapshot.commits.unwrap().into_iter().map(|commit| Some(commit.subject)).collect();
    assert_eq!(subjects, ["5", "4", "3", "2", "1"].map(cut));
}

#[test]
fn a_subject_that_hides_other_commits() {
    let repository = Repository::new();
    let message = repository.outside().join("message");
    fs::write(&message, "x".repeat(200_000)).unwrap();
    let from_file = ["commit", "-q", "--allow-empty", "-F"].map(OsStr::new);
    repository.git(from_file.into_iter().chain([message.as_os_str()]));
    repository.commit("last");
    let snapshot = repository.snapshot();
    let expected = QueryFailure {
        query: Query::Commits,
        reason: FailureReason::Flooded { limit: 128 * 1024 },
    };
    assert_eq!(snapshot.diagnostics, [expected]);
    let commits = snapshot.commits.unwrap();
    assert_eq!(commits.len(), 2);
    assert_eq!(commits[0].subject, "last");
    assert_eq!(commits[1].subject, format!("{}…", "x".repeat(299)));
}

#[test]
fn no_user_and_no_subject() {
    let repository = Repository::new();
    repository.git(["config", "user.name", ""]);
    repository.git(["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", ""]);
    let snapshot = repository.snapshot();
    assert_eq!(snapshot.user_name, None);
    assert_eq!(snapshot.commits.unwrap()[0].subject, "");
    assert_eq!(snapshot.diagnostics, []);
}

#[test]
fn a_subject_in_another_encoding() {
    let repository = Repository::new();
    repository.git(["config", "i18n.commitEncoding", "ISO-8859-1"]);
    repository.git(["config", "i18n.logOutputEncoding", "UTF-16"]);
    let subject = OsStr::from_bytes(b"caf\xe9");
    repository
        .git(["commit", "-q", "--allow-empty", "-m"].map(OsStr::new).into_iter().chain([subject]));
    assert_eq!(repository.snapshot().commits.unwrap()[0].subject, "café");
}
