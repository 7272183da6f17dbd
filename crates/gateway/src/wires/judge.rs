//! Judging the other wires: a request's rules, then its reasoning, then its
//! cache.
//!
//! As in [`strict`](crate::strict), a refused request changes nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use aside_body::stored::input_items;
use aside_cache_model::{CacheModel, CacheRules, Timed};
use aside_json::{Tape, Value};
use aside_models::{ModelFacts, Sampling, Usage, Wire, estimate};
use aside_providers::in_namespace;
use aside_rules::ApiEndpoint;
use serde_json::value::RawValue;

use super::compared::{Compared, Sections, named};
use super::reasoning::{
    SeenReasoning, extended, place_of, verify_items, verify_pairs, verify_thoughts,
};
use super::refusal;
use super::reply::{CallInput, Reply, ReplyBlock, Shown};
use super::request::{self, Endpoint, ReadRequest, config, spelled};
use super::responses;
use super::store::{Store, StoredResponse};
use crate::object::{Object, Raw};
use crate::strict::body::inputs;
use crate::strict::seal::{Signer, ThinkingSeal};
use crate::strict::{ApiError, Billed, Draft, DraftBlock, Enforcement, model_digest};

/// The parameters that a Responses response repeats, with their defaults.
const ECHOED: [(&str, &str); 18] = [
    ("instructions", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("temperature", "1.0"),
    ("tool_choice", "\"auto\""),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("background", "false"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("reasoning", "{\"effort\":null,\"summary\":null}"),
    ("safety_identifier", "null"),
    ("text", "{\"format\":{\"type\":\"text\"}}"),
    ("top_logprobs", "0"),
    ("truncation", "\"disabled\""),
    ("user", "null"),
];

/// The wires' APIs, as one account sees them.
#[derive(Clone, Debug)]
pub(crate) struct WireJudge {
    enforcement: Enforcement,
    signer: Signer,
    /// The prompt caches, by their rules' names.
    caches: BTreeMap<&'static str, CacheModel>,
    /// The latest request with a response, unless the cache cannot read it.
    billed: Option<Billed>,
    pub(crate) store: Store,
    compared: Compared,
    /// The reasoning directly before an item of the latest responses, by the item's place.
    paired: BTreeMap<String, String>,
    /// The latest responses' ids, by their number in signatures.
    ids: BTreeMap<u64, String>,
    responses: u64,
    calls: u64,
    /// When the latest request was sent; none can be before it.
    at: Duration,
}

/// How many response ids to keep.
const MAX_IDS: usize = 1_000;

impl WireJudge {
    /// Starts with empty caches, and signs as an account.
    pub(crate) fn new(enforcement: Enforcement, account: &str) -> Self {
        Self {
            enforcement,
            signer: Signer::new(account),
            caches: BTreeMap::new(),
            billed: None,
            store: Store::default(),
            compared: Compared::default(),
            paired: BTreeMap::new(),
            ids: BTreeMap::new(),
            responses: 0,
            calls: 0,
            at: Duration::ZERO,
        }
    }

    /// Reads a request, with the stored items that it refers to.
    ///
    /// # Errors
    /// The API's refusal.
    pub(crate) fn read(&self, endpoint: &Endpoint, body: &[u8]) -> Result<ReadRequest, ApiError> {
        request::read(endpoint, body, &self.store, self.enforcement)
    }

    /// Returns the refusal of a request by its rules, if they refuse it.
    pub(crate) fn refusal(&self, request: &ReadRequest, endpoint: ApiEndpoint) -> Option<ApiError> {
        match endpoint {
            ApiEndpoint::CountTokens => refusal::check_count(request).err(),
            _ => refusal::check(request).err(),
        }
    }

    /// Counts a request's input tokens. The same rules apply.
    ///
    /// # Errors
    /// The API's refusal.
    pub(crate) fn count_tokens(&self, request: &ReadRequest) -> Result<u64, ApiError> {
        if self.enforcement == Enforcement::Strict {
            refusal::check_count(request)?;
        }
        let mut cache = CacheModel::new(CacheRules::of_wire(request.wire));
        let body = cache.parse(request.body().clone(), None);
        let sent = body.map(|it| cache.send(&it.with_model(&request.model), self.at));
        Ok(sent.map_or(0, |it| it.usage.input()))
    }

    /// Responds to a request at a time with a draft's content.
    ///
    /// # Errors
    /// The API's refusal.
    pub(crate) fn answer(
        &mut self,
        request: &ReadRequest,
        at: Duration,
        draft: &Draft,
    ) -> Result<Reply, ApiError> {
        if self.enforcement == Enforcement::Strict {
            refusal::check(request)?;
        }
        let tape = Tape::parse(request.body())
            .map_err(|_| ApiError::on_wire(request.wire, 400, "the body is not valid JSON"))?;
        let root = tape.root();
        let model = model_digest(request.facts, &request.model);
        let seen = self.seen(request, root)?;
        self.at = self.at.max(at);
        let number = self.responses;
        self.responses += 1;
        let mut reply = self.reply(request, root, draft, number);
        let options = root.get("prompt_cache_options").filter(|_| request.wire == Wire::Responses);
        if options.and_then(|it| it.get("prewarm")).is_some_and(Value::is_true) {
            // It only fills the cache.
            "end_turn".clone_into(&mut reply.stop);
        } else {
            reply.blocks = self.blocks(request, root, draft, &seen, model, number);
        }
        if reply.is_legacy {
            // Its message has one call at most.
            let mut calls = 0..1;
            let is_kept =
                |it: &ReplyBlock| !matches!(it, ReplyBlock::Call { .. }) || calls.next().is_some();
            reply.blocks.retain(is_kept);
        }
        let family = request.facts.estimated_tokenizer();
        let text = |block: &ReplyBlock| match block {
            ReplyBlock::Text { text, .. } | ReplyBlock::Reasoning { text, .. } => {
                estimate(text, family)
            }
            ReplyBlock::Search { action, .. } => estimate(action.get(), family),
            ReplyBlock::Call { name, input, .. } => {
                estimate(&format!("{name} {}", input.as_str()), family)
            }
        };
        let reasoning = reply.blocks.iter().filter(|it| it.is_reasoning()).map(text);
        reply.reasoning_tokens = reasoning.sum::<aside_models::TokenEstimate>().tokens();
        let output = reply.blocks.iter().map(text);
        let output = output.sum::<aside_models::TokenEstimate>().tokens();
        self.send(request, root, &seen, draft.latency, &mut reply);
        reply.usage.output = output.max(reply.reasoning_tokens) * reply.choices;
        reply.reasoning_tokens *= reply.choices;
        reply.removed = seen.removed;
        if request.wire == Wire::Responses {
            let sections = Sections::new(root);
            reply.diagnostics =
                self.compared.diagnose(root, &sections, &reply.usage, reply.miss.is_some());
            self.compared.push(&reply.id, sections);
            let neighbors = reply.blocks.iter().zip(reply.blocks.iter().skip(1));
            let paired = neighbors.filter(|(it, next)| it.is_reasoning() && !next.is_reasoning());
            self.paired.extend(
                paired.map(|(it, next)| (place_of(next.id()).to_owned(), it.id().to_owned())),
            );
            while self.paired.len() > MAX_IDS {
                self.paired.pop_first();
            }
            if root.get("store").is_none_or(|it| it.raw() != "false") {
                self.keep(root, &reply);
            }
        }
        self.ids.insert(number, reply.id.clone());
        if self.ids.len() > MAX_IDS {
            self.ids.pop_first();
        }
        Ok(reply)
    }

    /// Verifies a request's reasoning.
    fn seen(&self, request: &ReadRequest, root: Value<'_>) -> Result<SeenReasoning, ApiError> {
        let model = model_digest(request.facts, &request.model);
        let seen = match request.wire {
            Wire::Responses => verify_pairs(root, &self.paired)
                .and_then(|()| verify_items(root, request.facts, model, &self.signer)),
            Wire::GenerateContent => verify_thoughts(root, &self.signer)
                .map(|latest| SeenReasoning { latest, ..SeenReasoning::default() }),
            _ => Ok(SeenReasoning::default()),
        };
        match seen {
            Err(_) if self.enforcement != Enforcement::Strict => Ok(SeenReasoning::default()),
            seen => seen,
        }
    }

    fn reply(&self, request: &ReadRequest, root: Value<'_>, draft: &Draft, number: u64) -> Reply {
        let id = match request.wire {
            Wire::Responses => format!("resp_{number:048x}"),
            Wire::ChatCompletions => format!("chatcmpl-{number:028x}"),
            _ => format!("{number:022x}"),
        };
        let options = root.get("stream_options");
        let has_usage = options.and_then(|it| it.get("include_usage"));
        Reply {
            wire: request.wire,
            transfer: request.transfer,
            has_final_usage: has_usage.is_some_and(Value::is_true),
            id,
            model: request.model.clone(),
            created: self.at.as_secs(),
            blocks: Vec::new(),
            is_legacy: request.wire == Wire::ChatCompletions
                && root.items_of("functions").next().is_some(),
            choices: request.choices(root),
            stop: draft.stops_for().to_owned(),
            usage: Usage::default(),
            reasoning_tokens: 0,
            removed: Vec::new(),
            diagnostics: None,
            shown: shown(request, root),
            echo: match request.wire {
                Wire::Responses => echo(request, root),
                _ => Vec::new(),
            },
            miss: None,
        }
    }

    /// Returns the cache of a wire, and the latest request that it has billed.
    pub(crate) fn billed(&self, wire: Wire) -> Option<(&CacheModel, &Billed)> {
        let cache = self.caches.get(CacheRules::of_wire(wire).name)?;
        Some((cache, self.billed.as_ref()?))
    }

    /// Sends the request through its cache's model.
    fn send(
        &mut self,
        request: &ReadRequest,
        root: Value<'_>,
        seen: &SeenReasoning,
        latency: Duration,
        reply: &mut Reply,
    ) {
        let rules = CacheRules::of_wire(request.wire);
        let new = || CacheModel::new(rules.clone());
        let cache = self.caches.entry(rules.name).or_insert_with(new);
        self.billed = None;
        let Ok(body) = cache.parse(request.body().clone(), None) else {
            return;
        };
        let mut entry = Timed::new(body.with_model(&request.model), self.at);
        entry.latency = Some(latency);
        entry.id = Some(reply.id.clone());
        entry.follows = seen.latest.and_then(|it| self.ids.get(&it).cloned());
        let named = || named(root).filter(|_| entry.follows.is_none()).map(Cow::into_owned);
        entry.previous = request.previous.clone().or_else(named);
        entry.answer = Some(reply.parts());
        let verdict = cache.send_timed(&entry);
        reply.usage = verdict.usage;
        reply.miss = verdict.miss;
        let usage = verdict.usage;
        self.billed = Some(Billed { entry, usage });
    }

    /// Turns a draft into a response's blocks: signs reasoning, and adds ids.
    /// Scripted blocks that only the Messages API has are left out, but for
    /// what becomes a `web_search_call`.
    fn blocks(
        &mut self,
        request: &ReadRequest,
        root: Value<'_>,
        draft: &Draft,
        seen: &SeenReasoning,
        model: u64,
        number: u64,
    ) -> Vec<ReplyBlock> {
        let mut prefix = seen.prefix;
        let mut blocks: Vec<ReplyBlock> = Vec::new();
        let is_signed = request.facts.signed_calls == Some(true);
        for (position, block) in draft.blocks.iter().enumerate() {
            let position = u8::try_from(position).unwrap_or(u8::MAX);
            let seal = || {
                self.signer.sign_thinking(&ThinkingSeal {
                    message: None,
                    response: number,
                    position,
                    previous: None,
                    model,
                    prefix,
                })
            };
            let item = |kind: &str| format!("{kind}_{number:040x}{position:02x}");
            let block = match block {
                DraftBlock::Text(text) | DraftBlock::Cited(text, _) => {
                    ReplyBlock::Text { id: item("msg"), text: text.clone() }
                }
                DraftBlock::Thinking(_) | DraftBlock::RedactedThinking
                    if !is_reasoning(request, root) =>
                {
                    continue;
                }
                DraftBlock::Thinking(text) => {
                    ReplyBlock::Reasoning { id: item("rs"), text: text.clone(), seal: seal() }
                }
                DraftBlock::RedactedThinking => {
                    ReplyBlock::Reasoning { id: item("rs"), text: String::new(), seal: seal() }
                }
                DraftBlock::ToolUse { id, name, input } => {
                    // The first of parallel calls has the signature.
                    let is_first = !matches!(blocks.last(), Some(ReplyBlock::Call { .. }));
                    self.calls += 1;
                    let new = || format!("call_{:024x}", self.calls);
                    let (namespace, own, is_custom) = called(root, name);
                    let text = is_custom.then(|| custom_input(input));
                    ReplyBlock::Call {
                        id: item(if text.is_some() { "ctc" } else { "fc" }),
                        call_id: id.clone().unwrap_or_else(new),
                        name: own,
                        namespace,
                        input: text.map_or_else(|| CallInput::Json(input.clone()), CallInput::Text),
                        seal: (is_signed && is_first).then(seal),
                    }
                }
                DraftBlock::Raw(block) if request.wire == Wire::Responses => match action(block) {
                    Some(action) => ReplyBlock::Search { id: item("ws"), action },
                    None => continue,
                },
                DraftBlock::Raw(_) => continue,
            };
            if request.wire == Wire::Responses
                && let Ok(tape) = Tape::parse(responses::item(&block, Shown::ALL).get().as_bytes())
            {
                prefix = extended(prefix, tape.root());
            }
            blocks.push(block);
        }
        blocks
    }

    /// Stores a response with the conversation before it.
    fn keep(&mut self, root: Value<'_>, reply: &Reply) {
        let mut items = input_items(root);
        let output = reply.blocks.iter();
        items.extend(output.map(|it| responses::item(it, Shown::ALL).to_string()));
        let bytes = items.iter().map(String::len).sum::<usize>() + reply.to_json().len();
        self.store.push(StoredResponse { items, bytes, reply: reply.clone() });
    }
}

/// Returns the namespace of a called tool, its name there, and whether it is a custom tool. A later
/// item may add it (Responses).
fn called(root: Value<'_>, name: &str) -> (Option<String>, String, bool) {
    let added = inputs(root).into_iter().filter(|it| it.tag() == "additional_tools");
    let mut tools = std::iter::once(root).chain(added).flat_map(|it| it.items_of("tools"));
    let found = tools.find_map(|tool| {
        let is_namespace = tool.tag() == "namespace";
        let namespace = tool.text_of("name").filter(|_| is_namespace);
        let inner = tool.items_of("tools").filter(|_| is_namespace);
        let mut tools = inner.chain((!is_namespace).then_some(tool));
        tools.find_map(|it| {
            let own = it.get("custom").unwrap_or(it).text_of("name")?;
            let is_named = match &namespace {
                Some(namespace) => in_namespace(namespace, &own) == name,
                None => own == name,
            };
            let namespace = namespace.as_deref().map(str::to_owned);
            is_named.then(|| (namespace, own.into_owned(), it.tag() == "custom"))
        })
    });
    found.unwrap_or_else(|| (None, name.to_owned(), false))
}

/// Returns the text for a custom tool. In the Messages API's form of the request, its input has
/// the text under the key `input`.
fn custom_input(input: &RawValue) -> String {
    let tape = Tape::parse(input.get().as_bytes()).ok();
    let root = tape.as_ref().map(Tape::root);
    let text = root.and_then(|it| it.text().or_else(|| it.text_of("input")));
    text.map_or_else(|| input.get().to_owned(), Cow::into_owned)
}

/// Returns what a server tool of the Messages API does, in the words of Responses; `None` for
/// another block.
///
/// ```text
/// {"type":"server_tool_use","name":"web_search","input":{"query":"a"}}  {"type":"search","query":"a","queries":["a"]}
/// {"type":"server_tool_use","name":"web_fetch","input":{"url":"b"}}     {"type":"open_page","url":"b"}
/// ```
fn action(block: &RawValue) -> Option<Raw> {
    let tape = Tape::parse(block.get().as_bytes()).ok()?;
    let call = Some(tape.root()).filter(|it| it.tag() == "server_tool_use")?;
    let input = |key| call.get("input").and_then(|it| it.text_of(key)).unwrap_or_default();
    let action = match &*call.text_of("name")? {
        "web_search" => {
            let (object, query) = (Object::default().with("type", "search"), input("query"));
            object.with("query", &query).with("queries", [&query])
        }
        "web_fetch" => Object::default().with("type", "open_page").with("url", input("url")),
        _ => return None,
    };
    Some(action.end())
}

/// Returns true if the model reasons in response to a request.
fn is_reasoning(request: &ReadRequest, root: Value<'_>) -> bool {
    let facts: &ModelFacts = request.facts;
    let effort = match request.wire {
        Wire::Responses => root.get("reasoning").and_then(|it| it.text_of("effort")),
        _ => root.text_of("reasoning_effort"),
    };
    facts.sampling != Some(Sampling::Accepted) && effort.as_deref() != Some("none")
}

/// Returns how a request asks for the reasoning.
fn shown(request: &ReadRequest, root: Value<'_>) -> Shown {
    match request.wire {
        Wire::Responses => {
            let summary = root.get("reasoning").and_then(|it| it.given("summary"));
            let mut names = root.items_of("include").filter_map(Value::text);
            // The newest models send the content without a request for it.
            let has_seal = names.any(|it| it == "reasoning.encrypted_content")
                || request.facts.generation >= (6, 0);
            Shown { has_text: summary.is_some(), has_seal }
        }
        _ => {
            let thinking =
                config(root).and_then(|it| spelled(it, ["thinkingConfig", "thinking_config"]));
            let included =
                thinking.and_then(|it| spelled(it, ["includeThoughts", "include_thoughts"]));
            Shown { has_text: included.is_some_and(Value::is_true), has_seal: false }
        }
    }
}

/// Returns the parameters that the response repeats.
fn echo(request: &ReadRequest, root: Value<'_>) -> Vec<(&'static str, Box<RawValue>)> {
    let echoed = ECHOED.into_iter().filter_map(|(key, default)| {
        let value = match (key, &request.previous) {
            ("previous_response_id", Some(id)) => serde_json::Value::from(&**id).to_string(),
            _ => root.given(key).map_or(default, Value::raw).to_owned(),
        };
        Some((key, RawValue::from_string(value).ok()?))
    });
    echoed.collect()
}
