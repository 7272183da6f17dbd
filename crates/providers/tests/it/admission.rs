//! What is checked before a request is sent, against the check of its bytes.

use std::sync::Arc;

use aside_messages::conversation::{Conversation, EntryDraft, Origin, Part};
use aside_messages::encode::{Body, BodyParts, Encoded};
use aside_messages::lower::{LowerOptions, Lowerer, Tail};
use aside_messages::wire::{RawJson, Request, Role, Tool};
use aside_models::Wire;
use aside_providers::{
    Converter, GlobalScope, Options, Provider, RefusedError, checked_rules, convert,
};
use aside_rules::{ApiVersion, Context, check};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use uuid::Uuid;

/// Where a request is sent.
#[derive(Clone, Copy, Debug)]
struct Target {
    provider: Provider,
    model: &'static str,
    version: ApiVersion,
    global_scope: GlobalScope,
}

const FIRST_PARTY: Target = Target {
    provider: Provider::FirstParty,
    model: "claude-opus-5-5",
    version: ApiVersion::V2023_06_01,
    global_scope: GlobalScope::Disabled,
};

const BEDROCK: Target = Target {
    provider: Provider::Bedrock,
    model: "anthropic.claude-opus-5-5",
    ..FIRST_PARTY
};

impl Target {
    fn options(self) -> Options {
        Options {
            api_version: self.version,
            global_scope: self.global_scope,
            ..Options::for_model(self.model)
        }
    }

    fn wire(self) -> Wire {
        self.provider.spec().wire(self.model).wire.wire()
    }

    /// Returns true if the finding is one that a send looks for. A tool choice by name is a rule of
    /// the providers, and `InvokeModel` has some keys in its address.
    fn counts(self, rule: &str, path: &str) -> bool {
        let is_listed = checked_rules(self.wire()).iter().any(|it| it.id == rule);
        let takes_scope = self.provider.capabilities(self.global_scope).global_scope;
        is_listed
            && path != "tool_choice.name"
            && !(rule == "platform-key" && matches!(path, "model" | "stream"))
            && !(rule == "global-scope" && takes_scope)
    }

    fn of_bytes(self, request: &Request) -> Vec<(String, String)> {
        let platform = self.provider.spec().platform;
        let context = Context {
            version: Some(self.version),
            model: Some(self.model.to_owned()),
            platform: platform.is_anthropic().then_some(platform),
            ..Context::default()
        };
        let body = serde_json::to_vec(request).unwrap();
        let checked = check(&body, Wire::Messages, &context);
        self.sorted(checked.refused().map(|it| (it.rule, &*it.path)))
    }

    fn of_values(self, request: &Request) -> Vec<(String, String)> {
        let refused = convert(request, self.provider, &self.options()).err();
        let findings = refused.iter().flat_map(RefusedError::findings);
        self.sorted(findings.map(|it| (it.rule, &*it.path)))
    }

    fn sorted<'f>(self, found: impl Iterator<Item = (&'f str, &'f str)>) -> Vec<(String, String)> {
        let counted = found.filter(|(rule, path)| self.counts(rule, path));
        let mut all: Vec<_> = counted
            .map(|(rule, path)| (rule.to_owned(), path.to_owned()))
            .collect();
        all.sort();
        all
    }
}

/// The law: on typed values the same is found as in the bytes. `sent` and `written` are one request.
fn same_findings(sent: &Request, written: &Request, target: Target) -> Result<(), String> {
    let (values, bytes) = (target.of_values(sent), target.of_bytes(written));
    if values == bytes {
        return Ok(());
    }
    Err(format!("{target:?}: {values:?}, in the bytes {bytes:?}"))
}

fn parse(json: &str) -> Request {
    Request::parse(json.as_bytes()).unwrap().value
}

/// Members `cache_control` with the comma before them.
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

/// Blocks of messages; `@` is the place of a marker.
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

/// Entries of `tools`.
const TOOLS: &[&str] = &[
    r#"{"name":"Read","description":"Reads.","input_schema":{"type":"object"}@}"#,
    r#"{"name":"Read","input_schema":{"type":"object"},"defer_loading":true@}"#,
    r#"{"name":"a name","input_schema":{}@}"#,
    r#"{"type":"custom","name":"no_schema"}"#,
    r#"{"name":"list","input_schema":[]}"#,
    r#"{"type":"web_search_20260318","name":"web_search"@}"#,
];

/// Blocks of the system prompt.
const SYSTEM: &[&str] = &[
    r#"{"type":"text","text":"Be brief."@}"#,
    r#"{"type":"text","text":""@}"#,
    r#"{"type":"text","text":" "}"#,
];

/// Parameters, of which each request has some.
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
    let role = select(vec![
        "user",
        "user",
        "assistant",
        "assistant",
        "system",
        "x",
    ]);
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

/// For each rule: where it is sent, and a request that breaks the rule.
fn broken() -> Vec<(&'static str, Target, String)> {
    let new = Target {
        version: ApiVersion::V2026_10_21,
        ..FIRST_PARTY
    };
    let keys = |keys: &str| {
        format!(
            r#"{{"model":"m","max_tokens":2000,{keys},"messages":[{{"role":"user","content":"Hi"}}]}}"#
        )
    };
    let messages =
        |messages: &str| format!(r#"{{"model":"m","max_tokens":2000,"messages":[{messages}]}}"#);
    let user = |blocks: &str| messages(&format!(r#"{{"role":"user","content":[{blocks}]}}"#));
    let call = r#"{"type":"tool_use","id":"a","name":"n","input":{}}"#;
    let result = r#"{"type":"tool_result","tool_use_id":"a"}"#;
    let calls = |calls: &str, results: &str| {
        messages(&format!(
            r#"{{"role":"assistant","content":[{calls}]}},{{"role":"user","content":[{results}]}}"#
        ))
    };
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let marked = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#;
    let hour = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","ttl":"1h"}}"#;
    let schema = r#""input_schema":{"type":"object"}"#;
    vec![
        ("no-message", FIRST_PARTY, messages("")),
        ("empty-content", FIRST_PARTY, user("")),
        (
            "blank-text",
            FIRST_PARTY,
            user(r#"{"type":"text","text":" "}"#),
        ),
        (
            "result-order",
            FIRST_PARTY,
            calls(call, &format!(r#"{{"type":"text","text":"b"}},{result}"#)),
        ),
        ("unanswered-call", FIRST_PARTY, calls(call, image)),
        ("orphaned-result", FIRST_PARTY, user(result)),
        (
            "doubled-result",
            FIRST_PARTY,
            calls(call, &format!("{result},{result}")),
        ),
        (
            "doubled-call",
            FIRST_PARTY,
            calls(&format!("{call},{call}"), result),
        ),
        (
            "error-content",
            FIRST_PARTY,
            calls(
                call,
                &format!(
                    r#"{{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{image}]}}"#
                ),
            ),
        ),
        (
            "prefill",
            FIRST_PARTY,
            messages(r#"{"role":"user","content":"a"},{"role":"assistant","content":"b"}"#),
        ),
        (
            "media-limit",
            FIRST_PARTY,
            user(&vec![image; 601].join(",")),
        ),
        (
            "tool-name",
            FIRST_PARTY,
            keys(&format!(r#""tools":[{{"name":"a b",{schema}}}]"#)),
        ),
        (
            "doubled-tool",
            FIRST_PARTY,
            keys(&format!(
                r#""tools":[{{"name":"a",{schema}}},{{"name":"a",{schema}}}]"#
            )),
        ),
        (
            "tool-schema",
            FIRST_PARTY,
            keys(r#""tools":[{"name":"a","input_schema":{"type":"array"}}]"#),
        ),
        (
            "tool-choice",
            FIRST_PARTY,
            keys(r#""tool_choice":{"type":"auto"}"#),
        ),
        (
            "marker-form",
            FIRST_PARTY,
            user(r#"{"type":"text","text":"a","cache_control":{"type":"x"}}"#),
        ),
        (
            "global-scope",
            FIRST_PARTY,
            user(
                r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral","scope":"global"}}"#,
            ),
        ),
        ("marker-limit", FIRST_PARTY, user(&[marked; 5].join(","))),
        ("marker-ttl", FIRST_PARTY, user(&format!("{marked},{hour}"))),
        (
            "marker-place",
            FIRST_PARTY,
            user(
                r#"{"type":"thinking","thinking":"t","signature":"s","cache_control":{"type":"ephemeral"}}"#,
            ),
        ),
        (
            "thinking-budget",
            FIRST_PARTY,
            keys(r#""thinking":{"type":"enabled","budget_tokens":2000}"#),
        ),
        ("sampling-range", FIRST_PARTY, keys(r#""top_p":1.1"#)),
        ("null-system", FIRST_PARTY, keys(r#""system":null"#)),
        ("sampling", new, keys(r#""temperature":1.0"#)),
        (
            "assistant-document",
            new,
            messages(
                r#"{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}]}"#,
            ),
        ),
        (
            "user-citations",
            new,
            user(r#"{"type":"text","text":"a","citations":[]}"#),
        ),
        ("platform-key", BEDROCK, keys(r#""container":"c""#)),
        (
            "inline-tools-platform",
            BEDROCK,
            user(&format!(
                r#"{{"type":"tool_addition","tool":{{"type":"tool_definition","definition":{{"name":"a",{schema}}}}}}}"#
            )),
        ),
    ]
}

/// Each rule is found, and the law sees a request of which it is not.
#[test]
fn every_rule_is_found_and_missed_if_it_is_not() {
    let valid = r#"{"model":"m","max_tokens":2000,"messages":[{"role":"user","content":"Hi"}]}"#;
    let valid = parse(valid);
    let cases = broken();
    for (rule, target, json) in &cases {
        let request = parse(json);
        same_findings(&request, &request, *target).unwrap();
        let found = target.of_values(&request);
        assert!(found.iter().any(|(id, _)| id == rule), "{rule}: {found:?}");
        same_findings(&valid, &request, *target).unwrap_err();
        same_findings(&request, &valid, *target).unwrap_err();
    }
    let rules: Vec<_> = checked_rules(Wire::Messages)
        .iter()
        .map(|it| it.id)
        .collect();
    let covered: Vec<_> = cases.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(covered, rules);
}

/// A session of lowered requests.
struct Session {
    conversation: Conversation,
    lowerer: Lowerer,
    converter: Converter,
    tools: Vec<Tool>,
}

impl Session {
    fn new(target: Target) -> Self {
        Self {
            conversation: Conversation::new(Uuid::nil()),
            lowerer: Lowerer::new(LowerOptions {
                media_limit: usize::MAX,
                ..LowerOptions::default()
            }),
            converter: Converter::of_lowered(target.provider, target.options()),
            tools: Vec::new(),
        }
    }

    fn push(&mut self, role: Role, parts: Vec<Part>) {
        let origin = match role {
            Role::Assistant => Origin::Model {
                provider: "p".into(),
                name: "m".into(),
            },
            _ => Origin::Human,
        };
        self.conversation
            .push(EntryDraft::message(role, origin, parts));
    }

    /// Sends the next request. Returns why it is refused.
    fn send(&mut self) -> String {
        let lowered = self.lowerer.lower(&self.conversation, Tail::default());
        let lowered = lowered.unwrap();
        let parameters = Request {
            model: "m".into(),
            max_tokens: 64,
            ..Request::default()
        };
        let body = Body::new(BodyParts {
            parameters: &Arc::new(parameters),
            tools: &Arc::new(Encoded::tools(self.tools.clone())),
            system: &Arc::new(Encoded::system(Vec::new(), Vec::new())),
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &[],
        });
        let outgoing = self.converter.outgoing(&body.unwrap());
        outgoing.err().map(|it| it.to_string()).unwrap_or_default()
    }
}

fn block(json: &str) -> Part {
    let mut content = parse(&format!(
        r#"{{"model":"m","max_tokens":1,"messages":[{{"role":"user","content":[{json}]}}]}}"#
    ));
    Part::from(content.messages.remove(0).content.remove(0))
}

#[test]
fn a_refused_message_stays_refused() {
    let mut session = Session::new(Target {
        version: ApiVersion::V2026_10_21,
        ..FIRST_PARTY
    });
    session.push(Role::User, vec![Part::text("a")]);
    assert_eq!(session.send(), "");
    let document =
        r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}"#;
    session.push(Role::Assistant, vec![block(document)]);
    for turn in 0..3 {
        session.push(Role::User, vec![Part::text("b")]);
        let refused = session.send();
        let expected = "assistant-document: messages[1].content[0]: a document";
        assert!(refused.starts_with(expected), "{turn}: {refused}");
        session.push(Role::Assistant, vec![Part::text("c")]);
    }
}

#[test]
fn images_of_closed_messages_count() {
    let mut session = Session::new(FIRST_PARTY);
    let image =
        r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}"#;
    let sent: Vec<_> = [200, 200, 200, 1]
        .into_iter()
        .map(|count| {
            session.push(Role::User, vec![block(image); count]);
            let refused = session.send();
            session.push(Role::Assistant, vec![Part::text("a")]);
            refused
        })
        .collect();
    assert_eq!(sent[..3], ["", "", ""]);
    let expected = "media-limit: messages: 601 images";
    assert!(sent[3].starts_with(expected), "{}", sent[3]);
}

#[test]
fn a_corrected_prefix_is_sent() {
    let mut session = Session::new(FIRST_PARTY);
    session.push(Role::User, vec![Part::text("a")]);
    let schema = RawJson::parse("{}").unwrap();
    session.tools = vec![Tool::new("Read", "", schema)];
    assert!(
        session
            .send()
            .starts_with("tool-schema: tools[0].input_schema")
    );
    assert!(
        session
            .send()
            .starts_with("tool-schema: tools[0].input_schema")
    );
    session.tools.clear();
    assert_eq!(session.send(), "");
}

/// The one marker on a thinking block is no marker, so the automatic one counts.
#[test]
fn a_marker_on_thinking_settles_nothing() {
    let marker = r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#;
    let request = parse(&format!(
        r#"{{"model":"m","max_tokens":9,{marker},"messages":[{{"role":"user","content":[
            {{"type":"text","text":"a","cache_control":{{"type":"ephemeral"}}}},
            {{"type":"thinking","thinking":"t","signature":"s",{marker}}}]}}]}}"#
    ));
    same_findings(&request, &request, FIRST_PARTY).unwrap();
    let found = FIRST_PARTY.of_values(&request);
    let late = ("marker-ttl".to_owned(), "cache_control".to_owned());
    assert!(found.contains(&late), "{found:?}");
}
