//! Environment variables. A process cannot safely set its own, so a child takes
//! the snapshot: this test program, started with the name of one test.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use aside_git_context::{GitOptions, GitSnapshot};

use crate::snapshot::fixture::{Repository, options, script, snapshot};
use crate::snapshot::hostile::Trap;

#[test]
#[ignore = "is run as a child process by the others"]
fn child() {
    let options = GitOptions { time_limit: options().time_limit, ..GitOptions::default() };
    let snapshot = snapshot(Path::new("."), &options).unwrap();
    fs::write("../snapshot.json", serde_json::to_string(&snapshot).unwrap()).unwrap();
}

/// Returns the snapshot taken by a process with these variables. The user's
/// home is `../home`, and there is no system configuration.
fn snapshot_with(repository: &Repository, variables: &[(&str, &str)]) -> Option<GitSnapshot> {
    let outside = repository.outside();
    let bin = outside.join("bin");
    fs::create_dir_all(&bin).unwrap();
    script(&bin.join("git"), "export GIT_CONFIG_NOSYSTEM=1 PATH=\"${PATH#*:}\"; exec git \"$@\"");
    let path = std::env::var("PATH").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "snapshot::environment::child"])
        .current_dir(repository.path())
        // The first is the repository itself.
        .env("PATH", format!(".::{}:{path}", bin.display()))
        .env("HOME", outside.join("home"))
        .env_remove("XDG_CONFIG_HOME")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let json = fs::read(outside.join("snapshot.json")).unwrap();
    serde_json::from_slice(&json).unwrap()
}

#[test]
fn nothing_of_it_counts() {
    let trap = Trap::new();
    let repository = &trap.repository;
    let program = trap.program.as_str();
    let outside = repository.outside().to_str().unwrap();
    fs::hard_link(program, repository.path().join("git")).unwrap();
    fs::hard_link(program, repository.path().join("git-status")).unwrap();
    repository.write(".gitattributes", "* filter=evil diff=evil\n");
    let expected = snapshot_with(repository, &[]);
    assert!(expected.is_some());

    let hostile = format!(
        "[core]\nfsmonitor = {program}\n[filter \"evil\"]\nclean = {program}\n\
         [user]\nname = Mallory\n[status]\nbranch = true\n"
    );
    let config = format!("{outside}/config");
    fs::write(&config, hostile).unwrap();
    let parameters = format!("'core.fsmonitor'='{program}' 'filter.evil.clean'='{program}'");
    let elsewhere = Repository::new();
    let other = elsewhere.path().join(".git");
    let other = other.to_str().unwrap();
    let trace = format!("{outside}/trace");
    let variables = [
        ("GIT_DIR", other),
        ("GIT_COMMON_DIR", other),
        ("GIT_WORK_TREE", outside),
        ("GIT_INDEX_FILE", "/dev/null"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere"),
        ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/nowhere"),
        ("GIT_NAMESPACE", "other"),
        ("GIT_CEILING_DIRECTORIES", outside),
        ("GIT_ATTR_SOURCE", "nothing"),
        ("GIT_SHALLOW_FILE", &config),
        ("GIT_GRAFT_FILE", &config),
        ("GIT_REPLACE_REF_BASE", "refs/heads"),
        ("GIT_CONFIG", &config),
        ("GIT_CONFIG_GLOBAL", &config),
        ("GIT_CONFIG_SYSTEM", &config),
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", program),
        ("GIT_CONFIG_KEY_1", "filter.evil.clean"),
        ("GIT_CONFIG_VALUE_1", program),
        ("GIT_CONFIG_PARAMETERS", &parameters),
        ("GIT_EXEC_PATH", outside),
        ("GIT_EXTERNAL_DIFF", program),
        ("GIT_PAGER", program),
        ("PAGER", program),
        ("GIT_PAGER_IN_USE", "1"),
        ("GIT_EDITOR", program),
        ("GIT_ASKPASS", program),
        ("SSH_ASKPASS", program),
        ("GIT_SSH", program),
        ("GIT_SSH_COMMAND", program),
        ("GIT_PROXY_COMMAND", program),
        ("GIT_ALLOW_PROTOCOL", "ext:file"),
        ("GIT_NO_LAZY_FETCH", "0"),
        ("GIT_OPTIONAL_LOCKS", "1"),
        ("GIT_NOTES_REF", "refs/heads/main"),
        ("GIT_NOTES_DISPLAY_REF", "refs/heads/main"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_TRACE", &trace),
        ("GIT_TRACE_SETUP", &trace),
        ("GIT_TRACE2", &trace),
        ("GIT_TRACE2_EVENT", &trace),
        ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("LANGUAGE", "de"),
        ("TERM", "xterm-256color"),
        ("COLUMNS", "20"),
    ];
    for variable in variables {
        let snapshot = snapshot_with(repository, &[variable]);
        assert_eq!(snapshot, expected, "with {variable:?}");
    }
    assert_eq!(snapshot_with(repository, &variables), expected);
    trap.check_no_mark();
    assert!(!Path::new(&trace).exists());
}

#[test]
fn the_user_does_count() {
    let trap = Trap::new();
    let home = trap.repository.outside().join("home");
    fs::create_dir(&home).unwrap();
    let config = format!(
        "[user]\nname = Grace\n[core]\nfsmonitor = {0}\n[filter \"own\"]\nclean = {0}\n",
        trap.program
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    trap.repository.write(".gitattributes", "* filter=own\n");
    trap.repository.write("a", "two\n");
    let snapshot = snapshot_with(&trap.repository, &[]).unwrap();
    assert_eq!(snapshot.user_name.as_deref(), Some("Grace"));
    assert_eq!(snapshot.diagnostics, []);
    trap.check_no_mark();
}

#[test]
fn a_home_inside_the_repository_does_not() {
    let trap = Trap::new();
    let repository = &trap.repository;
    repository.write("home/.gitconfig", "[user]\nname = Mallory\n");
    repository.write("home/git/config", "[user]\nname = Mallory\n");
    let variables = [("HOME", "home"), ("XDG_CONFIG_HOME", "home")];
    let snapshot = snapshot_with(repository, &variables).unwrap();
    assert_eq!(snapshot.user_name, None);
}

#[test]
fn a_git_of_the_repository_is_not_run() {
    let trap = Trap::new();
    let repository = &trap.repository;
    let path = std::env::var("PATH").unwrap();
    let bin = repository.path().join("node_modules/.bin");
    fs::create_dir_all(&bin).unwrap();
    for directory in [&bin, repository.path()] {
        fs::hard_link(&trap.program, directory.join("git")).unwrap();
    }
    let link = repository.outside().join("link");
    symlink(&bin, &link).unwrap();
    // On Linux, the last one is a directory in the repository; elsewhere it
    // does not exist.
    for directory in [&bin, &link, Path::new("/proc/self/cwd")] {
        let path = format!("{}:{path}", directory.display());
        let snapshot = snapshot_with(repository, &[("PATH", &path)]).unwrap();
        assert_eq!(snapshot.diagnostics, []);
        trap.check_no_mark();
    }
}

#[test]
fn no_git_in_the_path() {
    let repository = Repository::new();
    let empty = repository.outside().to_str().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "snapshot::environment::child", "--nocapture"])
        .current_dir(repository.path())
        .env("PATH", empty)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("GitNotFound"), "{text}");
}
