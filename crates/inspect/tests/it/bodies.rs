//! Request bodies to test with.

use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Every golden scenario's request bodies, with their names.
pub(crate) fn goldens() -> Vec<(String, Vec<u8>)> {
    let mut bodies = Vec::new();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(fixtures()).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|it| it.is_dir()) {
        collect(folder, &mut bodies);
    }
    assert!(bodies.len() > 100, "{}", bodies.len());
    bodies
}

fn collect(folder: &Path, to: &mut Vec<(String, Vec<u8>)>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, to);
            continue;
        }
        if path.extension().is_some_and(|it| it == "json") {
            let name = path.strip_prefix(fixtures()).unwrap();
            to.push((name.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

/// Bodies from other agents and wires, each with a common source of errors.
pub(crate) fn foreign() -> Vec<(&'static str, String)> {
    vec![
        (
            "messages with strings",
            r#"{"model":"claude-sonnet-5-5","system":"Be brief.","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}],"max_tokens":10}"#.to_owned(),
        ),
        (
            "white space everywhere",
            " { \"model\" : \"claude-opus-5-5\" ,\n \"tools\" : [ { \"name\" : \"a\" , \"description\" : \"b\" , \"input_schema\" : { \"type\" : \"object\" } } ] , \"messages\" : [ { \"role\" : \"user\" , \"content\" : [ { \"type\" : \"text\" , \"text\" : \"x\" } ] } ] } \n".to_owned(),
        ),
        (
            "chat completions",
            r#"{"model":"gpt-5.6","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},{"role":"assistant","content":null,"reasoning_content":"I should look at the file first.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"src/main.rs\"}"}}]},{"role":"tool","tool_call_id":"call_1","content":"fn main() {}\n"}],"tools":[{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}},{"type":"function","function":{"name":"shell","description":"Runs a command.","parameters":{"type":"object"}}}],"stream":true}"#.to_owned(),
        ),
        (
            "responses",
            r#"{"model":"gpt-6-sol","instructions":"You are a coding agent.","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>read only</permissions>"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it"}]},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look first"}],"encrypted_content":"gAAAA"},{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"command\":[\"ls\"]}"},{"type":"function_call_output","call_id":"c1","output":"a\nb\n"}],"tools":[{"type":"function","name":"shell","description":"Runs a command","parameters":{"type":"object"}},{"type":"web_search"}],"store":false}"#.to_owned(),
        ),
        ("responses with a text", r#"{"model":"gpt-6-sol","input":"Hi"}"#.to_owned()),
        (
            "gemini",
            r#"{"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Hi"},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},{"role":"model","parts":[{"thought":true,"text":"hm"},{"functionCall":{"name":"read","args":{"path":"a"}},"thoughtSignature":"sig"}]},{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"text"}}}]}],"tools":[{"functionDeclarations":[{"name":"read","description":"Reads","parametersJsonSchema":{"type":"object"}},{"name":"write","description":"Writes","parametersJsonSchema":{"type":"object"}}]}],"generationConfig":{"temperature":1}}"#.to_owned(),
        ),
        (
            "codex",
            r##"{"model":"gpt-6-sol","instructions":"You are Codex.","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions instructions>\nread only\n</permissions instructions>"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nRun the tests before each commit.\n</INSTRUCTIONS>"},{"type":"input_text","text":"<environment_context>\n  <cwd>/p</cwd>\n  <shell>bash</shell>\n</environment_context>"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it"}]}],"tools":[{"type":"function","name":"shell","description":"Runs a command","parameters":{"type":"object"}}],"store":false}"##.to_owned(),
        ),
        (
            "gemini-cli",
            r#"{"systemInstruction":{"role":"user","parts":[{"text":"You are Gemini CLI.\n\n---\n\n<loaded_context>\n<global_context>\n--- Context from: /h/.gemini/GEMINI.md ---\nAnswer in English.\n--- End of Context from: /h/.gemini/GEMINI.md ---\n</global_context>\n</loaded_context>"}]},"contents":[{"role":"user","parts":[{"text":"<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Sunday.\n\n--- Context from: GEMINI.md ---\nUse tabs.\n--- End of Context from: GEMINI.md ---\n</session_context>"}]},{"role":"user","parts":[{"text":"Fix it"}]}],"tools":[{"functionDeclarations":[{"name":"read_file","description":"Reads","parametersJsonSchema":{"type":"object"}}]}]}"#.to_owned(),
        ),
        (
            "opencode",
            r#"{"model":"claude-opus-5-5","max_tokens":32000,"system":[{"type":"text","text":"You are opencode."},{"type":"text","text":"<env>\n  Working directory: /p\n</env>\nInstructions from: /p/AGENTS.md\nUse small functions.\nInstructions from: /h/AGENTS.md\nBe kind."}],"messages":[{"role":"user","content":[{"type":"text","text":"Fix it","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"read","description":"Reads","input_schema":{"type":"object"}}]}"#.to_owned(),
        ),
        (
            "reminders in texts, escaped and not",
            r#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>\nContext\n\nContents of /p/CLAUDE.md (project instructions, checked into the codebase):\n\nBe brief.\n\n# currentDate\nToday's date is 2026-11-21.\n</system-reminder>"},{"type":"text","text":"do it \u003csystem-reminder\u003enow\u003c/system-reminder\u003e please"}]}]}"#.to_owned(),
        ),
        (
            "a key twice, and broken values",
            r#"{"model":"x","model":"y","messages":[],"messages":[{"role":"user","content":"a"}],"tools":{"a":[1 2]},"system":[1,"a",null,{}]}"#.to_owned(),
        ),
        (
            "odd shapes",
            r#"{"model":"claude-opus-5-5","system":null,"messages":["a",1,{"role":"user"},{"content":[[],{},{"type":"tool_result","content":[{"type":"text","text":""},{"type":"image","source":{}}]},{"type":"tool_use","name":5,"input":"x"}]},{"role":"user","content":{"a":1}}],"tools":[null,{"name":"a","cache_control":{"type":"ephemeral"}}]}"#.to_owned(),
        ),
    ]
}
