//! `aside report --watch`.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, SystemTime};

use super::*;

/// A command that follows a session.
struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Watching {
    fn new(home: &Path, arguments: &[&str]) -> Self {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.env_clear().env("HOME", home).current_dir(home);
        aside.args(["report", "--watch"]).args(arguments).stdout(Stdio::piped());
        let mut child = aside.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a file as it was some seconds ago.
fn write_old(path: &Path, text: &str, age: u64) {
    fs::write(path, text).unwrap();
    let time = SystemTime::now() - Duration::from_secs(age);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn the_newest_session_is_followed() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    let session = sessions.join("a.jsonl");
    write_old(&session, ONE, 60);
    let mut watching = Watching::new(home.path(), &[]);
    let first = watching.line();
    let next = |id: &str, time: &str| {
        ONE.replace(r#""id":"1""#, &format!(r#""id":"{id}""#)).replace("09:00", time)
    };
    let mut file = fs::OpenOptions::new().append(true).open(&session).unwrap();
    // A response is complete when the next request is there.
    file.write_all((next("2", "09:09") + &next("3", "09:10")).as_bytes()).unwrap();
    let second = watching.line();
    assert!(first.starts_with("09:00:00  claude-haiku-4-5"), "{first}");
    assert!(first.ends_with("cold start"), "{first}");
    assert!(second.starts_with("09:09:00") && second.contains("expired"), "{second}");
}

/// The sessions are of three projects and two agents; the newest is of none that is wanted.
#[test]
fn the_newest_session_that_the_arguments_leave_is_followed() {
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str, age: u64| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_old(&path, text, age);
    };
    let session = |cwd: &str, time: &str| ONE.replace("/src", cwd).replace("09:00", time);
    write(".claude/projects/a/a.jsonl", &session("/src/web", "01:00"), 300);
    write(".claude/projects/b/b.jsonl", &session("/src/api", "02:00"), 200);
    write(".claude/projects/c/c.jsonl", &session("/src/docs", "03:00"), 100);
    let open = |id: &str, created: u64| {
        format!(
            r#"{{"id":"{id}","role":"assistant","sessionID":"ses_7","modelID":"claude-haiku-4-5","time":{{"created":{created}}},"path":{{"cwd":"/src/web"}},"tokens":{{"input":3,"output":5}}}}"#
        )
    };
    let messages = ".local/share/opencode/storage/message/ses_7";
    write(&format!("{messages}/msg_1.json"), &open("msg_1", 1_763_625_600_000), 400);
    let first = |arguments: &[&str]| Watching::new(home.path(), arguments).line();
    assert!(first(&[]).starts_with("03:00:00"));
    assert!(first(&["--project", "web"]).starts_with("01:00:00"));
    assert!(first(&["--project", "api", "--agent", "claude-code"]).starts_with("02:00:00"));
    assert!(first(&["--agent", "claude-code", ".claude"]).starts_with("03:00:00"));
    let mut watching = Watching::new(home.path(), &["--agent", "opencode"]);
    assert!(watching.line().starts_with("08:00:00"));
    for (id, created) in [("msg_2", 1_763_625_660_000), ("msg_3", 1_763_625_720_000)] {
        write(&format!("{messages}/{id}.json"), &open(id, created), 0);
    }
    assert!(watching.line().starts_with("08:01:00"));
    // A session that cannot be read hides no other.
    write(".claude/projects/d/d.jsonl", "\0\0", 0);
    assert!(first(&["--project", "api"]).starts_with("02:00:00"));
    fs::remove_file(home.path().join(".claude/projects/d/d.jsonl")).unwrap();
    let refused: [(&[&str], i32); 5] = [
        (&["--project", "none"], 1),
        (&["--agent", "codex", ".claude"], 1),
        (&["--rows"], 2),
        (&["--json"], 2),
        (&["--by", "model"], 2),
    ];
    for (arguments, code) in refused {
        let output = report(home.path(), &[&["--watch"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {output:?}");
    }
}

/// A request before `--since` is not printed, and one that comes is.
#[test]
fn only_recent_requests_are_printed() {
    let home = tempfile::tempdir().unwrap();
    let later = ONE.replace(r#""id":"1""#, r#""id":"2""#).replace("2026", "2999");
    write_old(&home.path().join("log.jsonl"), &(ONE.to_owned() + &later), 60);
    let line = Watching::new(home.path(), &["log.jsonl", "--since", "1h"]).line();
    assert!(line.starts_with("09:00:00") && !line.contains("cold start"), "{line}");
}

/// The last line of another session was written between those of the main agent and its sub-agent.
#[test]
fn a_session_has_the_requests_of_its_sub_agents() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(sessions.join("s/subagents")).unwrap();
    let request = |id: &str, time: &str| {
        ONE.replace(r#""id":"1""#, &format!(r#""id":"{id}""#)).replace("09:00", time)
    };
    let of_sub_agent = |id: &str, time: &str| {
        request(id, time).replace(r#""cwd""#, r#""isSidechain":true,"agentId":"a1","cwd""#)
    };
    let (main, sub_agent) = (sessions.join("s.jsonl"), sessions.join("s/subagents/agent-a1.jsonl"));
    write_old(&main, ONE, 90);
    write_old(&sessions.join("other.jsonl"), &request("other", "08:00"), 60);
    write_old(&sub_agent, &of_sub_agent("sub-1", "09:01"), 30);
    let mut watching = Watching::new(home.path(), &[]);
    let mut check = |times: &[&str]| {
        for time in times {
            let line = watching.line();
            assert!(line.starts_with(time) && !line.contains("corrected"), "{time}: {line}");
        }
    };
    check(&["09:00", "09:01"]);
    let append = |path: &Path, text: String| {
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    append(&main, request("2", "09:02") + &request("3", "09:05"));
    check(&["09:02"]);
    append(&sub_agent, of_sub_agent("sub-2", "09:03") + &of_sub_agent("sub-3", "09:04"));
    check(&["09:03"]);
    // A file that you name is read alone.
    let name = ".claude/projects/p/s/subagents/agent-a1.jsonl";
    write_old(&sub_agent, &of_sub_agent("sub-1", "09:01"), 30);
    let line = Watching::new(home.path(), &[name]).line();
    assert!(line.starts_with("09:01"), "{line}");
}

/// What is above a directory is not read, also when it is named as Claude Code names that for
/// sub-agents.
#[test]
fn nothing_outside_of_a_directory_is_followed() {
    let directory = tempfile::tempdir().unwrap();
    let project = "x/subagents/home/.claude/projects/p";
    fs::create_dir_all(directory.path().join(project).join("s/subagents")).unwrap();
    let write = |name: &str, id: &str, time: &str, age: u64| {
        let text = ONE.replace(r#""id":"1""#, &format!(r#""id":"{id}""#)).replace("09:00", time);
        write_old(&directory.path().join(name), &text, age);
    };
    write("x.jsonl", "1", "01:00", 200);
    write("x/subagents/other.jsonl", "2", "02:00", 100);
    write(&format!("{project}/s.jsonl"), "3", "03:00", 90);
    write(&format!("{project}/s/subagents/agent-a1.jsonl"), "4", "04:00", 60);
    write(&format!("{project}/s/subagents/agent-a2.jsonl"), "5", "05:00", 30);
    let check = |home: &str, arguments: &[&str], times: &[&str]| {
        let mut watching = Watching::new(&directory.path().join(home), arguments);
        for time in times {
            let line = watching.line();
            assert!(line.starts_with(time), "{arguments:?} {time}: {line}");
        }
    };
    let session = ["03:00", "04:00", "05:00"];
    check("x/subagents/home", &[], &session);
    check("x", &["subagents/home"], &session);
    check("x", &["subagents"], &session);
    check("x/subagents/home", &["."], &session);
    // The session's own log is outside of these.
    check(project, &["s"], &["05:00"]);
    check(project, &["s/subagents"], &["05:00"]);
    // The newest is a main agent's, then one above.
    write(&format!("{project}/s.jsonl"), "3", "03:00", 20);
    check("x/subagents/home", &[], &session);
    check("x", &["subagents/home"], &session);
    write("x/subagents/other.jsonl", "2", "02:00", 10);
    check("x", &["subagents"], &["02:00"]);
    check(".", &["x"], &["02:00"]);
    check(".", &["."], &["01:00", "02:00"]);
}
