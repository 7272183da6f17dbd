//! `aside models`, and what `aside render` and `aside run` say about a model.

use std::process::{Command, Output};

use serde_json::Value;

fn aside(arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.env("HOME", home.path()).env_remove("ANTHROPIC_API_KEY");
    aside.current_dir(home.path()).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn the_catalogue_is_a_table() {
    let output = aside(&["models"]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    // Each id begins a line: the one with its figures, or the one above.
    for model in aside_models::all() {
        let is_id = |line: &&str| line.split(' ').next() == Some(model.id);
        assert!(lines.iter().any(is_id), "{}", model.id);
    }
    let haiku = lines.iter().find(|it| it.starts_with("claude-haiku-5-5 "));
    let cells: Vec<&str> = haiku.unwrap().split_whitespace().collect();
    let expected = "claude-haiku-5-5 1000000 128000 0.1; 0.5 0.5; 2.5 512 ≥2027-10-07";
    assert_eq!(cells.join(" "), expected);
    let last = lines.last().unwrap();
    assert!(last.starts_with("prices of 2026-11-"), "{last}");
}

#[test]
fn one_model_with_its_sources() {
    let output = aside(&["models", "us.anthropic.claude-opus-5-5"]);
    let text = stdout(&output);
    assert!(text.starts_with("claude-opus-5-5\n"), "{text}");
    for line in [
        "  as_of: 2026-11-21\n",
        "  default_effort: medium\n",
        "  prices[0].read: 0.2\n",
        "  thinking.disabled: refused\n",
        "  system_messages.accepted: first-party, aws-platform, bedrock-messages, google-cloud\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    assert!(text.contains("  source: https://"), "{text}");
}

#[test]
fn the_form_for_machines() {
    let output = aside(&["models", "--json", "gpt-6-luna", "claude-x"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "aside: error: no such model in the catalogue: \"claude-x\"\n");
    let near = aside(&["models", "claude-opos-5-5"]);
    let said_near = String::from_utf8_lossy(&near.stderr);
    assert!(
        said_near.contains("\"claude-opos-5-5\" (did you mean claude-opus-5-5?)"),
        "{said_near}"
    );
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["as_of"], "2026-11-21");
    assert_eq!(json["models"].as_array().unwrap().len(), 1);
    assert_eq!(json["models"][0]["vendor"], "openai");
    assert_eq!(json["models"][0]["context_window"], 1_050_000);
}

/// Warnings about the model, in a session on this day.
fn warnings(command: &str, model: &str, date: &str) -> Vec<String> {
    let output = aside(&[command, "Hi", "--model", model, "--date", date]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let about = stderr.lines().filter(|line| line.contains(model));
    about.map(str::to_owned).collect()
}

#[test]
fn a_retirement_is_reported_once_by_the_date_of_the_session() {
    for command in ["render", "run"] {
        let check = |model, date, expected: &[&str]| {
            assert_eq!(warnings(command, model, date), expected);
        };
        let soon = "aside: warning: claude-sonnet-4-5 retires on 2026-11-30; its vendor recommends claude-sonnet-5-5";
        check("claude-sonnet-4-5", "2026-11-01", &[soon]);
        check("claude-sonnet-4-5", "2026-10-30", &[]);
        check(
            "claude-sonnet-4-5",
            "2027-01-01",
            &["aside: warning: claude-sonnet-4-5 was retired on 2026-11-30"],
        );
        check("claude-sonnet-5-5", "2026-11-21", &[]);
        let unknown = "aside: warning: claude-opus-7 is not in the catalogue of models (as of \
                       2026-11-21): its limits, prices and cache minimum are unknown";
        check("claude-opus-7", "2026-11-21", &[unknown]);
    }
}

/// Runs `aside` in a directory with a file of figures, `f`.
fn with_figures(text: &str, arguments: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("f"), text).unwrap();
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.env("HOME", home.path()).current_dir(home.path());
    let arguments = arguments.iter().map(|it| it.replace("ROOT", home.path().to_str().unwrap()));
    aside.args(arguments).output().unwrap()
}

const FIGURES: &str = "source contract 2026-11 2026-11-20
claude-opus-5-5 anthropic input=3.2 output=16 read=0.16 write=4 write_1h=6.4
our-model other context_window=128000 input=1 output=2
";

#[test]
fn figures_of_a_file_are_laid_over_the_catalogue() {
    let arguments = ["models", "--models", "f", "claude-opus-5-5", "our-model"];
    let output = with_figures(FIGURES, &arguments);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for line in [
        "  prices[0].input: 3.2\n",
        "  prices_as_of: 2026-11-20\n",
        "  figures_source: contract 2026-11 (2026-11-20)\n",
        "  cache_minimum: 512\n",
        "\nour-model\n",
        "  context_window: 128000\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}

#[test]
fn litellm_s_map_is_taken_as_it_is() {
    let map = r#"{"xai/grok-4.7": {"litellm_provider": "xai", "input_cost_per_token": 9e-06,
                  "output_cost_per_token": 1e-05}}"#;
    let output = with_figures(map, &["--models", "f", "models", "grok-4.7", "--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let grok = &json["models"][0];
    assert_eq!(grok["prices"][0]["input"], 9.0);
    let [written, built_in] = [&grok["prices_as_of"], &json["as_of"]].map(|it| it.as_str());
    assert!(written > built_in, "the day on which the file was written");
}

#[test]
fn a_fault_in_figures_has_its_path_and_line() {
    let check = |text: &str, expected: &str| {
        let output = with_figures(text, &["models", "--models", "f"]);
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr, format!("aside: error: failed to read f: {expected}\n"));
    };
    check(
        &FIGURES.replace("input=1 ", "input=one "),
        "line 3: expected dollars per million tokens, found \"input=one\"",
    );
    check(
        "{\"gpt-7\": {\"max_input_tokens\": \"many\"}}",
        "invalid type: string \"many\", expected f64 at line 1 column 37",
    );
    check("{} {}", "trailing characters at line 1 column 4");
}

/// Commands with a session use the setting; the flag takes precedence.
#[test]
fn the_setting_models_is_a_file_of_figures() {
    let window = |settings: &str, more: &[&str]| {
        let arguments = ["context", "Hi", "--model", "our-model", "--settings", settings, "--json"];
        let output = with_figures(FIGURES, &[&arguments, more].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        (json["window"].clone(), stderr)
    };
    let (found, stderr) = window(r#"{"models":"ROOT/f"}"#, &[]);
    assert_eq!(found, 128_000, "{stderr}");
    let (found, stderr) = window(r#"{"models":"ROOT/g"}"#, &[]);
    assert_eq!(found, Value::Null);
    let fault = "warning: command line: models is left out: failed to read ";
    assert!(stderr.contains(fault), "{stderr}");
    let (found, stderr) = window(r#"{"models":"ROOT/g"}"#, &["--models", "f"]);
    assert_eq!(found, 128_000, "{stderr}");
}
