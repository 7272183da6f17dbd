//! Files that git would wait for.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use aside_git_context::{GitErrorKind, GitOptions};

use crate::snapshot::fixture::{Repository, options, snapshot, succeed};

/// The time limit is long: special files are found before it.
fn check(repository: &Repository, path: &Path, is_found: bool) {
    let start = Instant::now();
    let options =
        GitOptions { time_limit: Duration::from_secs(if is_found { 60 } else { 3 }), ..options() };
    let taken = snapshot(repository.path(), &options);
    let elapsed = start.elapsed();
    if !is_found {
        assert_eq!(taken.unwrap().unwrap().diagnostics.len(), 1);
        return;
    }
    assert!(elapsed < Duration::from_secs(30), "took {elapsed:?}");
    let error = taken.unwrap_err();
    assert_eq!(error.kind(), GitErrorKind::SpecialFile);
    let path = path.canonicalize().unwrap();
    let expected = format!("{path:?} is no regular file: a FIFO, which git would wait for");
    assert_eq!(error.to_string(), expected);
}

fn make_fifo(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if path.exists() {
        fs::remove_file(path).unwrap();
    }
    succeed(Command::new("mkfifo").arg(path));
}

/// A FIFO in the place of a work tree's file.
fn check_fifo(name: &str, is_found: bool) {
    let repository = Repository::new();
    let path = repository.path().join(name);
    make_fifo(&path);
    check(&repository, &path, is_found);
}

#[test]
fn in_the_git_directory() {
    for name in [
        ".git/HEAD",
        ".git/config",
        ".git/commondir",
        ".git/index",
        ".git/info/attributes",
        ".git/info/exclude",
        ".git/objects/info/alternates",
        ".git/objects/pack/multi-pack-index",
        ".git/packed-refs",
        ".git/refs/heads/main",
        ".git/refs/remotes/origin/HEAD",
        ".git/shallow",
    ] {
        check_fifo(name, true);
    }
}

#[test]
fn in_the_work_tree() {
    for name in [".gitattributes", ".gitignore", ".gitmodules"] {
        check_fifo(name, true);
    }
}

#[test]
fn links_to_one() {
    let repository = Repository::new();
    let fifo = repository.outside().join("fifo");
    make_fifo(&fifo);
    let index = repository.path().join(".git/index");
    fs::remove_file(&index).unwrap();
    std::os::unix::fs::symlink(&fifo, &index).unwrap();
    let error = snapshot(repository.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), GitErrorKind::SpecialFile);
}

#[test]
fn of_a_linked_work_tree() {
    let repository = Repository::new();
    repository.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = repository.outside().join("linked");
    for name in [".git/worktrees/linked/index", ".git/config"] {
        let path = repository.path().join(name);
        let content = fs::read(&path).unwrap();
        make_fifo(&path);
        let error = snapshot(&linked, &options()).unwrap_err();
        assert_eq!(error.kind(), GitErrorKind::SpecialFile);
        fs::remove_file(&path).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Only the time limit helps against these.
#[test]
fn in_a_subdirectory() {
    let repository = Repository::new();
    repository.write("sub/new", "");
    repository.write("sub/tracked", "");
    repository.git(["add", "sub/tracked"]);
    let path = repository.path().join("sub/.gitignore");
    make_fifo(&path);
    check(&repository, &path, false);
}
