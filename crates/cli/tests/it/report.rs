//! `aside report`: what it reads, what it prints, and what it never does.

mod projects;
mod watch;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

const ONE: &str = r#"{"type":"assistant","sessionId":"s","cwd":"/src","timestamp":"2026-11-20T09:00:00Z","message":{"id":"1","model":"claude-haiku-4-5","content":[{"type":"text","text":"SECRET"}],"usage":{"input_tokens":3,"cache_creation_input_tokens":9000}}}
"#;

/// Runs the command in a directory that is also the home.
fn report(home: &Path, arguments: &[&str]) -> Output {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.env_clear().env("HOME", home).current_dir(home);
    aside.arg("report").args(arguments).output().unwrap()
}

fn json_of(home: &Path, arguments: &[&str]) -> Value {
    let output = report(home, arguments);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_home_without_sessions_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let output = report(home.path(), &[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"no sessions found"), "{output:?}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "a home is never written");
}

/// Without a home, what it does not find is not all that there is.
#[test]
fn a_missing_home_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let errors = |home: Option<&str>, arguments: &[&str]| {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.env_clear().envs(home.map(|it| ("HOME", it)));
        let output = aside.current_dir(directory.path()).arg("report").args(arguments).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    assert!(errors(None, &[]).contains("HOME is not set"));
    let absent = directory.path().join("absent");
    assert!(errors(absent.to_str(), &[]).contains("HOME is no directory"));
    let relative = "HOME is left out: home is not an absolute path";
    fs::create_dir(directory.path().join("home")).unwrap();
    assert!(errors(Some("home"), &[]).contains(relative));
    assert_eq!(errors(directory.path().to_str(), &[]), "");
    fs::write(directory.path().join("log.jsonl"), ONE).unwrap();
    assert_eq!(errors(None, &["log.jsonl"]), "", "a log that you name needs no home");
}

#[test]
fn a_home_of_damaged_sessions_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    fs::write(sessions.join("a.jsonl"), "{\"type\":\n").unwrap();
    let output = report(home.path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let named = report(home.path(), &[".claude"]);
    assert_eq!(named.status.code(), Some(1), "{named:?}");
}

#[test]
fn files_directories_patterns_and_compressed_files_are_read() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join("logs/deep");
    fs::create_dir_all(&logs).unwrap();
    for name in ["1", "2"] {
        let line = ONE.replace(r#""id":"1""#, &format!(r#""id":"{name}""#));
        fs::write(logs.join(format!("{name}.jsonl")), line).unwrap();
    }
    fs::write(logs.join("notes.txt"), "not a log").unwrap();
    // A raw body turns its own directory into one with raw bodies, but none
    // above.
    fs::create_dir(logs.join("raw")).unwrap();
    fs::write(logs.join("raw/x.request.json"), "{}").unwrap();
    let check = |arguments: &[&str], requests: u64| {
        let all = json_of(home.path(), &[arguments, &["--json"]].concat());
        assert_eq!(all["all"]["requests"], requests, "{arguments:?}");
    };
    check(&["logs"], 2);
    check(&["logs/deep/*.jsonl"], 2);
    check(&["logs/deep/1.jsonl"], 1);
    check(&["logs/deep/1.jsonl", "logs/deep/2.jsonl"], 2);
    // A response that is there twice is billed once.
    check(&["logs/deep/1.jsonl", "logs"], 2);
    check(&["logs", "--project", "/src"], 2);
    check(&["logs", "--project", "other"], 0);
    // A directory of the home is shown as `~/src/app`; its absolute path is found, too.
    let project = home.path().join("src/app").display().to_string();
    let line = ONE.replace("/src", &project).replace(r#""id":"1""#, r#""id":"3""#);
    fs::write(home.path().join("home.jsonl"), line).unwrap();
    check(&["home.jsonl", "--project", &project], 1);
    check(&["home.jsonl", "--project", "~/src"], 1);
    check(&["logs", "--agent", "codex"], 0);
    let printed = report(home.path(), &["logs", "--agent", "codex"]).stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert!(printed.ends_with("\n\nno request of this agent\n"), "{printed}");
    #[cfg(unix)]
    {
        let zipped = Command::new("gzip").arg(logs.join("1.jsonl")).status();
        assert!(zipped.unwrap().success());
        check(&["logs"], 2);
        check(&["logs/deep/1.jsonl.gz"], 1);
    }
    let missing = report(home.path(), &["missing.jsonl"]);
    assert_eq!(missing.status.code(), Some(2));
}

/// Sessions that were archived are next to the others, wherever these are.
#[test]
fn all_directories_of_codex_move_together() {
    let home = tempfile::tempdir().unwrap();
    let rollout = r#"{"timestamp":"2026-11-20T09:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":9000}}}}"#;
    for (number, place) in
        [".codex/sessions", "moved/sessions", "moved/archived_sessions"].iter().enumerate()
    {
        let place = home.path().join(place);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join(format!("rollout-{number}.jsonl")), rollout).unwrap();
    }
    for (variable, sources) in [
        ("CODEX_HOME", &["~/moved/sessions", "~/moved/archived_sessions", "~/.codex/sessions"][..]),
        ("OTHER_HOME", &["~/.codex/sessions"]),
    ] {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.env_clear().env("HOME", home.path()).env(variable, home.path().join("moved"));
        let output = aside.args(["report", "--json"]).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let read = report["sources"].as_array().unwrap().iter();
        let read: Vec<&str> = read.map(|it| it["path"].as_str().unwrap()).collect();
        assert_eq!(read, sources, "{variable}");
    }
}

/// The screen has room for eight.
#[test]
fn models_that_are_not_shown_are_counted() {
    let home = tempfile::tempdir().unwrap();
    for (models, rest) in
        [(8, None), (9, Some("  and another model: ")), (10, Some("  and 2 other models: "))]
    {
        let response = |it: usize| {
            let renamed = ONE.replace("claude-haiku-4-5", &format!("model-{it}"));
            renamed.replace(r#""id":"1""#, &format!(r#""id":"{it}""#))
        };
        let log: String = (0..models).map(response).collect();
        fs::write(home.path().join("log.jsonl"), log).unwrap();
        let text = String::from_utf8(report(home.path(), &["log.jsonl"]).stdout).unwrap();
        assert_eq!(text.lines().filter(|it| it.starts_with("  model-")).count(), 8, "{text}");
        let said = text.lines().find(|it| it.starts_with("  and "));
        assert_eq!(said, rest.map(|it| it.to_owned() + "--by model").as_deref(), "{text}");
    }
}

#[test]
fn no_text_of_a_conversation_is_printed() {
    let home = tempfile::tempdir().unwrap();
    let sessions = home.path().join(".claude/projects/p");
    fs::create_dir_all(&sessions).unwrap();
    let line = ONE.replace(r#""sessionId":"s""#, r#""sessionId":"\u001b[31ms""#);
    fs::write(sessions.join("a.jsonl"), line).unwrap();
    for form in [&[][..], &["--rows"], &["--json"], &["--by", "session"]] {
        let output = report(home.path(), form);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("SECRET") && !text.contains('\u{1b}'), "{text}");
        assert!(text.contains("haiku") || text.contains("31ms"), "{text}");
    }
}

/// Two requests in a session; a clock in the second one's system text is a
/// miss.
fn log_with_a_clock() -> String {
    let request = |at: u32, clock: &str, messages: Value| {
        let text = "Read before you write. ".repeat(1000);
        let system = format!("You are an agent. It is {clock}. {text}");
        let body = json!({
            "model": "claude-sonnet-5-5", "max_tokens": 10,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": messages,
        });
        json!({"t": at, "session": "s", "body": body}).to_string() + "\n"
    };
    let first = json!({"role": "user", "content": "hi"});
    let reply = json!({"role": "assistant", "content": "Hello"});
    let next = json!({"role": "user", "content": "go on"});
    request(0, "10:53", json!([first])) + &request(60, "10:56", json!([first, reply, next]))
}

#[test]
fn the_texts_of_a_difference_are_printed_on_request_only() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("log.jsonl"), log_with_a_clock()).unwrap();
    let print = |arguments: &[&str]| {
        let output = report(home.path(), &[&["log.jsonl"], arguments].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let screen = print(&[]);
    assert!(screen.contains("at system[0].text, byte 28\n"), "{screen}");
    assert!(!screen.contains("It is 10:5"), "{screen}");
    let texts = print(&["--text", "--html", "texts.html"]);
    assert!(texts.contains("It is 10:56"), "{texts}");
    print(&["--html", "page.html"]);
    let page = |name: &str| fs::read_to_string(home.path().join(name)).unwrap();
    assert!(page("texts.html").contains("It is 10:56"));
    let page = page("page.html");
    assert!(page.contains("at system[0].text, byte 28") && !page.contains("It is 10:5"));
}

/// As the proxy records a conversation that the provider keeps.
#[test]
fn a_stored_response_in_two_forms_is_continued() {
    let home = tempfile::tempdir().unwrap();
    let explained = |response: &Value| {
        let first = json!({"t": 0, "id": "resp_1", "response": response,
            "body": {"model": "gpt-5.5", "input": "value ".repeat(3_000)}});
        let next = json!({"t": 9, "body": {"model": "gpt-5.5", "previous_response_id": "resp_1", "input": "Go on"}});
        fs::write(home.path().join("log.jsonl"), format!("{first}\n{next}\n")).unwrap();
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.current_dir(home.path()).args(["cache", "explain", "log.jsonl"]);
        String::from_utf8(aside.output().unwrap().stdout).unwrap()
    };
    let mut response =
        json!({"content": [{"type": "text", "text": "Answer."}], "stop_reason": "end_turn"});
    assert!(explained(&response).contains("the provider keeps"));
    response["output"] = json!([{"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "Answer."}]}]);
    let printed = explained(&response);
    assert!(
        !printed.contains("the provider keeps") && printed.contains("2 requests\n"),
        "{printed}"
    );
}

/// A stream may end with an error after it was begun, and billed.
#[test]
fn a_response_that_broke_off_is_billed_and_failed() {
    let home = tempfile::tempdir().unwrap();
    let line = |t: u64, rest: &str| {
        let body = json!({"model": "claude-haiku-4-5", "max_tokens": 9,
            "messages": [{"role": "user", "content": format!("hi {t}")}]});
        format!("{{\"t\":{t},\"body\":{body},\"status\":{rest}}}\n")
    };
    let usage = "\"usage\":{\"input_tokens\":1000,\"output_tokens\":1}";
    let log = [
        line(0, &format!("200,{usage}")),
        line(9, &format!("200,\"error\":\"overloaded_error: Overloaded\",{usage}")),
        line(18, "529,\"error\":\"overloaded_error\""),
    ];
    fs::write(home.path().join("log.jsonl"), log.concat()).unwrap();
    let all = &json_of(home.path(), &["log.jsonl", "--json"])["all"];
    let figures = (&all["requests"], &all["failed"], &all["usage"]["uncached"]);
    assert_eq!(figures, (&json!(3), &json!(2), &json!(2000)), "{all:#}");
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.current_dir(home.path()).args(["cache", "explain", "log.jsonl"]);
    let printed = String::from_utf8(aside.output().unwrap().stdout).unwrap();
    for expected in [
        "      failed: overloaded_error: Overloaded\n",
        "2 requests (1 failed and left out)\n",
        "1 request failed after the response had begun: billed like the others\n",
    ] {
        assert!(printed.contains(expected), "{expected:?} is not in: {printed}");
    }
}

#[test]
fn a_log_with_several_names_is_billed_once() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    fs::create_dir(path("logs")).unwrap();
    fs::write(path("logs/log.jsonl"), log_with_a_clock()).unwrap();
    fs::hard_link(path("logs/log.jsonl"), path("hard.jsonl")).unwrap();
    let requests = |arguments: &[&str]| {
        json_of(home.path(), &[arguments, &["--json"]].concat())["all"]["requests"].clone()
    };
    let once = requests(&["logs/log.jsonl"]);
    assert_eq!(requests(&["logs/log.jsonl", "./logs/../logs/log.jsonl"]), once);
    assert_eq!(requests(&["logs", "logs/log.jsonl"]), once);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("logs/log.jsonl", path("link.jsonl")).unwrap();
        assert_eq!(requests(&["hard.jsonl", "link.jsonl", "logs"]), once);
    }
}

#[test]
fn no_output_replaces_an_input() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    fs::create_dir(path("logs")).unwrap();
    fs::write(path("logs/log.jsonl"), ONE).unwrap();
    fs::hard_link(path("logs/log.jsonl"), path("hard.html")).unwrap();
    let refused = |arguments: &[&str]| {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.env_clear().env("HOME", home.path()).current_dir(home.path());
        let output = aside.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(" is an input: --"), "{error}");
    };
    refused(&["report", "logs/log.jsonl", "--html", "./logs/../logs/log.jsonl"]);
    refused(&["report", "logs", "--html", "logs/log.jsonl"]);
    #[cfg(unix)]
    refused(&["report", "logs", "--html", "hard.html"]);
    #[cfg(feature = "junit")]
    refused(&["cache", "lint", "logs/*.jsonl", "--junit", "logs/log.jsonl"]);
    refused(&["context", "--file", "logs/log.jsonl", "--html", "logs/log.jsonl"]);
    // The log was meant as the input.
    refused(&["report", "--html", "logs/log.jsonl"]);
    // The home's own files, also those without a request, or those of another
    // agent, or through a link.
    let (sessions, database) = (path(".claude/projects/p"), path(".local/share/opencode"));
    fs::create_dir_all(&sessions).unwrap();
    fs::create_dir_all(&database).unwrap();
    fs::write(sessions.join("a.jsonl"), ONE).unwrap();
    fs::write(sessions.join("b.jsonl"), "{\"type\":\n").unwrap();
    fs::write(database.join("opencode.db"), "SQLite").unwrap();
    for file in ["a.jsonl", "b.jsonl"].map(|it| format!(".claude/projects/p/{it}")) {
        refused(&["report", "--html", &file]);
        refused(&["report", "logs", "--agent", "codex", "--html", &file]);
    }
    refused(&["report", "--html", ".local/share/opencode/opencode.db"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(sessions.join("b.jsonl"), path("link.html")).unwrap();
        refused(&["report", "--html", "link.html"]);
    }
    assert_eq!(fs::read_to_string(path("logs/log.jsonl")).unwrap(), ONE);
    assert_eq!(fs::read_to_string(sessions.join("a.jsonl")).unwrap(), ONE);
    // A page may be written again.
    for _ in 0..2 {
        let output = report(home.path(), &["--html", "page.html"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn the_page_of_a_log_needs_no_body() {
    let home = tempfile::tempdir().unwrap();
    let hostile = ONE.replace("\"sessionId\":\"s\"", "\"sessionId\":\"<script>alert(1)</script>\"");
    fs::write(home.path().join("log.jsonl"), hostile).unwrap();
    let output = report(home.path(), &["log.jsonl", "--html", "page.html"]);
    assert!(output.status.success(), "{output:?}");
    let page = fs::read_to_string(home.path().join("page.html")).unwrap();
    for text in [
        "<title>Log of 1 request</title>",
        "Log of 1 request: $0.01",
        "<svg",
        ">9,003</text>",
        "cold start",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("SECRET") && !page.contains("<script>"), "{page}");
}

/// Codex records no cache writes, which GPT-5.6 and later models bill.
#[test]
fn a_bill_without_the_figures_for_writes_is_open() {
    let home = tempfile::tempdir().unwrap();
    let rollout = |model: &str, write: u64| {
        format!(
            r#"{{"type":"session_meta","payload":{{"id":"r"}}}}
{{"type":"turn_context","payload":{{"model":"{model}"}}}}
{{"timestamp":"2026-11-20T09:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"last_token_usage":{{"input_tokens":9000,"cached_input_tokens":0,"cache_write_input_tokens":{write}}}}}}}}}
"#
        )
    };
    for (model, write, unknown, cost) in [
        ("gpt-5.6-sol", 0, 9_000, "bill $0.036+: "),
        ("gpt-5.6-sol", 9_000, 0, "bill $0.045: "),
        ("gpt-5.5", 0, 0, "bill $0.045: "),
    ] {
        fs::write(home.path().join("log.jsonl"), rollout(model, write)).unwrap();
        assert_eq!(json_of(home.path(), &["log.jsonl", "--json"])["all"]["unknown_write"], unknown);
        let output = report(home.path(), &["log.jsonl"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let is_said = text.contains("9,000 tokens may be cache writes");
        assert!(text.contains(cost) && is_said == (unknown > 0), "{model}: {text}");
    }
}

#[test]
fn an_advisor_is_billed_at_its_own_price() {
    let home = tempfile::tempdir().unwrap();
    let advised = ONE.replace(
        r#""usage":{"#,
        r#""usage":{"iterations":[{"type":"message","input_tokens":3,"cache_creation_input_tokens":9000},{"type":"advisor_message","model":"claude-opus-5-5","input_tokens":1000,"output_tokens":100}],"#,
    );
    fs::write(home.path().join("log.jsonl"), advised).unwrap();
    let found = json_of(home.path(), &["log.jsonl", "--json"]);
    // 9,000 × 1.25 + 3 of Haiku 4.5, 1,000 × 4 and 100 × 20 of Opus 5.5.
    assert_eq!(found["all"]["cost"], json!(0.011_253 + 0.006), "{found}");
    let rows = report(home.path(), &["log.jsonl", "--rows"]);
    let rows = String::from_utf8(rows.stdout).unwrap();
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(rows.contains(r#""subagent":"advisor""#), "{rows}");
}

#[test]
fn other_commands_read_logs_through_the_same_door() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join("logs/deep");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("log.jsonl"), log_with_a_clock()).unwrap();
    let run = |arguments: &[&str]| {
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        aside.env_clear().env("HOME", home.path());
        let output = aside.current_dir(home.path()).args(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    for log in ["logs/deep/log.jsonl", "logs", "logs/*/*.jsonl"] {
        let (code, stdout, stderr) = run(&["diff", log]);
        assert_eq!(code, Some(1), "{log}: {stderr}");
        assert!(stdout.contains("system[0].text at byte"), "{log}: {stdout}");
        assert!(stderr.contains("request 2 does not extend request 1"), "{stderr}");
        let (code, stdout, stderr) = run(&["check", log, "--json"]);
        assert_eq!(code, Some(0), "{log}: {stderr}");
        assert!(stdout.contains("\"bodies\": 2"), "{log}: {stdout}");
    }
    let (code, _, stderr) = run(&["diff", "logs", "--only", "1"]);
    assert_eq!(code, Some(2), "{stderr}");
    fs::write(home.path().join("session.jsonl"), ONE).unwrap();
    let (code, stdout, _) = run(&["check", "session.jsonl"]);
    assert_eq!(code, Some(0), "{stdout}");
    assert!(stdout.contains("no whole body"), "{stdout}");
    let (code, _, stderr) = run(&["check", "logs/*.nothing"]);
    assert_eq!(code, Some(2), "{stderr}");
    let (code, _, stderr) = run(&["serve", "--replay", "logs/*.nothing"]);
    assert_eq!(code, Some(2), "{stderr}");
}

/// A stream of Chat Completions has no usage unless the client asks for it.
#[test]
fn requests_without_usage_are_named() {
    let home = tempfile::tempdir().unwrap();
    let line = |t: u64, rest: &str| {
        let body = json!({"model": "gpt-4.1",
            "messages": [{"role": "user", "content": format!("hi {t}")}]});
        format!("{{\"t\":{t},\"body\":{body}{rest}}}\n")
    };
    let usage = r#","usage":{"prompt_tokens":9,"completion_tokens":1}"#;
    let print = |log: &str, arguments: &[&str]| {
        fs::write(home.path().join("log.jsonl"), log).unwrap();
        let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
        let output = aside.current_dir(home.path()).args(arguments).arg("log.jsonl").output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let some = line(0, usage) + &line(9, "");
    let all = line(0, usage) + &line(9, usage);
    let report = "1 request without usage: input predicted, output unknown\n";
    let explain = "only 1 of 2 requests have a recorded usage\n";
    assert!(print(&some, &["report"]).contains(report));
    assert!(print(&some, &["cache", "explain"]).contains(explain));
    assert!(!print(&all, &["report"]).contains("without usage"));
    assert!(!print(&all, &["cache", "explain"]).contains("only"));
}
