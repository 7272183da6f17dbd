//! The snapshot without a runtime.

use std::process::Command;

use aside_git_context::{GitErrorKind, GitOptions, snapshot, snapshot_blocking};

#[test]
fn it_is_the_same_with_and_without_a_runtime() {
    let directory = tempfile::tempdir().unwrap();
    let options = GitOptions::default();
    let git = Command::new("git").args(["init", "--quiet"]).current_dir(&directory).status();
    assert!(git.unwrap().success());
    std::fs::write(directory.path().join("a"), "").unwrap();
    let blocking = snapshot_blocking(directory.path(), &options).unwrap().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (other, inside) = runtime.block_on(async {
        let other = snapshot(directory.path(), &options).await;
        (other, snapshot_blocking(directory.path(), &options))
    });
    assert_eq!(blocking.render(), other.unwrap().unwrap().render());
    assert_eq!(blocking.render(), inside.unwrap().unwrap().render());
    assert!(blocking.render().contains("?? a"));
}

#[test]
fn errors_are_those_of_the_snapshot() {
    let error = snapshot_blocking("/nowhere".as_ref(), &GitOptions::default()).unwrap_err();
    assert_eq!(error.kind(), GitErrorKind::Directory);
}
