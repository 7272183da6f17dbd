//! The status is read before git has listed the filters, when the files that
//! configure them suffice; and nothing in these files can fool it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use aside_git_context::{GitOptions, Status};

use crate::snapshot::fixture::{Repository, git, options, script, snapshot, succeed};
use crate::snapshot::hostile::Trap;

/// Returns true if the status in `cwd` needs no list of filters: it is read
/// with a git that cannot list them.
fn is_early(repository: &Repository, cwd: &Path) -> bool {
    let program = script(
        &repository.outside().join("git"),
        "for argument; do case \"$argument\" in --get-regexp) exit 129;; esac; done; \
         exec git \"$@\"",
    );
    let options = GitOptions { program, ..options() };
    let snapshot = snapshot(cwd, &options).unwrap().unwrap();
    assert!(snapshot.commits.is_some());
    snapshot.status.is_some()
}

/// Checks the work tree with some text added to `.git/config`.
fn check_config(added: &str, expected: bool) {
    let repository = Repository::new();
    let path = repository.path().join(".git/config");
    let mut config = fs::read_to_string(&path).unwrap();
    config += added;
    fs::write(path, config).unwrap();
    assert_eq!(is_early(&repository, repository.path()), expected, "{added:?}");
}

#[test]
fn usual_configurations_need_no_list() {
    check_config("", true);
    check_config("[remote \"origin\"]\n\turl = include\n", true);
    check_config("[branch \"filter\"]\n\tmerge = refs/heads/filter\n", true);
    check_config("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n", true);
}

#[test]
fn others_do() {
    check_config("[include]\n\tpath = other\n", false);
    check_config("[includeIf \"onbranch:x\"]\n\tpath = other\n", false);
    check_config("[filter \"a b\"]\n\tclean = x\n", false);
    check_config(&format!("# {}\n", "x".repeat(70_000)), false);
    let included = "[\u{49}nClude]\n\tpath = other\n";
    check_config(included, false);
}

#[test]
fn other_forms_of_repositories() {
    let repository = Repository::new();
    repository.git(["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = repository.outside().join("linked");
    assert!(is_early(&repository, &linked));
    let below = repository.path().join("sub/below");
    fs::create_dir_all(&below).unwrap();
    assert!(is_early(&repository, &below));

    repository.git(["config", "extensions.worktreeConfig", "true"]);
    assert!(is_early(&repository, &linked));
    let config = repository.path().join(".git/worktrees/linked/config.worktree");
    fs::write(config, "[include]\npath = other\n").unwrap();
    assert!(!is_early(&repository, &linked));
    assert!(is_early(&repository, repository.path()));

    let inner = repository.path().join("inner");
    succeed(git(repository.outside()).args(["clone", "-q", "--bare", "work", "work/inner"]));
    // Git starts above it.
    assert!(is_early(&repository, &inner));
}

/// A trap with a filter for everything, and a changed file.
fn filtering() -> Trap {
    let trap = Trap::new();
    trap.repository.write(".gitattributes", "* filter=evil\n");
    trap.repository.write("a", "two\n");
    trap
}

fn filter(trap: &Trap) -> String {
    format!(
        "[core]\nbare = false\n[filter \"e=vil\"]\nclean = {0}\n[filter.evil]\nclean = {0}\n",
        trap.program
    )
}

/// The status in `cwd` runs nothing, and an ordinary git does.
fn check_trap(trap: &Trap, cwd: &Path) {
    let taken = snapshot(cwd, &options());
    trap.check_no_mark();
    let _ = git(cwd).args(["status", "--short"]).output().unwrap();
    trap.check_mark(&format!("{taken:?}"));
}

/// A directory that git takes for a repository although its parts are files.
fn repository_of_files(trap: &Trap, at: &Path) -> PathBuf {
    fs::create_dir_all(at).unwrap();
    for name in ["objects", "refs"] {
        script(&at.join(name), "");
    }
    fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(at.join("config"), filter(trap)).unwrap();
    let index = trap.repository.path().join(".git/index");
    fs::copy(index, at.join("index")).unwrap();
    at.to_owned()
}

#[test]
fn a_repository_that_only_git_takes_for_one() {
    let trap = filtering();
    let sub = trap.repository.path().join("sub");
    repository_of_files(&trap, &sub.join(".git"));
    for name in ["a", ".gitattributes"] {
        fs::copy(trap.repository.path().join(name), sub.join(name)).unwrap();
    }
    check_trap(&trap, &sub);
}

#[test]
fn a_directory_that_could_be_a_bare_repository_too() {
    let repository = Repository::new();
    repository.write("HEAD", "");
    assert!(!is_early(&repository, repository.path()));
    fs::remove_file(repository.path().join("HEAD")).unwrap();
    assert!(is_early(&repository, repository.path()));
}

#[test]
fn a_repository_around_one_that_git_passes_over() {
    let trap = filtering();
    let work = trap.repository.path();
    let mut config = fs::read_to_string(work.join(".git/config")).unwrap();
    config += &filter(&trap);
    fs::write(work.join(".git/config"), config).unwrap();
    let inner = work.join("inner/.git");
    for name in ["objects", "refs"] {
        fs::create_dir_all(inner.join(name)).unwrap();
    }
    fs::write(inner.join("HEAD"), "nonsense\n").unwrap();
    check_trap(&trap, &work.join("inner"));
    // The text describes the repository around it.
    let snapshot = snapshot(&work.join("inner"), &options()).unwrap().unwrap();
    let lines = " M a\n?? .gitattributes".into();
    assert_eq!(snapshot.status, Some(Status::Changed { lines }));
}

#[test]
fn links_lead_to_the_same_files() {
    let trap = filtering();
    let work = trap.repository.path();
    let elsewhere = trap.repository.outside().join("config");
    fs::write(&elsewhere, filter(&trap)).unwrap();
    fs::remove_file(work.join(".git/config")).unwrap();
    symlink(&elsewhere, work.join(".git/config")).unwrap();
    check_trap(&trap, work);

    let trap = filtering();
    let work = trap.repository.path();
    let moved = trap.repository.outside().join("moved");
    fs::rename(work.join(".git"), &moved).unwrap();
    symlink(&moved, work.join(".git")).unwrap();
    fs::write(moved.join("config"), filter(&trap)).unwrap();
    check_trap(&trap, work);
}

#[test]
fn a_common_directory_of_its_own() {
    let trap = filtering();
    let work = trap.repository.path();
    let other = trap.repository.outside().join("other");
    for name in ["objects", "refs"] {
        fs::create_dir_all(other.join(name)).unwrap();
    }
    fs::write(other.join("config"), filter(&trap)).unwrap();
    fs::write(work.join(".git/commondir"), "../../other\n").unwrap();
    check_trap(&trap, work);
}

#[test]
fn a_driver_of_a_simple_name() {
    let trap = filtering();
    let work = trap.repository.path();
    trap.repository.git(["config", "filter.evil.process", &trap.program]);
    trap.repository.git(["config", "filter.evil.required", "true"]);
    assert!(is_early(&trap.repository, work));
    trap.check_no_mark();
    check_trap(&trap, work);
}

/// Below a directory with a colon, git accepts no limit for its search.
#[test]
fn a_colon_in_the_path() {
    let repository = Repository::new();
    let moved = repository.outside().join("co:lon");
    fs::create_dir(&moved).unwrap();
    fs::rename(repository.path(), moved.join("work")).unwrap();
    assert!(!is_early(&repository, &moved.join("work")));
}
