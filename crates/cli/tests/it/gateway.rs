//! `aside serve` and `aside proxy`.

mod misses;
mod suite;
use crate::support::server;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use server::Server;

fn aside(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aside"));
    command.args(arguments).env_remove("ANTHROPIC_BASE_URL");
    command
}

fn serve(arguments: &[&str]) -> Server {
    Server::start(aside(&["serve"]).args(arguments))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_own_session_runs_through_both_servers() {
    let home = tempfile::tempdir().unwrap();
    let serve = serve(&["--strict", "--fail", "529:1"]);
    let program = env!("CARGO_BIN_EXE_aside");
    let record = home.path().join("records");
    let mut proxy = aside(&["proxy", "--upstream"]);
    proxy
        .arg(format!("messages={}", serve.url))
        .arg("--record")
        .arg(&record)
        // Keep requests to this machine from going through another proxy.
        .args(["--", "sh", "-c", "unset http_proxy; exec \"$0\" run Hello"])
        .arg(program)
        .env("http_proxy", "http://127.0.0.1:1")
        .env("HOME", home.path())
        .env("ANTHROPIC_API_KEY", "canary-key")
        .current_dir(home.path());
    let output = proxy.output().unwrap();
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(text(&output.stdout).contains("no model was asked"), "{errors}");
    assert!(errors.contains("2 requests in 1 session, 1 failed"), "{errors}");
    for file in std::fs::read_dir(&record).unwrap() {
        let record = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!record.contains("canary"), "{record}");
    }
    let served = serve.interrupt();
    let errors = text(&served.stderr);
    assert_eq!(served.status.code(), Some(0), "{errors}");
    assert!(errors.contains("2 requests, 0 refused, 1 failed on demand"), "{errors}");
}

/// A conversation on each wire: none is refused, none misses, and from the
/// record the cache model predicts what the server billed.
#[test]
fn a_record_of_four_wires_is_read_back() {
    let home = tempfile::tempdir().unwrap();
    let serve = serve(&["--strict"]);
    let record = home.path().join("records");
    let mut proxy = aside(&["proxy", "--record"]);
    proxy.arg(&record);
    for (wire, base) in [("messages", ""), ("responses", "/v1"), ("chat", "/v1"), ("gemini", "")] {
        proxy.arg(format!("--upstream={wire}={}{base}", serve.url));
    }
    let script = r#"
        set -e
        id=11111111-1111-4111-8111-11111111111
        turns() {
            number=$1 program=$2; shift 2
            "$program" run "$@" --session-id $id$number "How do I begin?"
            "$program" run "$@" --resume $id$number "And then?"
            "$program" run "$@" --resume $id$number "Thank you."
        }
        turns 1 "$0" --model claude-opus-5-5
        OPENAI_WIRE_API=responses turns 2 "$0" --provider openai --model gpt-5.6
        OPENAI_WIRE_API=chat turns 3 "$0" --provider openai --model gpt-5.4
        turns 4 "$0" --provider gemini --model gemini-3-pro
    "#;
    let output = proxy
        .args(["--", "sh", "-c", script, env!("CARGO_BIN_EXE_aside")])
        .env("HOME", home.path())
        .envs(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"].map(|it| (it, "key")))
        .current_dir(home.path())
        .output()
        .unwrap();
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let end = "12 requests in 4 sessions, 0 failed, 0 broke off, 0 missed the cache";
    assert!(errors.contains(end), "{errors}");
    for path in ["/v1/messages", "/v1/responses", "/v1/chat/completions", ":streamGenerateContent"]
    {
        assert_eq!(errors.matches(path).count(), 3, "{path}: {errors}");
    }
    let explain = aside(&["cache", "explain", "--json"]).arg(&record).output();
    let explained: serde_json::Value = serde_json::from_slice(&explain.unwrap().stdout).unwrap();
    let recorded = &explained["summary"]["recorded"];
    let figures = ["requests", "agreement"].map(|it| recorded[it].as_f64());
    assert_eq!(figures, [Some(12.0), Some(1.0)], "{explained}");
    let served = serve.interrupt();
    assert_eq!(served.status.code(), Some(0), "{}", text(&served.stderr));
}

/// Lengths and hashes are all that the cache model needs.
#[test]
fn a_redacted_record_is_explained() {
    let home = tempfile::tempdir().unwrap();
    let serve = serve(&["--strict"]);
    let record = home.path().join("records");
    let mut proxy = aside(&["proxy", "--redact", "--record"]);
    let script = "\"$0\" run Hello && \"$0\" run Hello";
    let output = proxy
        .arg(&record)
        .arg(format!("--upstream=messages={}", serve.url))
        .args(["--", "sh", "-c", script, env!("CARGO_BIN_EXE_aside")])
        .env("HOME", home.path())
        .env("ANTHROPIC_API_KEY", "key")
        .current_dir(home.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let files = std::fs::read_dir(&record).unwrap();
    let files: Vec<_> = files.map(|it| it.unwrap().path()).collect();
    let [file] = &files[..] else {
        panic!("one session: {files:?}");
    };
    let lines = std::fs::read_to_string(file).unwrap();
    assert!(!lines.contains("Hello"), "{lines}");
    let explain = aside(&["cache", "explain", "--json"]).arg(file).output();
    let explained: serde_json::Value = serde_json::from_slice(&explain.unwrap().stdout).unwrap();
    let recorded = &explained["summary"]["recorded"];
    assert_eq!(
        (recorded["requests"].as_u64(), recorded["agreement"].as_f64()),
        (Some(2), Some(1.0))
    );
    let read = &explained["requests"][1]["predicted"]["usage"]["read"];
    assert!(read.as_u64().unwrap() > 1_000, "{explained}");
    serve.interrupt();
}

#[test]
fn the_exit_code_of_the_command_is_that_of_the_proxy() {
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let mut proxy = aside(&["proxy", "--upstream", "messages=http://127.0.0.1:1", "--"]);
        let output = proxy.args(["sh", "-c", script]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
    let printed = aside(&["proxy", "--upstream", "chat=http://127.0.0.1:1/v1", "--", "sh", "-c"])
        .arg("echo $OPENAI_BASE_URL $ANTHROPIC_BASE_URL")
        .output()
        .unwrap();
    let printed = text(&printed.stdout);
    assert!(printed.starts_with("http://127.0.0.1:") && printed.ends_with("/v1\n"), "{printed}");
}

/// The command may have something to save.
#[test]
fn a_command_is_asked_to_end() {
    let mut proxy = aside(&["proxy", "--upstream", "messages=http://127.0.0.1:1", "--"]);
    let script =
        "trap 'echo saved; exit 5' TERM; echo ready; for i in $(seq 3000); do sleep 0.01; done";
    let mut child = proxy.args(["sh", "-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "saved");
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

/// Some agents do not read the variables.
#[test]
fn a_command_without_requests_gets_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let agent = |name: &str| {
        let path = folder.path().join(name);
        std::os::unix::fs::symlink("/bin/true", &path).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    for (program, hint) in [
        (&*agent("codex"), "codex -c openai_base_url=\"$OPENAI_BASE_URL\""),
        (
            &agent("cline"),
            "cline auth -p openai -k KEY -m MODEL -b \"$OPENAI_BASE_URL\" && cline PROMPT",
        ),
        ("true", "does the command read ANTHROPIC_BASE_URL"),
    ] {
        let output = aside(&["proxy", "--", program]).output().unwrap();
        let errors = text(&output.stderr);
        assert!(errors.contains("no request arrived"), "{errors}");
        assert!(errors.contains(hint) && !errors.contains("$0.0"), "{errors}");
    }
}

#[test]
fn the_command_has_the_address_in_four_variables() {
    let script = "env | grep '_BASE_URL=http://127.0.0.1:' | cut -d = -f 1 | sort";
    let mut proxy = aside(&["proxy", "--", "sh", "-c", script]);
    let path = std::env::var_os("PATH").unwrap();
    let output = proxy.env_clear().env("PATH", path).output().unwrap();
    let expected = "ANTHROPIC_BASE_URL\nGEMINI_BASE_URL\nGOOGLE_GEMINI_BASE_URL\nOPENAI_BASE_URL\n";
    assert_eq!(text(&output.stdout), expected, "{output:?}");
}

#[test]
fn wrong_arguments_are_usage_errors() {
    for arguments in [
        &["proxy", "--upstream", "messages=http://example.com"][..],
        &["proxy", "--upstream", "nothing"],
        &["proxy", "--deny", "nothing"],
        &["serve", "--fail", "200:1"],
        &["serve", "--fail", ""],
    ] {
        let output = aside(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_script_without_an_end_is_refused() {
    for argument in ["--script", "--replay"] {
        let output = aside(&["serve", argument, "/dev/zero"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{argument}");
        let errors = text(&output.stderr);
        assert!(errors.contains("/dev/zero"), "{errors}");
    }
}
