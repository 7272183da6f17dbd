//! The judge: a request's rules, then its thinking, then its cache.
//!
//! ```text
//! size → JSON → form and rules → compaction block → thinking blocks → cache → response
//! ```
//!
//! The first rule that a request breaks refuses it, and a refused request
//! changes nothing: not the cache, not the history, not the response numbers.

use std::borrow::Cow;
use std::time::Duration;

use aside_cache_model::{CacheModel, Timed, UnreadThinking};
use aside_json::{Tape, Value};
use aside_models::{
    AS_OF, ModelFacts, ModelStatus, Platform, ThinkingDefault, Vendor, find, find_on,
};
use aside_rules::ApiEndpoint;

use super::body::{RequestBody, content_blocks};
use super::cached::{self, Billed};
use super::compaction;
use super::digest::Sum;
use super::draft::{Draft, DraftBlock};
use super::error::{ApiError, NOT_OBJECT};
use super::history::{History, Sections, named};
use super::prefix::{OtherBlocks, Prefix};
use super::refusal;
use super::request::StrictRequest;
use super::response::{
    ContextManagement, Response, ResponseBlock, ResponseUsage, ServerToolUsage, TokenCount,
};
use super::seal::{MessageSeal, Signer, ThinkingSeal};
use super::thinking::{CONTROLS, SeenThinking, Verifier};
use super::threads::Threads;

/// The largest body that the API takes.
const MAX_BODY_BYTES: usize = 32 << 20;

/// A response, or the refusal of the API.
pub type JudgeResult = Result<Response, ApiError>;

/// How to judge.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StrictOptions {
    /// The platform, which decides the rules.
    pub platform: Platform,
    /// The account: it signs, and reads only its own signatures.
    pub account: String,
    /// Whether to refuse requests.
    pub enforcement: Enforcement,
}

/// Whether to refuse requests that the API refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enforcement {
    /// Refuse what the API refuses.
    #[default]
    Strict,
    /// Respond to every JSON object.
    ///
    /// A body that is too long or not a JSON object is still refused.
    Off,
}

impl Default for StrictOptions {
    fn default() -> Self {
        Self {
            platform: Platform::FirstParty,
            account: "aside".to_owned(),
            enforcement: Enforcement::Strict,
        }
    }
}

/// A Messages API that refuses what the API refuses.
///
/// It signs its thinking with a digest of the request's prefix, and refuses it
/// behind another prefix, or drops it if the request asks for that. It keeps a
/// prompt cache, and reports real usage; token counts are estimates. One
/// judge's requests share an account, and so their cache.
#[derive(Clone, Debug)]
pub struct Strict {
    /// The platform, the account and the enforcement.
    options: StrictOptions,
    /// Signs thinking and summaries with the account's key.
    signer: Signer,
    /// The account's prompt cache.
    cache: CacheModel,
    /// The latest request with a response, unless the cache cannot read it.
    billed: Option<Billed>,
    /// The latest requests, for diagnostics and first differences.
    history: History,
    /// The conversations that requests continue.
    threads: Threads,
    /// How many responses there were so far.
    responses: u64,
    /// How many tool calls there were so far, for their ids.
    calls: u64,
    /// When the latest request was sent; none can be before it.
    at: Duration,
}

/// A request that passed every rule.
struct Judged<'a> {
    body: RequestBody<'a>,
    /// The model's facts on this platform.
    facts: &'static ModelFacts,
    /// The digests that the response's thinking is bound to.
    prefix: Prefix,
    /// The thinking blocks that remain, and those that were dropped.
    seen: SeenThinking,
    /// The summary, if the request asks for compaction; it replaces the
    /// content.
    summary: Option<ResponseBlock>,
}

impl Strict {
    /// Creates a judge with an empty cache.
    #[must_use]
    pub fn new(options: StrictOptions) -> Self {
        Self {
            signer: Signer::new(&options.account),
            cache: CacheModel::new(cached::rules(options.platform)),
            billed: None,
            options,
            history: History::default(),
            threads: Threads::default(),
            responses: 0,
            calls: 0,
            at: Duration::ZERO,
        }
    }

    /// Returns the cache, and the latest request that it has billed.
    #[cfg(feature = "servers")]
    pub(crate) fn billed(&self) -> Option<(&CacheModel, &Billed)> {
        Some((&self.cache, self.billed.as_ref()?))
    }

    /// Returns the refusal of a request, if it is refused. Nothing changes.
    #[cfg(feature = "servers")]
    pub(crate) fn refusal(
        &self,
        request: &StrictRequest<'_>,
        endpoint: ApiEndpoint,
    ) -> Option<ApiError> {
        read(request).and_then(|tape| self.judge(request, &tape, endpoint).map(|_| ())).err()
    }

    /// Responds to a request with [`Draft::polite`].
    ///
    /// # Errors
    /// The API's refusal.
    pub fn answer(&mut self, request: &StrictRequest<'_>) -> JudgeResult {
        self.answer_with(request, &Draft::polite())
    }

    /// Responds to a request with a draft's content.
    ///
    /// # Errors
    /// The API's refusal.
    pub fn answer_with(&mut self, request: &StrictRequest<'_>, draft: &Draft) -> JudgeResult {
        let tape = read(request)?;
        if let Some(body) = self.enforce(self.threads.whole(&tape))? {
            let whole = StrictRequest { body: &body, ..request.clone() };
            let response = self.answer_with(&whole, draft)?;
            self.threads.finish(tape.root());
            return Ok(response);
        }
        let judged = self.judge(request, &tape, ApiEndpoint::Messages)?;
        self.at = request.at.unwrap_or(self.at).max(self.at);
        let number = self.responses;
        self.responses += 1;
        let id = format!("msg_{:024x}", number + 1);
        let is_prewarm =
            judged.body.parameters.get("max_tokens").and_then(Value::integer) == Some(0);
        let (content, stop) = match &judged.summary {
            Some(summary) => (vec![summary.clone()], "compaction"),
            None if is_prewarm => (Vec::new(), "max_tokens"),
            None => (self.content(&judged, draft, number), draft.stops_for()),
        };
        let mut response = Response::new(id, &judged.body.model, content, stop);
        let stream = judged.body.parameters.get("stream");
        response.is_stream = stream.is_some_and(Value::is_true);
        let mut usage = ResponseUsage::default();
        self.billed = None;
        if let Ok(cached) = self.cache.parse(request.body.to_vec().into(), None) {
            let rules = cached::rules(self.options.platform);
            let edits = ContextManagement::of(&cached, &rules, has_edits(&judged.body));
            response.context_management = edits;
            let mut entry = Timed::new(cached, self.at);
            entry.latency = Some(draft.latency);
            entry.id = Some(response.id.clone());
            // A signature is certain, unlike a text that two sessions share. But
            // the newest responses may have none, or be left out.
            let latest = judged.seen.latest.as_ref().and_then(|it| self.history.id(it));
            entry.follows = latest.map(str::to_owned);
            let named = || named(&judged.body).map(Cow::into_owned);
            entry.previous = if latest.is_none() { named() } else { None };
            entry.answer = Some(cached::answer(&response));
            entry.unread = self.unread(&judged.seen);
            let verdict = self.cache.send_timed(&entry);
            usage = cached::usage(verdict.usage);
            response.miss = verdict.miss;
            let usage = verdict.usage;
            self.billed = Some(Billed { entry, usage });
        }
        let family = find(&judged.body.model).facts.estimated_tokenizer();
        usage.output_tokens = response.output_tokens(family);
        usage.server_tool_use = ServerToolUsage::of(&response.content);
        let sections = Sections::of(&judged.body, &judged.prefix, request);
        let missed = response.miss.as_ref().map_or(0, |it| it.lost_tokens);
        response.diagnostics = self.history.diagnose(&judged.body, &sections, missed);
        response.usage = match &judged.summary {
            Some(_) => ResponseUsage::of_compaction(&usage),
            None => usage,
        };
        if request.has_beta(CONTROLS) {
            response.input_transformations = Some(judged.seen.transformations);
        }
        self.threads.push(tape.root(), &response);
        self.history.push(number, &response, sections, judged.prefix);
        Ok(response)
    }

    /// Returns the body with what its thread keeps, if it continues one that is kept.
    #[cfg(feature = "servers")]
    pub(crate) fn whole<'a>(&self, body: &'a [u8]) -> Cow<'a, [u8]> {
        let tape = (!self.threads.is_empty()).then(|| Tape::parse(body).ok()).flatten();
        let whole = tape.and_then(|tape| self.threads.whole(&tape).ok().flatten());
        whole.map_or(Cow::Borrowed(body), Cow::Owned)
    }

    /// Counts a request's input tokens. The same rules apply.
    ///
    /// # Errors
    /// The API's refusal.
    pub fn count_tokens(&self, request: &StrictRequest<'_>) -> Result<TokenCount, ApiError> {
        let tape = read(request)?;
        let judged = self.judge(request, &tape, ApiEndpoint::CountTokens)?;
        let unread = self.unread(&judged.seen);
        let has_edits = has_edits(&judged.body);
        Ok(cached::tokens(request.body, unread, self.options.platform, has_edits))
    }

    /// Returns whether requests are refused.
    ///
    /// Returns a check's value; without enforcement, a refusal becomes the
    /// empty value.
    #[must_use]
    pub fn enforcement(&self) -> Enforcement {
        self.options.enforcement
    }

    /// Returns the thinking that is not billed.
    fn unread(&self, seen: &SeenThinking) -> UnreadThinking {
        let dropped = seen.transformations.iter().map(|it| cached::path(&it.path));
        let omitted = seen.kept.iter().filter(|it| self.history.is_thinking_omitted(it.1));
        UnreadThinking {
            blocks: dropped.collect(),
            texts: omitted.map(|it| cached::path(&it.0)).collect(),
        }
    }

    /// Applies the rules in the API's order: size, JSON, form, compaction,
    /// thinking. The cache does not change.
    fn judge<'t>(
        &self,
        request: &StrictRequest<'_>,
        tape: &'t Tape<'t>,
        endpoint: ApiEndpoint,
    ) -> Result<Judged<'t>, ApiError> {
        let body = RequestBody::of(tape).ok_or_else(|| ApiError::invalid(NOT_OBJECT))?;
        let platform = self.options.platform;
        let facts = find_on(platform, &body.model).facts;
        self.enforce(refusal::check(request, platform, endpoint))?;
        self.enforce(known(platform, facts, &body.model))?;
        let compaction = self.enforce(compaction::verify(&body, &self.signer))?;
        let prefix = Prefix::of(&body, compaction.as_ref());
        let summary = compaction::summary(&body, &prefix, &self.signer);
        let verifier = Verifier {
            signer: &self.signer,
            model: model_digest(facts, &body.model),
            is_bound: facts.bound_to_prefix.unwrap_or(true),
            prefix: &prefix,
            request,
        };
        let seen = verifier.verify(&body, |number| self.history.parts(number));
        let seen = self.enforce(seen)?;
        Ok(Judged { body, facts, prefix, seen, summary })
    }

    fn enforce<T: Default>(&self, judged: Result<T, ApiError>) -> Result<T, ApiError> {
        match self.options.enforcement {
            Enforcement::Strict => judged,
            Enforcement::Off => Ok(judged.unwrap_or_default()),
        }
    }

    /// Turns a draft into a response's content: signs thinking, and adds ids to
    /// tool calls. `number` is the response's, which the signatures contain.
    fn content(&mut self, judged: &Judged<'_>, draft: &Draft, number: u64) -> Vec<ResponseBlock> {
        let thinking = judged.thinking();
        let mut content = Vec::new();
        for block in &draft.blocks {
            let block = match block {
                DraftBlock::Text(text) => {
                    ResponseBlock::Text { text: text.clone(), citations: None }
                }
                DraftBlock::Cited(text, citations) => {
                    ResponseBlock::Text { text: text.clone(), citations: Some(citations.clone()) }
                }
                DraftBlock::Thinking(_) | DraftBlock::RedactedThinking
                    if thinking == Thinking::Off =>
                {
                    continue;
                }
                DraftBlock::Thinking(text) => {
                    let shown = match thinking {
                        Thinking::Shown => text.clone(),
                        _ => String::new(),
                    };
                    ResponseBlock::Thinking { thinking: shown, signature: String::new() }
                }
                DraftBlock::RedactedThinking => {
                    ResponseBlock::RedactedThinking { data: String::new() }
                }
                DraftBlock::ToolUse { id, name, input } => {
                    self.calls += 1;
                    let new = || format!("toolu_{:024x}", self.calls);
                    ResponseBlock::ToolUse {
                        id: id.clone().unwrap_or_else(new),
                        name: name.clone(),
                        input: input.clone(),
                    }
                }
                DraftBlock::Raw(raw) => ResponseBlock::Raw(raw.clone()),
            };
            content.push(block);
        }
        self.sign(judged, &mut content, number);
        content
    }

    /// Signs a response's thinking, once all of its blocks are known.
    ///
    /// Each thinking block records the one before it, so that removing a block
    /// from the middle of a response is noticed.
    fn sign(&self, judged: &Judged<'_>, content: &mut [ResponseBlock], number: u64) {
        let json: Vec<_> = content.iter().map(ResponseBlock::to_json).collect();
        let tapes: Vec<_> = json.iter().map(|it| Tape::parse(it.as_bytes()).ok()).collect();
        let mut others = OtherBlocks::of_continued(&judged.body);
        let mut whole = others.clone();
        tapes.iter().flatten().for_each(|it| whole.push(it.root()));
        let count = content.iter_mut().filter_map(signature_of).count();
        let count = u8::try_from(count).unwrap_or(u8::MAX);
        let mut previous = judged.seen.last;
        let mut position: u8 = 0;
        for (block, tape) in content.iter_mut().zip(&tapes) {
            let Some(signature) = signature_of(block) else {
                tape.iter().for_each(|it| others.push(it.root()));
                continue;
            };
            *signature = self.signer.sign_thinking(&ThinkingSeal {
                response: number,
                position,
                previous,
                model: model_digest(judged.facts, &judged.body.model),
                prefix: judged.prefix.whole(),
                message: Some(MessageSeal {
                    thinking: count,
                    others: whole.count,
                    before: others.digest(),
                }),
            });
            previous = Some((number, position));
            position = position.saturating_add(1);
        }
    }
}

/// Returns where a thinking block has its signature.
fn signature_of(block: &mut ResponseBlock) -> Option<&mut String> {
    match block {
        ResponseBlock::Thinking { signature: it, .. }
        | ResponseBlock::RedactedThinking { data: it } => Some(it),
        _ => None,
    }
}

/// Whether a response has thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thinking {
    /// No blocks: a draft's thinking is left out.
    Off,
    /// Blocks without their text.
    Omitted,
    /// Blocks with their text.
    Shown,
}

impl Judged<'_> {
    /// Returns whether the response thinks, and whether it shows the text.
    ///
    /// ```text
    /// thinking                                 model with thinking on      model with thinking off
    /// absent                                   Omitted                     Off
    /// {"type":"adaptive"}                      Omitted                     Shown
    /// {"type":"adaptive","display":"omitted"}  Omitted                     Omitted
    /// {"type":"adaptive","display":"…"}        Shown                       Shown
    /// {"type":"disabled"}                      Off                         Off
    /// {"type":"between_tools"}                 Omitted after a result      –
    /// ```
    fn thinking(&self) -> Thinking {
        let parameter = self.body.parameters.get("thinking");
        let text_of = |key| parameter.and_then(|it| it.text_of(key));
        let by_default = self.facts.thinking.map(|thinking| thinking.default);
        let is_default_on =
            matches!(by_default, Some(ThinkingDefault::AlwaysOn | ThinkingDefault::On));
        let is_on = match text_of("type").as_deref() {
            Some("disabled") => false,
            // The model thinks only after tool results.
            Some("between_tools") => self.body.messages.last().is_some_and(|last| {
                let mut blocks = content_blocks(*last).into_iter();
                blocks.any(|it| it.tag() == "tool_result")
            }),
            Some(_) => true,
            None => is_default_on,
        };
        match text_of("display").as_deref() {
            _ if !is_on => Thinking::Off,
            Some("omitted") => Thinking::Omitted,
            None if is_default_on => Thinking::Omitted,
            _ => Thinking::Shown,
        }
    }
}

fn has_edits(body: &RequestBody<'_>) -> bool {
    body.parameters.given("context_management").is_some()
}

fn read<'a>(request: &StrictRequest<'a>) -> Result<Tape<'a>, ApiError> {
    if request.body.len() > MAX_BODY_BYTES {
        return Err(ApiError::of_status(413, "Request exceeds the maximum size"));
    }
    Tape::parse(request.body).map_err(|_| ApiError::invalid("The request body is not valid JSON"))
}

/// Refuses a model that the catalogue does not have, or has as retired, as the
/// API does; a platform with deployments has its own names.
fn known(platform: Platform, facts: &ModelFacts, model: &str) -> Result<(), ApiError> {
    let is_retired = matches!(facts.lifecycle.status(AS_OF), ModelStatus::Retired(_));
    let is_spelled = platform != Platform::FirstParty || facts.is_own_id(model);
    let is_known = !facts.id.is_empty() && facts.vendor == Vendor::Anthropic;
    let is_known = is_known && is_spelled && !is_retired;
    if is_known || model.is_empty() || platform.has_deployments() {
        return Ok(());
    }
    Err(ApiError::of_status(404, format!("model: {model}")))
}

/// Digests the model's id: an alias and a dated id are one model.
pub(crate) fn model_digest(facts: &ModelFacts, model: &str) -> u64 {
    let id = match facts.id {
        "" => model,
        id => id,
    };
    let digest = Sum::new("model").with(id.as_bytes()).end();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
