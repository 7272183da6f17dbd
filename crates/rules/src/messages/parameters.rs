//! Request parameters, except sampling and thinking.
//!
//! - `max-tokens`: `"max_tokens":128001` with a model that writes 128,000.
//!   `max-tokens-batch`: a number that the model takes in batches only, with
//!   the beta `output-300k-2026-03-24`.
//! - `prewarm`: `"max_tokens":0`, which only fills the cache, with
//!   `"stream":true`, thinking with a budget, an output format or a forced
//!   tool, or in a batch (documented).
//! - `container`: without a tool that runs code. Refusal: `Container identifier
//!   can only be provided when using the code execution tool` (observed,
//!   September 2026).
//! - `task-budget-model`, `inference-geo-model`, `fallbacks-model`,
//!   `speed-model`: a parameter that the model does not take, by the model
//!   catalogue.
//! - `model-retired`: reported as deprecated, by the catalogue's date.
//! - `stop-sequence`: a stop sequence that is white space. Refusal: `each stop
//!   sequence must contain non-whitespace`.
//! - `thread-fields`: `system` or `tools` in a request that continues a thread.
//!   Valid: in the request that creates it.
//! - `output-format`: accepted; `output_config.format` replaces it.

use aside_json::{Value, excerpt};
use aside_models::{FastMode, ModelStatus, Platform};

use super::view::View;
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::node::Node;
use crate::table::{
    CONTAINER, FALLBACKS_MODEL, INFERENCE_GEO, MAX_TOKENS, MAX_TOKENS_BATCH, MODEL_NAME,
    MODEL_RETIRED, OUTPUT_FORMAT, PREWARM, SPEED_BETA, SPEED_MODEL, STOP_SEQUENCE,
    TASK_BUDGET_MODEL, THREAD_FIELDS, VALUE,
};

/// Most of these rules depend on the model. When it is not in the catalogue,
/// they report nothing.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let root = view.root;
    if let Some(model) = root.text_of("model")
        && model.trim().is_empty()
    {
        checker.add(&MODEL_NAME, "model", format!("{model:?}"));
    }
    lifecycle(checker);
    largest_answer(checker, view);
    if root.get("max_tokens").and_then(Value::integer) == Some(0) {
        prewarm(checker, view);
    }
    let streams = root.get("stream").is_some_and(Value::is_true);
    if streams && checker.endpoint == ApiEndpoint::Batches {
        checker.add_expecting(&VALUE, "stream", "true", "no stream in a batch");
    }
    if root.given("output_format").is_some() {
        checker.add(&OUTPUT_FORMAT, "output_format", "the key");
    }
    for stop in Node::root(root).list("stop_sequences") {
        if stop.value.is_blank() {
            checker.add(&STOP_SEQUENCE, stop.path(), "blank text");
        }
    }
    by_model(checker, view);
    for key in ["system", "tools"] {
        if view.continues_thread() && root.given(key).is_some() {
            checker.add(&THREAD_FIELDS, key, "the key again");
        }
    }
    if let Some(container) = root.given("container").filter(|_| !view.continues_thread()) {
        let runs_code = view.has_tool("code_execution")
            || view.tools.iter().any(|it| it.given("allowed_callers").is_some());
        // Newer web tool versions run code themselves.
        let may_run_code = view.has_tool("web_search_2026") || view.has_tool("web_fetch_2026");
        if !runs_code && !may_run_code && checker.endpoint != ApiEndpoint::CountTokens {
            let found = excerpt(container.raw());
            checker.add(&CONTAINER, "container", found);
        }
    }
}

/// Compares with the catalogue's date, not today's: a check has no clock.
fn lifecycle(checker: &mut Checker) {
    let Some(facts) = checker.facts else { return };
    if let ModelStatus::Retired(date) = facts.lifecycle.status(aside_models::AS_OF) {
        let found = format!("{}, retired on {date}", facts.id);
        checker.add(&MODEL_RETIRED, "model", found);
    }
}

/// Compares `max_tokens` with the model's longest output. A model that is not
/// in the catalogue is not judged.
fn largest_answer(checker: &mut Checker, view: &View<'_>) {
    let tokens = view.root.get("max_tokens").and_then(Value::integer);
    let Some(tokens) = tokens.and_then(|it| u64::try_from(it).ok()) else {
        return;
    };
    let Some(facts) = checker.facts else { return };
    let Some(limit) = facts.max_output else {
        return;
    };
    if tokens <= limit {
        return;
    }
    let found = format!("{tokens}, {} takes {limit}", checker.model_name());
    if facts.max_batch_output.is_some_and(|limit| tokens <= limit) {
        checker.add(&MAX_TOKENS_BATCH, "max_tokens", found);
    } else {
        checker.add(&MAX_TOKENS, "max_tokens", found);
    }
}

/// Reports each parameter that a request without output cannot have.
fn prewarm(checker: &mut Checker, view: &View<'_>) {
    let streams = view.root.get("stream").is_some_and(Value::is_true);
    if checker.endpoint == ApiEndpoint::Batches {
        checker.add(&PREWARM, "max_tokens", "0 in a batch");
    }
    let conflicts = [
        ("stream", streams),
        ("thinking", view.thinking() == "enabled"),
        ("output_config.format", view.output_config("format").is_some()),
        ("tool_choice", view.forces_tool()),
    ];
    for (path, _) in conflicts.into_iter().filter(|(_, is_there)| *is_there) {
        checker.add(&PREWARM, path, "the key, together with max_tokens 0");
    }
}

/// Checks parameters that only some models take. Every model accepts
/// `"fallbacks":"default"`, but not a list.
fn by_model(checker: &mut Checker, view: &View<'_>) {
    let Some(facts) = checker.facts else { return };
    let root = view.root;
    if root.given("inference_geo").is_some() && facts.inference_geo == Some(false) {
        checker.add(&INFERENCE_GEO, "inference_geo", checker.on_model("inference_geo"));
    }
    let is_list = root.given("fallbacks").is_some_and(|it| it.raw().starts_with('['));
    if is_list && facts.fallbacks == Some(false) {
        checker.add(&FALLBACKS_MODEL, "fallbacks", checker.on_model("a list of fallbacks"));
    }
    if view.output_config("task_budget").is_some() && facts.task_budget == Some(false) {
        let found = checker.on_model("a task budget");
        checker.add(&TASK_BUDGET_MODEL, "output_config.task_budget", found);
    }
    if root.text_of("speed").as_deref() != Some("fast") {
        return;
    }
    let is_elsewhere = checker.platform().is_some_and(|it| it != Platform::FirstParty);
    match facts.fast_mode {
        // A platform without fast mode has its own rule.
        _ if is_elsewhere => {}
        Some(FastMode::Refused) => {
            checker.add(&SPEED_MODEL, "speed", checker.on_model("fast mode"));
        }
        Some(FastMode::Beta) => checker.add(&SPEED_BETA, "speed", "\"fast\""),
        _ => {}
    }
}
