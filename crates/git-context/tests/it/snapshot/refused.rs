//! No snapshot at all.

use std::fs;
use std::path::PathBuf;

use aside_git_context::{GitErrorKind, GitOptions};

use crate::snapshot::fixture::{Repository, options, script, snapshot};

fn check(repository: &Repository, options: &GitOptions, kind: GitErrorKind, text: &str) {
    let error = snapshot(repository.path(), options).unwrap_err();
    assert_eq!(error.kind(), kind);
    let message = error.to_string();
    assert!(message.contains(text), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn a_repository_of_another_user() {
    let repository = Repository::new();
    let program = script(
        &repository.outside().join("git"),
        "GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git \"$@\"",
    );
    let options = GitOptions { program, ..options() };
    let text = "detected dubious ownership";
    check(&repository, &options, GitErrorKind::Refused, text);
}

#[test]
fn a_damaged_repository() {
    let repository = Repository::new();
    fs::write(repository.path().join(".git/HEAD"), "nonsense").unwrap();
    let text = "not a git repository";
    check(&repository, &options(), GitErrorKind::Refused, text);
}

#[test]
fn a_repository_that_has_moved_away() {
    let repository = Repository::new();
    fs::rename(repository.path().join(".git"), repository.outside().join("moved")).unwrap();
    fs::write(repository.path().join(".git"), "gitdir: /nowhere/at/all\n").unwrap();
    let text = "not a git repository: /nowhere/at/all";
    check(&repository, &options(), GitErrorKind::Refused, text);
}

#[test]
fn a_configuration_that_cannot_be_read() {
    let repository = Repository::new();
    fs::write(repository.path().join(".git/config"), "[core\n").unwrap();
    let text = "bad config line 1";
    check(&repository, &options(), GitErrorKind::Refused, text);
}

#[test]
fn no_git() {
    let repository = Repository::new();
    let missing = PathBuf::from("git-that-nobody-has");
    let not_executable = repository.path().join("a");
    for program in [missing, not_executable] {
        let options = GitOptions { program, ..options() };
        check(&repository, &options, GitErrorKind::GitNotFound, "no program");
        // Outside a repository it is not needed.
        assert_eq!(snapshot(repository.outside(), &options).unwrap(), None);
    }
}

#[test]
fn no_directory() {
    let missing = tempfile::tempdir().unwrap().path().join("missing");
    let repository = Repository::new();
    for path in [missing, repository.path().join("a")] {
        let error = snapshot(&path, &options()).unwrap_err();
        assert_eq!(error.kind(), GitErrorKind::Directory);
    }
}
