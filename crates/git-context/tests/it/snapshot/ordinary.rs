//! The forms that repositories take.

use std::fs;
use std::time::Duration;

use aside_git_context::{Branch, GitOptions, GitSnapshot, Status, repository_root};

use crate::snapshot::fixture::{self, Repository, check, git, options, snapshot, succeed};

const ONE_COMMIT: &str = "\
Current branch: main

Main branch (you will usually use this for PRs): main

Status:
(clean)

Recent commits:
b177966 first";

#[test]
fn one_commit_and_no_remote() {
    Repository::new().check(ONE_COMMIT);
}

#[test]
fn the_whole_text() {
    let repository = Repository::new();
    repository.git(["config", "user.name", "Grace Hopper"]);
    repository.git(["checkout", "-q", "-b", "topic/x"]);
    for subject in ["second", "third", "fourth", "fifth", "sixth"] {
        repository.commit(subject);
    }
    repository.write("a", "two\n");
    repository.write("new dir/b", "");
    assert_eq!(
        repository.snapshot().render(),
        "This is the git status at the start of the conversation, a snapshot: it will not update \
         during the conversation.\n\
         \n\
         Current branch: topic/x\n\
         \n\
         Main branch (you will usually use this for PRs): main\n\
         \n\
         Git user: Grace Hopper\n\
         \n\
         Status:\n M a\n?? \"new dir/\"\n\
         \n\
         Recent commits:\n62f2a41 sixth\nd67b734 fifth\n0240630 fourth\n4d379a3 third\n779a2da second"
    );
}

#[test]
fn unborn_branch() {
    let repository = Repository::unborn();
    repository.write("a", "");
    repository.check(
        "Current branch: main\n\n\
         Main branch (you will usually use this for PRs): main\n\n\
         Status:\n?? a\n\n\
         Recent commits:\n(none)",
    );
}

#[test]
fn detached_head() {
    let repository = Repository::new();
    repository.git(["checkout", "-q", "--detach"]);
    assert_eq!(repository.snapshot().branch, Some(Branch::Detached));
    repository.check(&ONE_COMMIT.replace("branch: main\n", "branch: (HEAD detached at b177966)\n"));
}

/// Git 2.45 and later can keep references in tables.
#[test]
fn another_store_of_references() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["init", "-q", "-b", "main", "--template=", "--ref-format=reftable"];
    if !git(directory.path()).args(arguments).status().unwrap().success() {
        return;
    }
    fs::write(directory.path().join("a"), "one\n").unwrap();
    let set_up = [
        &["add", "-A"][..],
        &["commit", "-q", "-m", "first"],
        &["update-ref", "refs/remotes/origin/master", "HEAD"],
    ];
    for arguments in set_up {
        succeed(git(directory.path()).args(arguments));
    }
    check(directory.path(), &ONE_COMMIT.replace("PRs): main", "PRs): master"));
}

#[test]
fn a_head_in_its_oldest_form() {
    let repository = Repository::new();
    repository.make_head_a_link();
    repository.check(ONE_COMMIT);
}

#[test]
fn a_tag_of_the_same_name() {
    let repository = Repository::new();
    repository.git(["tag", "main"]);
    repository.check(ONE_COMMIT);
}

/// Checks the main branch when `origin` has these branches and this
/// `origin/HEAD`.
fn check_main(branches: &[&str], head: Option<&str>, expected: &str) {
    let repository = Repository::new();
    for branch in branches {
        repository.git(["update-ref", &format!("refs/remotes/origin/{branch}"), "HEAD"]);
    }
    if let Some(head) = head {
        let head = format!("refs/remotes/origin/{head}");
        repository.git(["symbolic-ref", "refs/remotes/origin/HEAD", &head]);
    }
    let main_branch = || repository.snapshot().main_branch;
    assert_eq!(main_branch().as_deref(), Some(expected));
    repository.git(["pack-refs", "--all"]);
    assert_eq!(main_branch().as_deref(), Some(expected), "packed");
    // Only git reads this.
    repository.make_head_a_link();
    assert_eq!(main_branch().as_deref(), Some(expected), "asked");
}

#[test]
fn main_branches() {
    check_main(&[], None, "main");
    check_main(&["main"], None, "main");
    check_main(&["master"], None, "master");
    check_main(&["main", "master"], None, "main");
    check_main(&["develop"], None, "main");
    check_main(&["main", "release/2.x"], Some("release/2.x"), "release/2.x");
    check_main(&["master"], Some("gone"), "master");
    check_main(&["main/x", "master"], None, "master");
}

#[test]
fn clone_sets_origin_head() {
    let origin = Repository::new();
    origin.git(["branch", "-m", "trunk"]);
    succeed(git(origin.outside()).args(["clone", "-q", "work", "clone"]));
    let expected =
        ONE_COMMIT.replace("branch: main", "branch: trunk").replace("PRs): main", "PRs): trunk");
    check(&origin.outside().join("clone"), &expected);
}

#[test]
fn shallow_clone() {
    let origin = Repository::new();
    origin.commit("second");
    let url = format!("file://{}", origin.path().display());
    succeed(git(origin.outside()).args(["clone", "-q", "--depth", "1", &url, "clone"]));
    let snapshot = fixture::snapshot_of(&origin.outside().join("clone"));
    assert_eq!(snapshot.commits.unwrap().len(), 1);
    assert_eq!(snapshot.diagnostics, []);
}

#[test]
fn linked_worktree() {
    let repository = Repository::new();
    repository.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = repository.outside().join("linked");
    check(&linked, &ONE_COMMIT.replace("branch: main\n", "branch: side\n"));
    assert_eq!(repository_root(&linked), linked.canonicalize().ok());
}

#[test]
fn submodule() {
    let inner = Repository::new();
    let repository = Repository::new();
    let url = inner.path().to_str().unwrap();
    repository.git(["submodule", "--quiet", "add", url, "sub"]);
    repository.commit("add a submodule");
    check(&repository.path().join("sub"), ONE_COMMIT);

    // A change inside it does not show, another commit does.
    repository.write("sub/a", "changed");
    assert_eq!(repository.snapshot().status, Some(Status::Clean));
    repository.git(["-C", "sub", "commit", "-q", "-am", "further"]);
    assert_eq!(repository.snapshot().status, Some(Status::Changed { lines: " M sub".into() }));
}

#[test]
fn bare() {
    let repository = Repository::new();
    succeed(git(repository.outside()).args(["clone", "-q", "--bare", "work", "bare"]));
    let without_work_tree = ONE_COMMIT.replace("(clean)", "(no work tree)");
    check(&repository.outside().join("bare"), &without_work_tree);
    check(&repository.outside().join("bare/refs"), &without_work_tree);
    check(&repository.path().join(".git"), &without_work_tree);
}

/// The layout of a bare repository with a directory of work trees around it.
#[test]
fn bare_with_a_git_file_and_linked_worktrees() {
    let repository = Repository::new();
    let around = repository.outside().join("around");
    fs::create_dir(&around).unwrap();
    succeed(git(repository.outside()).args(["clone", "-q", "--bare", "work", "around/.bare"]));
    fs::write(around.join(".git"), "gitdir: ./.bare\n").unwrap();
    check(&around, &ONE_COMMIT.replace("(clean)", "(no work tree)"));
    succeed(git(&around).args(["worktree", "add", "-q", "-b", "side", "side"]));
    check(&around.join("side"), &ONE_COMMIT.replace("branch: main\n", "branch: side\n"));

    repository.git(["config", "core.bare", "true"]);
    check(repository.path(), &ONE_COMMIT.replace("(clean)", "(no work tree)"));
}

#[test]
fn sparse_checkout() {
    let repository = Repository::new();
    repository.write("in/b", "");
    repository.write("out/c", "");
    repository.commit("directories");
    repository.git(["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert!(!repository.path().join("out").exists());
    repository.write("in/b", "changed");
    let snapshot = repository.snapshot();
    assert_eq!(snapshot.diagnostics, []);
    assert_eq!(snapshot.status, Some(Status::Changed { lines: " M in/b".into() }));
}

#[test]
fn merge_conflict() {
    let repository = Repository::new();
    repository.git(["checkout", "-q", "-b", "other"]);
    repository.write("a", "other\n");
    repository.commit("other");
    repository.git(["checkout", "-q", "main"]);
    repository.write("a", "main\n");
    repository.commit("main");
    assert!(
        !git(repository.path()).args(["merge", "-q", "other"]).output().unwrap().status.success()
    );
    assert_eq!(repository.snapshot().status, Some(Status::Changed { lines: "UU a".into() }));
}

#[test]
fn renamed_and_untracked_files() {
    let repository = Repository::new();
    repository.write("old", &"line\n".repeat(100));
    repository.commit("old");
    repository.git(["mv", "old", "new"]);
    repository.write("a", "changed");
    repository.write("untracked", "");
    repository.write("directory/x", "");
    assert_eq!(
        repository.snapshot().status,
        Some(Status::Changed { lines: " M a\nR  old -> new\n?? directory/\n?? untracked".into() })
    );
}

#[test]
fn subdirectory() {
    let repository = Repository::new();
    repository.write("sub/b", "");
    repository.write("c", "");
    let sub = repository.path().join("sub");
    assert_eq!(
        fixture::snapshot_of(&sub).status,
        Some(Status::Changed { lines: "?? ../c\n?? ./".into() })
    );
    assert_eq!(repository_root(&sub), repository.path().canonicalize().ok());
}

#[test]
fn outside_a_repository() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join(".git")).unwrap();
    assert_eq!(snapshot(directory.path(), &options()).unwrap(), None);
    assert_eq!(repository_root(directory.path()), None);
}

#[test]
fn an_empty_git_directory_is_no_repository_and_hides_none() {
    let repository = Repository::new();
    fs::create_dir_all(repository.path().join("sub/.git")).unwrap();
    check(&repository.path().join("sub"), ONE_COMMIT);
}

#[test]
fn a_snapshot_can_be_stored() {
    let repository = Repository::new();
    repository.write("b", "");
    let snapshot = repository.snapshot();
    let json = serde_json::to_string(&snapshot).unwrap();
    assert_eq!(serde_json::from_str::<GitSnapshot>(&json).unwrap(), snapshot);
}

#[test]
fn it_can_be_taken_by_any_task_with_any_patience() {
    fn check<T: Send>(future: T) -> T {
        future
    }
    let repository = Repository::new();
    let options = GitOptions { time_limit: Duration::MAX, ..options() };
    drop(check(aside_git_context::snapshot(repository.path(), &options)));
    let snapshot = snapshot(repository.path(), &options).unwrap().unwrap();
    assert_eq!(snapshot.diagnostics, []);
}

#[test]
fn taking_it_changes_nothing() {
    let repository = Repository::new();
    let index = repository.path().join(".git/index");
    // An ordinary `git status` would refresh the index.
    let content = fs::read(repository.path().join("a")).unwrap();
    fs::write(repository.path().join("a"), content).unwrap();
    let before = fs::read(&index).unwrap();
    repository.check(ONE_COMMIT);
    assert_eq!(fs::read(&index).unwrap(), before);
}
