//! `aside convert` and `aside convert-stream` the way you would use them.

use std::fs;
use std::process::Command;

/// Runs the command on a file with this text. Returns the exit code, stdout,
/// and stderr with the file name as FILE.
fn run(text: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, text).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_aside")).args(arguments).arg(&file).output().unwrap();
    let reported =
        String::from_utf8(output.stderr).unwrap().replace(file.to_str().unwrap(), "FILE");
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), reported)
}

fn check(text: &str, arguments: &[&str], code: i32, stdout: &str, stderr: &str) {
    let expected = (Some(code), stdout.to_owned(), stderr.to_owned());
    assert_eq!(run(text, arguments), expected);
}

const BODY: &str = r#"{"model":"claude-sonnet-5-5","max_tokens":8,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"Hi"}]}"#;

#[test]
fn a_body_is_converted_to_every_wire() {
    let items = r#""store":false,"include":["reasoning.encrypted_content"],"safety_identifier":"u","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hi"}]}]}"#;
    let exchanged =
        |model| format!("aside: warning: model: claude-sonnet-5-5 is replaced by {model}\n");
    let raised = "aside: warning: max_tokens: raised to 16, the smallest that the wire takes\n";
    let no_user = "aside: warning: metadata.user_id: left out: the wire takes no id of a user\n";
    for (provider, body, reported) in [
        (
            "openai",
            format!(r#"{{"model":"gpt-6.1-terra","max_output_tokens":16,{items}"#),
            exchanged("gpt-6.1-terra") + raised,
        ),
        (
            "grok",
            format!(r#"{{"model":"grok-4.5","max_output_tokens":8,{items}"#),
            exchanged("grok-4.5"),
        ),
        (
            "gemini",
            r#"{"generationConfig":{"maxOutputTokens":8},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#.to_owned(),
            exchanged("gemini-4-argon") + no_user,
        ),
        (
            "bedrock",
            r#"{"anthropic_version":"bedrock-2023-05-31","max_tokens":8,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#.to_owned(),
            String::new(),
        ),
        (
            "vertex",
            r#"{"anthropic_version":"vertex-2023-10-16","max_tokens":8,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#.to_owned(),
            String::new(),
        ),
    ] {
        check(BODY, &["convert", "--to", provider], 0, &body, &reported);
    }
    let (code, body, _) =
        run(BODY, &["convert", "--to", "openai", "--model", "local", "--max-tokens-key"]);
    assert_eq!(code, Some(0));
    assert!(body.starts_with(r#"{"model":"local","max_tokens":8,"#), "{body}");
}

/// Every wire refuses this history, so it is repaired for each.
/// The Messages API alone needs a limit; a name that had to change is reported.
#[test]
fn only_what_the_wire_needs_is_added() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],
        "tools":[{"functionDeclarations":[{"name":"crm:get","description":"d"}]}]}"#;
    let to = |provider: &str, model: &str| {
        let arguments = ["convert", "--model", model, "--to", provider];
        let (code, stdout, stderr) = run(body, &arguments);
        assert_eq!(code, Some(0), "{stderr}");
        (stdout, stderr)
    };
    for (provider, model) in
        [("openai", "gpt-5.5"), ("gemini", "gemini-4-argon"), ("grok", "grok-4.5")]
    {
        let (stdout, stderr) = to(provider, model);
        let limits = ["max_output_tokens", "maxOutputTokens"];
        assert!(!limits.iter().any(|it| stdout.contains(it)), "{stdout}");
        let is_renamed = stderr.contains("functionDeclarations[0].name: \"crm:get\" is sent as");
        assert_eq!(is_renamed, provider != "gemini", "{stderr}");
    }
    let (code, _, stderr) = run(body, &["convert", "--to", "openai"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("has no model: name one with --model"), "{stderr}");
}

#[test]
fn a_history_is_repaired() {
    let body = BODY.replace(
        r#"{"role":"user","content":"Hi"}"#,
        r#"{"role":"user","content":"Hi"},
           {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"ls","input":{}}]},
           {"role":"user","content":[{"type":"text","text":"And?"},{"type":"tool_result","tool_use_id":"a","content":"b"},{"type":"tool_result","tool_use_id":"z"}]}"#,
    );
    let moved = "aside: warning: messages[2].content[1]: moved directly behind its call\n";
    let left_out = "aside: warning: messages[2].content[2]: left out: no call before it waits for this output\n";
    for to in ["first-party", "openai", "gemini"] {
        let (code, _, reported) = run(&body, &["convert", "--to", to]);
        assert_eq!(code, Some(0), "{reported}");
        assert!(reported.starts_with(&format!("{moved}{left_out}")), "{reported}");
    }
    let (_, own, _) = run(&body, &["convert", "--to", "first-party"]);
    let last = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"b"},{"type":"text","text":"And?"}]}]}"#;
    assert!(own.ends_with(last), "{own}");
}

/// Other wires' bodies are recognized by their shape, or read in the named
/// form.
#[test]
fn a_body_of_another_wire() {
    let own = r#"{"model":"m","max_tokens":8,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}"#;
    for (body, form) in [
        (
            r#"{"model":"m","max_completion_tokens":8,"messages":[{"role":"user","content":"Hi"}]}"#,
            "Chat Completions",
        ),
        (r#"{"model":"m","max_output_tokens":8,"input":"Hi"}"#, "Responses"),
        (
            r#"{"model":"m","generationConfig":{"maxOutputTokens":8},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#,
            "Gemini generateContent",
        ),
    ] {
        let note = format!("aside: note: read as {form}\n");
        check(body, &["convert", "--to", "first-party"], 0, own, &note);
        let note = format!("aside: note: FILE: read as {form} because of its keys\n");
        let (code, _, reported) = run(body, &["check"]);
        assert_eq!((code, reported), (Some(0), note));
    }
    let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"seed":7}"#;
    let arguments = ["convert", "--to", "first-party", "--from", "chat-completions"];
    let (code, _, reported) = run(body, &arguments);
    assert_eq!(code, Some(0));
    assert_eq!(
        reported,
        "aside: note: read as Chat Completions\n\
         aside: warning: max_tokens: set to 8192: the Messages API needs a limit\n\
         aside: warning: seed: left out: the Messages API has no such parameter\n"
    );
}

/// `--json` includes what was lost when reading a body, and keeps its session
/// id.
#[test]
fn a_body_of_another_wire_as_json() {
    let body = r#"{"model":"gpt-6.2-sol","max_output_tokens":99,"prompt_cache_key":"s","truncation":"auto","input":"Hi"}"#;
    let (code, json, told) = run(body, &["convert", "--json", "--to", "openai"]);
    assert_eq!((code, told), (Some(0), "aside: note: read as Responses\n".to_owned()));
    assert!(json.contains(r#""prompt_cache_key":"s""#), "{json}");
    assert!(json.contains("truncation: left out"), "{json}");
}

/// The Messages API refuses thinking without a signature.
#[test]
fn reasoning_without_a_signature_is_left_out() {
    let body = r#"{"model":"m","max_completion_tokens":8,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Well.","reasoning_content":"Hm."},{"role":"user","content":"Go."}]}"#;
    let own = r#"{"model":"m","max_tokens":8,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"Well."}]},{"role":"user","content":[{"type":"text","text":"Go."}]}]}"#;
    let told = "aside: note: read as Chat Completions\n\
                aside: warning: messages[1].reasoning_content: left out: this thinking has no signature\n";
    check(body, &["convert", "--to", "first-party"], 0, own, told);
}

#[test]
fn a_refusal_names_its_reason() {
    check(
        &BODY.replace(
            "\"Hi\"",
            r#"[{"type":"image","source":{"type":"file","file_id":"u\u001b[31m"}}]"#,
        ),
        &["convert", "--to", "gemini"],
        1,
        "",
        "aside: error: gemini would refuse the request: base64-only: messages[0].content[0].source: \"u\\u{1b}[31m\"\n",
    );
    check(
        "{}",
        &["convert", "--to", "gemini"],
        1,
        "",
        "aside: error: failed to read FILE: model: expected a string, found nothing\n",
    );
    for wrong in [["convert", "--to", "nobody"], ["convert-stream", "--from", "bedrock"]] {
        assert_eq!(run(BODY, &wrong).0, Some(2));
    }
    for model in ["", " ", "a\nb"] {
        let wrong = ["convert", "--to", "openai", "--model", model];
        let (code, stdout, reported) = run(BODY, &wrong);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{reported}");
        assert!(reported.contains("--model"), "{reported}");
    }
}

/// When the Messages API lacks something, it is never passed on without a
/// report.
#[test]
fn unknown_parts_and_doubled_keys() {
    let body = |content: &str| {
        format!(
            r#"{{"model":"claude-sonnet-5-5","max_tokens":8,"messages":[{{"role":"user","content":[{content}]}}]}}"#
        )
    };
    let to = ["convert", "--to", "first-party"];
    let text = r#"{"type":"text","text":"Hi"}"#;
    let image = |source: &str| format!(r#"{{"type":"image","source":{{"type":"{source}"}}}}"#);
    for (content, place) in [
        (r#"{"type":"hologram"}"#.to_owned(), "messages[0].content[0].type"),
        (image("ftp"), "messages[0].content[0].source.type"),
    ] {
        let (code, _, reported) = run(&body(&content), &to);
        assert_eq!(code, Some(1), "{reported}");
        assert!(reported.contains(&format!("unknown-kind: {place}")), "{reported}");
    }
    check(&body(text), &to, 0, &(body(text)), "");

    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"ls","input":INPUT}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}"#;
    let with_call = |input: &str| {
        body(text).replace("]}]}", &format!("]}},{}]}}", call.replace("INPUT", input)))
    };
    let doubled = with_call(r#"{"a":1,"b":{"c":2,"c":3},"a":4}"#);
    let place = "aside: warning: messages[1].content[0].input";
    let what = "written twice: the last one is kept";
    let reported = format!("{place}.a: {what}\n{place}.b.c: {what}\n");
    check(&doubled, &to, 0, &with_call(r#"{"b":{"c":3},"a":4}"#), &reported);

    let half = with_call(r#"{"a":"\ud800x","\udc00":["\ud83d\ude00"]}"#);
    let what = "a lone surrogate became U+FFFD";
    let reported = format!("{place}.a: {what}\n{place}.\u{fffd}: {what}\n");
    let repaired = with_call(r#"{"a":"\ufffdx","\ufffd":["\ud83d\ude00"]}"#);
    check(&half, &to, 0, &repaired, &reported);

    let arguments = r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"Hi"},{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"ls","arguments":"{\"a\":1,\"a\":2}"}}]},{"role":"tool","tool_call_id":"t","content":"x"}]}"#;
    let (code, body, reported) = run(arguments, &to);
    assert_eq!(code, Some(0), "{reported}");
    assert!(body.contains(r#""input":{"a":2}"#), "{body}");
    assert!(reported.contains("arguments: a: written twice"), "{reported}");

    let half = arguments.replace(r#"{\"a\":1,\"a\":2}"#, r#"{\"a\":\"\\ud800\"}"#);
    let schema = r#"{"model":"gpt-4.1","tools":[{"type":"function","function":{"name":"ls","description":"\ud800","parameters":{"type":"object","title":"\ud800"}}}],"#;
    let half = half.replace(r#"{"model":"gpt-4.1","#, schema);
    let (code, body, reported) = run(&half, &to);
    assert_eq!(code, Some(0), "{reported}");
    assert!(body.contains(r#""input":{"a":"\ufffd"}"#), "{body}");
    assert!(body.contains(r#""title":"\ufffd""#), "{body}");
    for place in ["arguments: a", "tools[0].function.parameters: title"] {
        assert!(reported.contains(&format!("{place}: {what}")), "{reported}");
    }
}

#[test]
fn a_body_of_a_cloud_gets_its_model() {
    let cloud = r#"{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["context-1m-2025-08-07"],"max_tokens":8,"messages":[{"role":"user","content":"Hi"}]}"#;
    let to = ["convert", "--to", "first-party", "--model", "claude-sonnet-5-5"];
    let (code, body, reported) = run(cloud, &to);
    assert_eq!(code, Some(0), "{reported}");
    assert!(
        body.starts_with(r#"{"model":"claude-sonnet-5-5","max_tokens":8,"messages""#),
        "{body}"
    );
    assert!(reported.contains("anthropic_version: replaced"), "{reported}");
    let (code, _, reported) = run(cloud, &to[..3]);
    assert_eq!(code, Some(1));
    assert!(reported.contains("model: expected a string, found nothing"), "{reported}");
}

#[test]
fn a_stream_is_printed_one_event_per_line() {
    let stream =
        "data: {\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let begun = r#"{"type":"message_start","message":{"id":"c","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}
{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}
"#;
    let whole = format!(
        "{begun}{}",
        r#"{"type":"content_block_stop","index":0}
{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}
{"type":"message_stop"}
"#
    );
    let arguments = ["convert-stream", "--from", "openai"];
    check(&format!("{stream}data: [DONE]\n"), &arguments, 0, &whole, "");
    check(
        stream,
        &arguments,
        1,
        begun,
        "aside: error: failed to read FILE: the response broke off\n",
    );
    check(
        "",
        &["convert-stream", "--from", "gemini"],
        1,
        "",
        "aside: error: failed to read FILE: the response broke off\n",
    );
}

#[test]
fn a_session_on_another_wire() {
    let directory = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_aside"))
        .args(["render", "--provider", "openai", "--date", "2026-01-31", "Hello"])
        .current_dir(directory.path())
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", directory.path())
        .output()
        .unwrap();
    let body = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    let beginning = r#"{"model":"gpt-6.1-terra","max_output_tokens":8192,"store":false,"#;
    assert!(body.starts_with(beginning), "{body}");
    let text =
        r#"{"type":"input_text","text":"Hello","prompt_cache_breakpoint":{"mode":"explicit"}}]}]}"#;
    assert!(body.ends_with(text), "{body}");
}

/// A wire stands for its vendor, and Chat Completions for a compatible server.
#[test]
fn a_wire_is_a_destination() {
    for (wire, arguments) in [
        ("messages", &["first-party"][..]),
        ("responses", &["openai"]),
        ("chat-completions", &["openai", "--compatible"]),
        ("generate-content", &["gemini"]),
    ] {
        let expected = run(BODY, &[&["convert", "--to"], arguments].concat());
        assert_eq!(expected.0, Some(0), "{wire}");
        assert_eq!(run(BODY, &["convert", "--to", wire]), expected);
    }
    // OpenAI is asked on Chat Completions for this model, unless the wire is named.
    let keys = [("openai", "\"messages\":["), ("responses", "\"input\":[")];
    for (to, key) in keys {
        let output = run(BODY, &["convert", "--to", to, "--model", "gpt-4.1"]);
        assert!(output.1.contains(key), "{to}: {}", output.1);
    }
}

#[test]
fn a_flag_of_compatible_servers_needs_one() {
    for flag in ["--compatible", "--max-tokens-key", "--reasoning-content"] {
        for to in ["first-party", "bedrock", "gemini", "responses"] {
            let (code, _, errors) = run(BODY, &["convert", "--to", to, flag]);
            assert_eq!(code, Some(2), "{to} {flag}");
            assert!(errors.contains(&format!("{flag} needs --to openai")), "{errors}");
        }
        for to in ["openai", "grok", "chat-completions"] {
            let (code, body, errors) = run(BODY, &["convert", "--to", to, flag]);
            assert_eq!(code, Some(0), "{to} {flag}: {errors}");
            assert!(body.contains("\"messages\":["), "{body}");
        }
    }
}
