//! Converts every wire's bodies to every other wire: what is sent is valid there, and nothing is
//! missing from the conversation.
//!
//! To add a case, write `conversions/NAME.json`: the `wire` of its `body`, texts that every target
//! `keeps`, and the models for which it is `refused`, because they lack a feature. `cargo xtask
//! conformance` compares the same conversions with the SDKs' types.

use std::fs;
use std::path::PathBuf;

use aside_messages::wire::Request;
use aside_models::Platform;
use aside_providers::{
    ModelChoice, Options, Outgoing, Provider, ServerKind, convert, fit, from_gemini, from_openai,
    from_responses, remove_foreign_thinking, repair_messages,
};
use aside_rules::{Context, RuleLevel, check};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    wire: String,
    #[serde(default)]
    refused: Vec<String>,
    keeps: Vec<String>,
    body: Box<RawValue>,
}

/// A provider, its model, and the server.
const TARGETS: [(Provider, &str, ServerKind); 7] = [
    (Provider::FirstParty, "claude-opus-5", ServerKind::Own),
    (Provider::OpenAi, "gpt-6.2-sol", ServerKind::Own),
    (Provider::OpenAi, "gpt-4.1", ServerKind::Own),
    (Provider::OpenAi, "local-model", ServerKind::Compatible),
    (Provider::Grok, "grok-4.5", ServerKind::Own),
    (Provider::Gemini, "gemini-4-argon", ServerKind::Own),
    (Provider::Gemini, "gemini-2.5-pro", ServerKind::Own),
];

fn read(case: &Case) -> Result<Request, String> {
    let json = case.body.get().as_bytes();
    let imported = match case.wire.as_str() {
        "chat-completions" => from_openai(json),
        "responses" => from_responses(json),
        "generate-content" => from_gemini(json),
        _ => {
            let mut request = Request::parse(json).map_err(|error| error.to_string())?.value;
            repair_messages(&mut request.messages);
            return Ok(request);
        }
    };
    imported.map(|it| it.request).map_err(|error| error.to_string())
}

/// Returns what the target refuses in its body, or lacks.
fn faults(case: &Case, outgoing: &Outgoing, platform: Platform) -> Vec<String> {
    let context = Context {
        model: Some(outgoing.model.clone()),
        platform: Some(platform),
        ..Context::default()
    };
    let body = outgoing.body();
    let checked = check(&body, outgoing.wire.wire(), &context);
    let is_fault = |level| matches!(level, RuleLevel::Refused | RuleLevel::Unknown);
    let found = checked.findings.iter().filter(|it| is_fault(it.level));
    let mut faults: Vec<_> = found.map(ToString::to_string).collect();
    let text = String::from_utf8(body).unwrap();
    for kept in case.keeps.iter().filter(|it| !text.contains(it.as_str())) {
        faults.push(format!("{kept:?} is missing"));
    }
    faults
}

#[test]
fn every_conversion_is_valid() {
    let directory: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "conversions"].iter().collect();
    let (mut wrong, mut conversions) = (Vec::new(), 0);
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let case: Case = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for (provider, model, server) in TARGETS {
            conversions += 1;
            let at = format!("{name} to {provider} {model}");
            let mut request = match read(&case) {
                Ok(request) => request,
                Err(error) => {
                    wrong.push(format!("{at}: {error}"));
                    continue;
                }
            };
            let platform = match server {
                ServerKind::Compatible => Platform::Compatible,
                _ => provider.spec().platform,
            };
            if platform.is_anthropic() {
                remove_foreign_thinking(&mut request.messages);
            }
            let options = Options {
                models: ModelChoice { outright: Some(model.to_owned()), ..ModelChoice::default() },
                server,
                ..Options::default()
            };
            if !(case.wire == "messages" && platform.is_anthropic()) {
                fit(&mut request, provider, &options);
            }
            let is_refused = case.refused.iter().any(|it| it == model);
            match convert(&request, provider, &options) {
                Err(error) if !is_refused => wrong.push(format!("{at}: {error}")),
                Ok(_) if is_refused => wrong.push(format!("{at}: not refused")),
                Ok(outgoing) => {
                    for fault in faults(&case, &outgoing, platform) {
                        wrong.push(format!("{at}: {fault}"));
                    }
                }
                Err(_) => {}
            }
        }
    }
    assert!(conversions >= 400, "{conversions}");
    assert!(wrong.is_empty(), "{} of {conversions}:\n{}", wrong.len(), wrong.join("\n"));
}
