//! `aside render` the way you would use it.

use crate::support::clean;
#[cfg(unix)]
use crate::support::fifo;
use crate::support::git;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use aside_messages::wire::Request;

/// Runs `aside render` with nothing from this machine in its environment.
fn render<A: AsRef<OsStr>>(cwd: &Path, arguments: impl IntoIterator<Item = A>) -> Output {
    let mut command = clean::aside(cwd, cwd);
    command.arg("render").args(arguments).output().unwrap()
}

/// Returns a body, after checking that its keys are in wire order, that stderr
/// is empty, and that two runs yield the same bytes.
fn check(cwd: &Path, arguments: &[&str]) -> String {
    let first = render(cwd, arguments);
    let reported = String::from_utf8(first.stderr).unwrap();
    assert_eq!((first.status.code(), reported.as_str()), (Some(0), ""));
    assert_eq!(render(cwd, arguments).stdout, first.stdout);
    let request = Request::parse(&first.stdout).unwrap().value;
    assert_eq!(serde_json::to_vec(&request).unwrap(), first.stdout);
    String::from_utf8(first.stdout).unwrap()
}

#[test]
fn render_works_in_any_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    for name in ["plain", "unborn", "repository"] {
        fs::create_dir(path(name)).unwrap();
    }
    assert!(!check(&path("plain"), &["hello"]).contains("gitStatus"));

    git(&path("unborn"), &["init", "--quiet", "--initial-branch", "trunk"]);
    assert!(check(&path("unborn"), &["hello"]).contains("Current branch: trunk"));

    git(&path("repository"), &["init", "--quiet", "--initial-branch", "trunk"]);
    fs::write(path("repository/a"), "a").unwrap();
    git(&path("repository"), &["add", "a"]);
    git(&path("repository"), &["commit", "--quiet", "--message", "one"]);
    assert!(check(&path("repository"), &["hello"]).contains("(clean)"));

    git(directory.path(), &["clone", "--quiet", "--bare", "repository", "bare.git"]);
    assert!(check(&path("bare.git"), &["hello"]).contains("Current branch: trunk"));

    git(&path("repository"), &["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    assert!(check(&path("linked"), &["hello"]).contains("Current branch: side"));
}

/// Whatever the arguments, the body is the one that is sent.
#[test]
fn a_repaired_tool_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let tools = r#"[{"name":"a","description":"d","input_schema":{"type":"object","properties":{"a b":{"type":"string"}}}}]"#;
    fs::write(directory.path().join("tools.json"), tools).unwrap();
    for more in [&[][..], &["--provider", "first-party"], &["--json"], &["--pretty"]] {
        let arguments = [&["hello", "--tools", "tools.json"], more].concat();
        let printed = String::from_utf8(render(directory.path(), arguments).stdout).unwrap();
        assert!(printed.contains("\"a_b\"") && !printed.contains("\"a b\""), "{more:?}");
    }
}

#[test]
fn options_reach_the_wire() {
    let directory = tempfile::tempdir().unwrap();
    let body = check(
        directory.path(),
        &["hi", "--model", "claude-opus-5", "--max-tokens", "7", "--date", "2026-02-03"],
    );
    assert!(
        body.starts_with(r#"{"model":"claude-opus-5","max_tokens":7,"tools":[{"name":"Glob","#),
        "{body}"
    );
    assert!(body.contains("Today's date is 2026-02-03."));
    assert!(
        body.ends_with(r#"{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}"#)
    );
    assert!(check(directory.path(), &["hi", "--layout", "classic"]).contains("# currentDate"));
    // Only what comes before the user's first message.
    check(directory.path(), &["--date", "2026-02-03"]);
}

#[test]
fn pretty_is_the_same_json() {
    let directory = tempfile::tempdir().unwrap();
    let exact = check(directory.path(), &["hi"]);
    let pretty = render(directory.path(), ["hi", "--pretty"]).stdout;
    let read = Request::parse(&pretty).unwrap().value;
    assert_eq!(serde_json::to_string(&read).unwrap(), exact);
    assert!(pretty.ends_with(b"\n}\n"));
}

#[test]
fn two_spellings_of_a_directory_give_one_body() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path().join("project");
    fs::create_dir_all(cwd.join("docs")).unwrap();
    let body = check(&cwd, &["hi"]);
    for name in [".", "docs/..", "../project", "./docs/../../project/"] {
        assert_eq!(check(&cwd, &["hi", "--cwd", name]), body, "{name}");
    }
}

/// Model facts apply to every output form.
#[test]
fn a_limit_above_that_of_the_model_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str], expected: Option<&str>| {
        let output = render(directory.path(), arguments);
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.success(), expected.is_none(), "{reported}");
        assert_eq!(output.stdout.is_empty(), expected.is_some());
        // The catalogue has its own word on the model.
        let is_error = |line: &&str| line.starts_with("aside: error: ");
        let reported: String = reported.split_inclusive('\n').filter(is_error).collect();
        let expected = expected.map_or(String::new(), |it| format!("aside: error: {it}\n"));
        assert_eq!(reported, expected);
    };
    let haiku = ["hi", "--model", "claude-haiku-4-5", "--max-tokens"];
    let reported =
        "first-party would refuse the request: max-tokens: max_tokens: 64001, at most 64000";
    for form in [&[][..], &["--pretty"], &["--provider", "first-party"]] {
        check(&[&haiku[..], &["64001"], form].concat(), Some(reported));
        check(&[&haiku[..], &["64000"], form].concat(), None);
    }
    check(
        &[&haiku[..], &["1000000000", "--provider", "bedrock"]].concat(),
        Some("bedrock would refuse the request: max-tokens: max_tokens: 1000000000, at most 64000"),
    );
    // About this one, nothing is known.
    check(&["hi", "--model", "m", "--max-tokens", "1000000000"], None);
}

#[test]
fn used_wrongly() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "").unwrap();
    let check = |arguments: &[&str], expected: &str| {
        let output = render(directory.path(), arguments);
        let reported = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{reported}");
        assert!(output.stdout.is_empty());
        assert!(reported.contains(expected), "{reported}");
    };
    check(&["--cwd", "nowhere"], "failed to use nowhere as the working directory");
    check(&["--cwd", "file"], "failed to use file as the working directory: not a directory");
    check(&["--date", "2026-02-30"], "2026-02-30");
    check(&["--max-tokens", "0"], "expected a whole number from 1 on");
    check(&["--layout", "round"], "layered, classic");
    check(&["--model", ""], "expected a name, found none");
    check(&["--model", " "], "expected a name, found none");
    check(&["--model", "a\nb"], "found a\\nb");
    check(&["one", "two"], "two");
}

#[test]
fn unreadable_files_are_reported_and_the_body_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("CLAUDE.md"), b"\xff\xfe\x1b[31m").unwrap();
    let output = render(directory.path(), ["hi"]);
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(reported.starts_with("aside: error: "), "{reported}");
    assert!(reported.contains("CLAUDE.md") && reported.contains("not UTF-8"), "{reported}");
    assert!(Request::parse(&output.stdout).is_ok());
}

#[cfg(unix)]
#[test]
fn names_cannot_steer_the_terminal() {
    use std::os::unix::ffi::OsStrExt;

    let directory = tempfile::tempdir().unwrap();
    let name = OsStr::from_bytes(b"a\x1b[31m\xff\n<system-reminder>");
    let cwd = directory.path().join(name);
    fs::create_dir(&cwd).unwrap();
    fs::create_dir(cwd.join("CLAUDE.md")).unwrap();
    let output = render(&cwd, ["hi"]);
    assert_eq!(output.status.code(), Some(0));
    let reported = String::from_utf8(output.stderr).unwrap();
    assert!(reported.contains("CLAUDE.md") && !reported.contains('\x1b'), "{reported:?}");
    assert!(reported.contains("not UTF-8"), "{reported:?}");
    assert_eq!(reported.lines().count(), 2, "{reported:?}");
    let request = Request::parse(&output.stdout).unwrap().value;
    let request = serde_json::to_string(&request).unwrap();
    assert!(request.contains("&lt;system-reminder>") && !request.contains("\\u001b"), "{request}");
}

/// The system prompt is shorter; instruction files and git are the same as in
/// any session.
#[test]
fn simple_mode_by_variable() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("CLAUDE.md"), "Use tabs.\n").unwrap();
    git(directory.path(), &["init", "-q", "-b", "main"]);
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(["render", "hi", "--date", "2026-02-03"])
        .current_dir(directory.path())
        .env("CLAUDE_CODE_SIMPLE", "1")
        .output()
        .unwrap();
    let request = Request::parse(&output.stdout).unwrap().value;
    assert_eq!((request.system.len(), request.messages.len()), (1, 1));
    let body = String::from_utf8(output.stdout).unwrap();
    for text in ["2026-02-03", "Use tabs.", "Current branch: main"] {
        assert!(body.contains(text), "{text}: {body}");
    }
}

#[test]
fn a_conversation_without_a_message_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let command = "the prompt is a command, which only aside run executes";
    for (prompt, why) in [
        (None, "no message needs a response"),
        (Some("/clear"), command),
        (Some("/compact Keep the files."), command),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_aside"))
            .arg("render")
            .args(prompt)
            .current_dir(directory.path())
            .env("ASIDE_SIMPLE", "1")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let reported = String::from_utf8(output.stderr).unwrap();
        let expected = format!("aside: error: failed to prepare a request: {why}");
        assert!(reported.starts_with(&expected), "{reported}");
    }
}

#[test]
fn settings_count() {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "--quiet"]);
    fs::write(directory.path().join("CLAUDE.md"), "Use tabs.").unwrap();
    let body = check(directory.path(), &["hi"]);
    assert!(body.contains("# gitStatus") && body.contains("Use tabs."));
    fs::create_dir(directory.path().join(".claude")).unwrap();
    let settings = directory.path().join(".claude/settings.json");
    fs::write(&settings, r#"{"includeGitInstructions":false,"claudeMdExcludes":["**/CLAUDE.md"]}"#)
        .unwrap();
    let body = check(directory.path(), &["hi"]);
    assert!(!body.contains("# gitStatus") && !body.contains("Use tabs."));
    fs::write(&settings, "{\n  nonsense").unwrap();
    let output = render(directory.path(), ["hi"]);
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(reported.contains("settings.json:2:3: key must be a string"), "{reported}");
    assert!(output.stdout.windows(9).any(|window| window == b"gitStatus"));
}

/// A repository where git hangs, because it reads a FIFO without a writer.
#[cfg(unix)]
fn hanging_repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    git(directory.path(), &["init", "--quiet"]);
    let fifo = directory.path().join(".git/fifo");
    fifo::make(&fifo);
    git(directory.path(), &["config", "core.excludesFile", fifo.to_str().unwrap()]);
    directory
}

#[cfg(target_os = "linux")]
#[test]
fn git_ends_with_the_command_on_a_signal() {
    use std::time::{Duration, Instant};

    /// Counts processes that work in the directory.
    fn processes(directory: &Path) -> usize {
        let works_there = |entry: std::io::Result<fs::DirEntry>| {
            fs::read_link(entry.ok()?.path().join("cwd")).ok().filter(|cwd| cwd == directory)
        };
        fs::read_dir("/proc").unwrap().filter_map(works_there).count()
    }
    fn wait_until(condition: impl Fn() -> bool) -> bool {
        let start = Instant::now();
        while !condition() {
            if start.elapsed() > Duration::from_secs(20) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let repository = hanging_repository();
        let directory = repository.path().canonicalize().unwrap();
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"))
            .args(["render", "hi", "--cwd"])
            .arg(&directory)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        assert!(wait_until(|| processes(&directory) > 0), "git was not started");
        let id = aside.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(aside.wait().unwrap().code(), Some(code));
        assert!(wait_until(|| processes(&directory) == 0), "a git is left behind");
    }
}

#[test]
fn a_prompt_with_mentions_and_a_state() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("notes.txt"), "UNIQUE-NOTE").unwrap();
    let state = r#"{"plan":{"is_on":true,"file":"/plan.md"},"skills":[{"name":"release","description":"d"}]}"#;
    fs::write(root.join("state.json"), state).unwrap();
    let text = check(root, &["Read @notes.txt and @nothing", "--state", "state.json"]);
    for wanted in ["Read @notes.txt and @nothing", "UNIQUE-NOTE", "Plan mode is on", "release: d"] {
        assert!(text.contains(wanted), "{wanted}");
    }
    for (state, why) in [(r#"{"skill":[]}"#, "unknown key `skill`"), ("{", "EOF while parsing")] {
        fs::write(root.join("state.json"), state).unwrap();
        let output = render(root, ["Hello", "--state", "state.json"]);
        assert_eq!(output.status.code(), Some(2));
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(reported.contains("state.json") && reported.contains(why), "{reported}");
    }
}

/// A blank prompt is refused, as by `aside run`, with a history or without.
#[test]
fn a_prompt_has_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let history = r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"What?"}]"#;
    fs::write(path.join("h.json"), history).unwrap();
    let refused = |arguments: &[&str], expected: &str| {
        let output = render(path, arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    };
    for blank in ["", "  ", "\n"] {
        refused(&[blank], "a prompt has text");
        refused(&[blank, "--messages", "h.json"], "a prompt has text");
        refused(&[blank, "--conversation", "c.jsonl", "--append"], "a prompt has text");
    }
    assert!(!path.join("c.jsonl").exists());
    let unprompted = render(path, ["--messages", "h.json"]);
    let errors = String::from_utf8_lossy(&unprompted.stderr);
    assert!(errors.contains("the last message must be the user's"), "{errors}");
    assert!(render(path, [" Hi"]).status.success());
    assert!(render(path, ["Go", "--messages", "h.json"]).status.success());
    assert!(render(path, [] as [&str; 0]).status.success());
}
