//! A git that misbehaves for one of the queries.

use std::fs;
use std::path::PathBuf;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use aside_git_context::{FailureReason, GitOptions, GitSnapshot, Query, QueryFailure, Status};
use rustix::process::{Pid, test_kill_process};

use crate::snapshot::fixture::{Repository, options, script, snapshot};

/// For tests that wait for the limit.
const LIMIT: Duration = Duration::from_secs(3);

/// For all others: a busy machine may be slow.
const LONG: Duration = Duration::from_secs(60);

struct Failing {
    repository: Repository,
    options: GitOptions,
}

impl Failing {
    /// Creates a git that runs `body` when an argument is `word`. `$pids` is a
    /// file for the ids of its processes.
    fn new(word: &str, body: &str) -> Self {
        let repository = Repository::new();
        if ["symbolic-ref", "for-each-ref"].contains(&word) {
            repository.make_head_a_link();
        }
        repository.git(["config", "user.name", "Ada"]);
        repository.write("b", "");
        let pids = repository.outside().join("pids");
        let body = format!(
            "pids='{}'\nfor argument; do case \"$argument\" in {word})\n\
             echo $$ >> \"$pids\"\n{body}\nexit;;\nesac; done\nexec git \"$@\"",
            pids.display()
        );
        let options = GitOptions {
            program: script(&repository.outside().join("git"), &body),
            time_limit: LONG,
            ..options()
        };
        Self { repository, options }
    }

    /// Sets the limit for a git that ends for this reason.
    fn limit_for(&mut self, reason: &FailureReason) {
        if *reason == TIMED_OUT {
            self.options.time_limit = LIMIT;
        }
    }

    /// The processes in these tests sleep for 1,000 seconds: a snapshot does
    /// not wait for them.
    fn snapshot(&self) -> GitSnapshot {
        let start = Instant::now();
        let snapshot = snapshot(self.repository.path(), &self.options);
        let elapsed = start.elapsed();
        assert!(elapsed < self.options.time_limit + LONG, "took {elapsed:?}");
        self.check_nothing_is_left();
        snapshot.unwrap().unwrap()
    }

    fn pids(&self) -> Vec<Pid> {
        let pids = fs::read_to_string(self.pids_file()).unwrap();
        pids.lines().map(|pid| Pid::from_raw(pid.parse().unwrap()).unwrap()).collect()
    }

    fn pids_file(&self) -> PathBuf {
        self.repository.outside().join("pids")
    }

    /// The first is our child, to be reaped by us; those that it started are
    /// for the system to reap.
    fn check_nothing_is_left(&self) {
        let pids = self.pids();
        assert!(test_kill_process(pids[0]).is_err(), "the child is left");
        let end = Instant::now() + Duration::from_secs(5);
        for pid in pids {
            while is_running(pid) {
                assert!(Instant::now() < end, "process {pid:?} is left");
                sleep(Duration::from_millis(10));
            }
        }
    }
}

fn is_running(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    let is_zombie = stat.is_ok_and(|stat| stat.contains(") Z "));
    test_kill_process(pid).is_ok() && !is_zombie
}

/// Checks that only this query's result is missing.
fn check(word: &str, body: &str, query: Query, reason: FailureReason) {
    let mut failing = Failing::new(word, body);
    failing.limit_for(&reason);
    let mut expected = failing.repository.snapshot();
    match query {
        Query::Branch => expected.branch = None,
        Query::MainBranch => expected.main_branch = None,
        Query::Status => expected.status = None,
        Query::Commits => expected.commits = None,
        Query::Configuration => expected.user_name = None,
        other => unreachable!("no case fails {other:?}"),
    }
    expected.diagnostics = vec![QueryFailure { query, reason }];
    assert_eq!(failing.snapshot(), expected);
}

const TIMED_OUT: FailureReason = FailureReason::TimedOut { limit: LIMIT };

#[test]
fn hangs() {
    let with_children =
        "sleep 1000 & echo $! >> \"$pids\"; sleep 1000 & echo $! >> \"$pids\"; wait";
    thread::scope(|scope| {
        for (word, body, query) in [
            ("symbolic-ref", "exec sleep 1000", Query::Branch),
            ("for-each-ref", "exec sleep 1000", Query::MainBranch),
            ("status", with_children, Query::Status),
            ("log", with_children, Query::Commits),
            ("--get-regexp", "exec sleep 1000", Query::Configuration),
        ] {
            scope.spawn(move || check(word, body, query, TIMED_OUT));
        }
    });
}

#[test]
fn ignores_signals() {
    let body = "trap '' TERM INT HUP PIPE; while :; do sleep 1; done";
    check("status", body, Query::Status, TIMED_OUT);
}

#[test]
fn closes_its_output_and_hangs() {
    let body = "exec >&- 2>&-; exec sleep 1000";
    check("log", body, Query::Commits, TIMED_OUT);
}

#[test]
fn floods() {
    let flooded = || FailureReason::Flooded { limit: 16 * 1024 };
    let log_flooded = FailureReason::Flooded { limit: 128 * 1024 };
    check("symbolic-ref", "exec yes", Query::Branch, flooded());
    check("for-each-ref", "exec yes", Query::MainBranch, flooded());
    check("log", "trap '' PIPE; while :; do echo abc x; done", Query::Commits, log_flooded);
    check(
        "--get-regexp",
        "exec cat /dev/zero",
        Query::Configuration,
        FailureReason::Flooded { limit: 64 * 1024 },
    );
    check("status", "exec yes >&2", Query::Status, TIMED_OUT);
}

#[test]
fn a_flood_of_changes_is_a_long_status() {
    let failing = Failing::new("status", "exec yes '?? file'");
    let snapshot = failing.snapshot();
    assert_eq!(snapshot.diagnostics, []);
    let Some(Status::Truncated { lines, .. }) = snapshot.status else {
        panic!("{:?}", snapshot.status);
    };
    assert_eq!(lines, ["?? file"; 250].join("\n"));
}

#[test]
fn fails() {
    let body = "echo 'warning: odd' >&2; printf 'fatal: \\033[31mtoo bad\\n' >&2; exit 128";
    let failed = |code, message: &str| FailureReason::Failed { code, message: message.into() };
    let fatal = || failed(Some(128), "fatal: \\u{1b}[31mtoo bad");
    check("symbolic-ref", body, Query::Branch, fatal());
    check("for-each-ref", body, Query::MainBranch, fatal());
    check("status", body, Query::Status, fatal());
    check("log", body, Query::Commits, fatal());
    check("--get-regexp", body, Query::Configuration, fatal());
    check("log", "kill -KILL $$", Query::Commits, failed(None, ""));
}

#[test]
fn writes_garbage() {
    let garbage = "printf '\\377\\376\\n\\000\\033[2J garbage'";
    let odd = |output: &str| FailureReason::Unexpected { output: output.into() };
    let all = "\\377\\376\\n\\u{0}\\u{1b}[2J garbage";
    check("symbolic-ref", garbage, Query::Branch, odd(all));
    check("for-each-ref", garbage, Query::MainBranch, odd("\\377\\376"));
    check("status", garbage, Query::Status, odd("\\377\\376"));
    check("log", garbage, Query::Commits, odd("\\377\\376"));
    let entry = "\\u{1b}[2J garbage";
    check("--get-regexp", garbage, Query::Configuration, odd(entry));
}

#[test]
fn writes_endless_blank_lines() {
    let nothing = FailureReason::Unexpected { output: String::new() };
    check("status", "exec yes ''", Query::Status, nothing);
}

#[test]
fn leaves_a_process_behind() {
    let failing = Failing::new("status", "sleep 1000 & echo $! >> \"$pids\"; echo '?? x'; exit 0");
    let snapshot = failing.snapshot();
    let lines = "?? x".into();
    assert_eq!(snapshot.status, Some(Status::Changed { lines }));
}

/// When the filters are not known without git, there is no status without git's
/// list, whatever the cause.
fn check_without_filters(body: &str, expected: &[(Query, FailureReason)]) {
    let mut failing = Failing::new("--get-regexp", body);
    let reasons = expected.iter().map(|(_, reason)| reason);
    reasons.for_each(|reason| failing.limit_for(reason));
    let config = ["config", "include.path", "nothing"];
    failing.repository.git(config);
    let snapshot = failing.snapshot();
    assert_eq!(snapshot.status, None);
    assert!(snapshot.commits.is_some());
    let expected: Vec<_> =
        expected.iter().cloned().map(|(query, reason)| QueryFailure { query, reason }).collect();
    assert_eq!(snapshot.diagnostics, expected);
}

#[test]
fn does_not_list_its_filters() {
    let check_reason = |body, reason| {
        let unknown = (Query::Status, FailureReason::FiltersUnknown);
        check_without_filters(body, &[(Query::Configuration, reason), unknown]);
    };
    check_reason("sleep 1000", TIMED_OUT);
    check_reason("exec yes", FailureReason::Flooded { limit: 64 * 1024 });
    check_reason("exit 129", FailureReason::GitTooOld);
    let too_old = [(Query::Status, FailureReason::GitTooOld)];
    check_without_filters("exit 1", &too_old);
    check_without_filters("exit 0", &too_old);
    check_without_filters(
        "unset GIT_CONFIG_COUNT; git config filter.aside-sentinel.required true; exec git \"$@\"",
        &too_old,
    );
}

#[test]
fn cannot_be_started() {
    let repository = Repository::new();
    let program = script(&repository.outside().join("git"), "");
    fs::write(&program, "#!/no/such/interpreter\n").unwrap();
    let options = GitOptions { program, ..options() };
    let snapshot = snapshot(repository.path(), &options).unwrap().unwrap();
    assert_eq!(snapshot.diagnostics.len(), 5);
    for diagnostic in snapshot.diagnostics {
        let line = diagnostic.to_string();
        assert!(line.starts_with("git ") && !line.contains('\n'), "{line}");
    }
}

#[test]
fn is_killed_when_dropped() {
    let failing = Failing::new("status", "sleep 1000 & echo $! >> \"$pids\"; wait");
    let options = GitOptions { time_limit: Duration::from_secs(1000), ..failing.options.clone() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let taking = aside_git_context::snapshot(failing.repository.path(), &options);
        let both_are_known = async {
            while !fs::read_to_string(failing.pids_file())
                .is_ok_and(|pids| pids.matches('\n').count() == 2)
            {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            _ = taking => panic!("it hangs"),
            () = both_are_known => {}
        }
        // The runtime reaps in passing.
        while test_kill_process(failing.pids()[0]).is_ok() {
            tokio::process::Command::new("true").status().await.unwrap();
        }
    });
    failing.check_nothing_is_left();
}
