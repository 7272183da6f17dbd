//! Cache breakpoints of OpenAI's wires: both have the same on a content part.

use aside_models::Wire;
use aside_providers::{Destination, Options, convert_body};

const SHORT: &str = r#""prompt_cache_breakpoint":{"mode":"explicit"}"#;
const LONG: &str = r#""prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}"#;

/// Returns the same conversation on both wires, with a marker on the system prompt, on the user's
/// text and on a result.
fn bodies() -> [(Wire, String); 2] {
    let chat = format!(
        r#"{{"model":"m","max_tokens":99,"messages":[
            {{"role":"developer","content":[{{"type":"text","text":"Be brief.",{LONG}}}]}},
            {{"role":"user","content":[{{"type":"text","text":"Hi",{SHORT}}}]}},
            {{"role":"assistant","tool_calls":[{{"id":"a","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},
            {{"role":"tool","tool_call_id":"a","content":[{{"type":"text","text":"r",{SHORT}}}]}}]}}"#
    );
    let responses = format!(
        r#"{{"model":"m","max_output_tokens":99,"input":[
            {{"role":"developer","content":[{{"type":"input_text","text":"Be brief.",{LONG}}}]}},
            {{"role":"user","content":[{{"type":"input_text","text":"Hi",{SHORT}}}]}},
            {{"type":"function_call","call_id":"a","name":"f","arguments":"{{}}"}},
            {{"type":"function_call_output","call_id":"a","output":[{{"type":"input_text","text":"r",{SHORT}}}]}}]}}"#
    );
    [(Wire::ChatCompletions, chat), (Wire::Responses, responses)]
}

/// Converts each body, and checks how often its result has these texts, and the losses.
#[track_caller]
fn check(to: &str, model: &str, counts: &[(&str, usize)], lost: &[&str]) {
    let to: Destination = to.parse().unwrap();
    for (wire, body) in bodies() {
        let options = Options { server: to.server, ..Options::for_model(model) };
        let converted = convert_body(body.as_bytes(), Some(wire), to.provider, options).unwrap();
        let outgoing = converted.outgoing.unwrap();
        let sent = String::from_utf8(outgoing.body()).unwrap();
        for (text, count) in counts {
            assert_eq!(sent.matches(text).count(), *count, "{wire:?}: {text} in {sent}");
        }
        let losses = converted.losses.iter().chain(&outgoing.losses);
        let losses: Vec<_> = losses.map(ToString::to_string).collect();
        assert_eq!(losses, lost, "{wire:?}");
    }
}

#[test]
fn breakpoints_become_markers() {
    let counts = [
        (r#""cache_control":{"type":"ephemeral"}"#, 2),
        (r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#, 1),
    ];
    check("messages", "claude-sonnet-5-5", &counts, &["model: m is replaced by claude-sonnet-5-5"]);
}

#[test]
fn breakpoints_are_kept_on_responses() {
    let counts = [(SHORT, 2), (LONG, 1)];
    check("responses", "gpt-5.6-sol", &counts, &["model: m is replaced by gpt-5.6-sol"]);
}

/// The reason is that of the model.
#[test]
fn breakpoints_are_left_out_on_chat_completions() {
    for (model, lost) in [
        ("gpt-5.6-sol", "cache markers are left out: a compatible server may refuse breakpoints"),
        (
            "gpt-4.1",
            "cache markers are left out: on Chat Completions the cache finds prefixes by itself",
        ),
    ] {
        let lost = [format!("model: m is replaced by {model}"), format!("cache_control: {lost}")];
        check("chat-completions", model, &[("cache", 0)], &[&*lost[0], &*lost[1]]);
    }
}
