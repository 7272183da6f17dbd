//! The law for generated requests, which break most rules now and then.

use aside_messages::wire::Request;
use aside_providers::{GlobalScope, Provider};
use aside_rules::ApiVersion;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::{Target, parse, same_findings};

/// `cache_control` members, with the comma before them.
const MARKERS: &[&str] = &[
    "",
    "",
    "",
    "",
    r#","cache_control":{"type":"ephemeral"}"#,
    r#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
    r#","cache_control":{"type":"ephemeral","ttl":"2h"}"#,
    r#","cache_control":{"type":"ephemeral","scope":"global"}"#,
    r#","cache_control":{"type":"persistent","ttl":"1h"}"#,
];

/// Message blocks; `@` is where a marker can go.
const BLOCKS: &[&str] = &[
    r#"{"type":"text","text":"Hi"@}"#,
    r#"{"type":"text","text":""@}"#,
    r#"{"type":"text","text":" \n"}"#,
    r#"{"type":"text","text":"the key \"cache_control\""@}"#,
    r#"{"type":"text","text":"a","citations":[]@}"#,
    r#"{"type":"thinking","thinking":"t","signature":"s"@}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}@}"#,
    r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}@}"#,
    r#"{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"@}]}}"#,
    r#"{"type":"search_result","source":"x","title":"y","content":[{"type":"text","text":"a"}]@}"#,
    r#"{"type":"tool_use","id":"a","name":"Read","input":{"cache_control":1}@}"#,
    r#"{"type":"tool_use","id":"b","name":"Read","input":{}@}"#,
    r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#,
    r#"{"type":"mcp_tool_use","id":"b","name":"n","server_name":"s","input":{}@}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}"#,
    r#"{"type":"tool_result","tool_use_id":"a","content":"out"@}"#,
    r#"{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"out"@}]}"#,
    r#"{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":""@}],"is_error":true}"#,
    r#"{"type":"tool_result","tool_use_id":"srvtoolu_1"@}"#,
    r#"{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}@}]}"#,
    r#"{"type":"tool_addition","tool":{"type":"tool_reference","name":"Read"}@}"#,
    r#"{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"Late","input_schema":{"type":"object"},"defer_loading":true@}}}"#,
];

const TOOLS: &[&str] = &[
    r#"{"name":"Read","description":"Reads.","input_schema":{"type":"object"}@}"#,
    r#"{"name":"Read","input_schema":{"type":"object"},"defer_loading":true@}"#,
    r#"{"name":"a name","input_schema":{}@}"#,
    r#"{"type":"custom","name":"no_schema"}"#,
    r#"{"name":"list","input_schema":[]}"#,
    r#"{"type":"web_search_20260318","name":"web_search"@}"#,
];

const SYSTEM: &[&str] = &[
    r#"{"type":"text","text":"Be brief."@}"#,
    r#"{"type":"text","text":""@}"#,
    r#"{"type":"text","text":" "}"#,
];

/// Each request has some of these.
const PARAMETERS: &[&str] = &[
    r#""temperature":1.5"#,
    r#""top_p":0.5"#,
    r#""top_k":3"#,
    r#""thinking":{"type":"enabled","budget_tokens":100}"#,
    r#""thinking":{"type":"enabled","budget_tokens":5000}"#,
    r#""tool_choice":{"type":"any"}"#,
    r#""tool_choice":{"type":"tool","name":"Read","cache_control":null}"#,
    r#""cache_control":{"type":"ephemeral"}"#,
    r#""cache_control":{"type":"ephemeral","ttl":"1h","scope":"global"}"#,
    r#""cache_control":{"type":"other"}"#,
    r#""metadata":{"user_id":"u","cache_control":{}}"#,
    r#""speed":"fast""#,
    r#""container":"c""#,
    r#""diagnostics":{"previous_message_id":null}"#,
    r#""compaction":{"type":"enabled"}"#,
    r#""stream":true"#,
    r#""system":null"#,
];

fn items(of: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let item = (select(of), select(MARKERS)).prop_map(|(item, marker)| item.replace('@', marker));
    vec(item, 0..most).prop_map(|items| format!("[{}]", items.join(",")))
}

fn messages() -> impl Strategy<Value = String> {
    let role = select(vec!["user", "user", "assistant", "assistant", "system", "x"]);
    let message = (role, items(BLOCKS, 4))
        .prop_map(|(role, content)| format!(r#"{{"role":"{role}","content":{content}}}"#));
    vec(message, 0..6).prop_map(|messages| format!("[{}]", messages.join(",")))
}

fn request() -> impl Strategy<Value = Request> {
    let parameters = subsequence(PARAMETERS, 0..4).prop_map(|mut parameters| {
        parameters.dedup_by_key(|it| it.split(':').next());
        parameters
    });
    let lists = (items(TOOLS, 3), items(SYSTEM, 3), messages());
    (parameters, lists).prop_map(|(parameters, (tools, system, messages))| {
        let mut members = vec![r#""model":"m","max_tokens":2000"#.to_owned()];
        let is_null = parameters.contains(&r#""system":null"#);
        members.extend(parameters.into_iter().map(str::to_owned));
        members.push(format!(r#""tools":{tools}"#));
        if !is_null {
            members.push(format!(r#""system":{system}"#));
        }
        members.push(format!(r#""messages":{messages}"#));
        parse(&format!("{{{}}}", members.join(",")))
    })
}

fn target() -> impl Strategy<Value = Target> {
    let provider = select(vec![
        (Provider::FirstParty, "claude-opus-5-5"),
        (Provider::FirstParty, "claude-of-tomorrow"),
        (Provider::Bedrock, "anthropic.claude-opus-5-5"),
        (Provider::Vertex, "claude-sonnet-4-5@20250929"),
        (Provider::Foundry, "claude-opus-5-5"),
        (Provider::OpenAi, "gpt-5.5"),
        (Provider::Gemini, "gemini-3.1-pro-preview"),
    ]);
    let version = select(vec![ApiVersion::V2023_06_01, ApiVersion::V2026_10_21]);
    let global_scope = select(vec![GlobalScope::Disabled, GlobalScope::Enabled]);
    let each = (provider, version, global_scope);
    each.prop_map(|((provider, model), version, global_scope)| Target {
        provider,
        model,
        version,
        global_scope,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    #[test]
    fn values_have_the_findings_of_their_bytes(request in request(), target in target()) {
        same_findings(&request, &request, target).map_err(TestCaseError::fail)?;
    }
}
