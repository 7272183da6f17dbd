//! Names and commits come from the repository of the directory, and from no
//! other that its files name.

use std::fs;

use aside_git_context::{
    Branch, GitCommand, GitErrorKind, Status, current_branch, repository_root,
};

use crate::snapshot::fixture::{Repository, git, options, script, snapshot, snapshot_of, succeed};
use crate::snapshot::hostile::Trap;

/// The status lists files from the directory that has `.git`, and from no other
/// that the configuration names.
#[test]
fn another_work_tree_is_not_listed() {
    let repository = Repository::new();
    let home = repository.outside().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("secret-name"), "").unwrap();
    repository.git(["config", "core.worktree", home.to_str().unwrap()]);
    let shown = git(repository.path()).args(["status", "--short"]).output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    assert!(shown.contains("secret-name"), "no trap: {shown}");
    assert_eq!(repository.snapshot().status, Some(Status::Clean));
    repository.make_head_a_link();
    assert_eq!(repository.snapshot().status, Some(Status::Clean));
    repository.git(["checkout", "-q", "--detach"]);
    assert_eq!(repository.snapshot().status, Some(Status::Clean));
    let head = format!("ref: refs/heads/main{}", "\n".repeat(17_000));
    repository.write(".git/HEAD", &head);
    assert_eq!(repository.snapshot().status, Some(Status::Clean));
    // In the git directory itself, and in a bare repository, there is none.
    let inside = snapshot_of(&repository.path().join(".git"));
    assert_eq!(inside.status, Some(Status::NoWorkTree));
    fs::rename(repository.path().join(".git"), repository.outside().join("bare")).unwrap();
    let bare = snapshot_of(&repository.outside().join("bare"));
    assert_eq!(bare.status, Some(Status::NoWorkTree));
}

/// A repository that git passes over does not hide the work tree of the next.
#[test]
fn another_work_tree_is_not_listed_around_a_damaged_repository() {
    let repository = Repository::new();
    let home = repository.outside().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("secret-name"), "").unwrap();
    repository.git(["config", "core.worktree", home.to_str().unwrap()]);
    for name in ["objects/x", "refs/x", "HEAD"] {
        repository.write(format!("inner/.git/{name}"), "nonsense");
    }
    let snapshot = snapshot_of(&repository.path().join("inner"));
    assert_eq!(snapshot.status, Some(Status::Clean));
}

/// A clone has any files, also those of a bare repository. It belongs to the
/// work tree around it.
#[test]
fn a_bare_repository_in_a_work_tree() {
    let repository = Repository::new();
    let other = Repository::new();
    other.git(["checkout", "-q", "-b", "private"]);
    other.commit("the secret");
    fs::write(other.path().join("secret-name"), "").unwrap();
    let worktree = format!(
        "[core]\nrepositoryFormatVersion = 0\nbare = false\nworktree = {}\n",
        other.path().display()
    );
    let commondir = other.path().join(".git");
    let expected = Some(Branch::Named { name: "main".into() });
    for (name, files) in [
        ("config", [("objects/k", ""), ("refs/heads/.k", ""), ("config", &*worktree)]),
        ("common", [("x", ""), ("y", ""), ("commondir", commondir.to_str().unwrap())]),
    ] {
        for (file, content) in files.iter().chain([&("HEAD", "ref: refs/heads/private\n")]) {
            repository.write(format!("{name}/{file}"), content);
        }
        repository.write(format!("{name}/deep/file"), "");
        repository.commit(name);
        let command = GitCommand::new(&["ls-files"]);
        let refused = command.output(&repository.path().join(name), &options()).unwrap_err();
        assert_eq!(refused.kind(), GitErrorKind::Refused);
        for directory in [name.into(), format!("{name}/deep"), format!("{name}/refs")] {
            let cwd = repository.path().join(&directory);
            fs::create_dir_all(&cwd).unwrap();
            let shown = [&["status", "--short"][..], &["log", "--oneline"]]
                .map(|arguments| git(&cwd).args(arguments).output().unwrap().stdout);
            let shown = String::from_utf8(shown.concat()).unwrap();
            assert!(shown.contains("secret"), "no trap: {shown}");
            assert_eq!(repository_root(&cwd), repository.path().canonicalize().ok());
            assert_eq!(current_branch(&cwd), expected);
            let snapshot = snapshot_of(&cwd);
            assert_eq!(snapshot, repository.snapshot());
            assert_eq!(snapshot.branch, expected);
            assert_eq!(snapshot.status, Some(Status::Clean));
        }
    }
}

/// Git takes a directory for a repository whose parts are executable files.
#[test]
fn a_bare_repository_that_only_git_takes_for_one() {
    let trap = Trap::new();
    let other = Repository::new();
    other.commit("the secret");
    for name in ["objects", "refs"] {
        fs::create_dir_all(trap.repository.path().join("sub")).unwrap();
        script(&trap.repository.path().join("sub").join(name), "");
    }
    trap.repository.write("sub/HEAD", "ref: refs/heads/main\n");
    let worktree = format!(
        "[core]\nrepositoryFormatVersion = 0\nbare = false\nworktree = {}\n",
        other.path().display()
    );
    trap.repository.write("sub/config", &worktree);
    trap.repository.commit("second");
    let snapshot = snapshot_of(&trap.repository.path().join("sub"));
    assert_eq!(snapshot, trap.repository.snapshot());
}

/// Which files git would open is not known, so it may not run.
#[test]
fn a_common_directory_that_cannot_be_read() {
    let repository = Repository::new();
    repository.write(".git/commondir", &format!(".{}", "\n".repeat(17_000)));
    succeed(git(repository.path()).arg("log"));
    let error = snapshot(repository.path(), &options()).unwrap_err();
    assert_eq!(error.kind(), GitErrorKind::Refused);
    assert!(error.to_string().ends_with("commondir\": it names no directory"), "{error}");
}
