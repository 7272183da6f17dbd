//! Every rule. A rule is a row here and a condition in its subject's file.
//!
//! ```text
//! THREAD_BETA =
//!     "thread-beta"                      `Rule::id`, and the folder of its cases
//!     .messages(                         a wire that has the rule:
//!         SDK,                               `OnWire::source`
//!         "the beta of message threads")     `OnWire::expected`
//!     .level(Needs)                      the level, by default `Refused`
//!     .without(&["message-threads-…"])   the betas that lift the rule
//! ```
//!
//! `.since(…)` names the first API version that has the rule, `.by_model(…)`
//! the field in the model's facts that it reads, `.on(…)` the only platforms
//! that have it, and `.was(…)` its ids in earlier versions. `.fix(…)` says how
//! to repair a request that costs too much. `.openai(…)` adds both of OpenAI's
//! wires, `.everywhere(…)` all wires, `.elsewhere(…)` all but the Messages API. `.level(…)` and `.by_model(…)`
//! apply to the wires before them. A rule with the level `Needs` becomes
//! `Refused` when the betas are known and none of its own is sent.

use aside_models::Platform::{AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud};

use crate::rule::ApiVersion::V2026_10_21;
use crate::rule::{Rule, RuleLevel};

use RuleLevel::{Cost, Deprecated, Lossy, Needs, Unknown};

/// The official client's types. The API refuses keys and values that they lack
/// (documented).
const SDK: &str = "anthropic (Python) 2.12.0, types";
/// The page about errors and status codes, and the refusals that endpoint pages
/// document.
const ERRORS: &str = "platform docs, errors";
/// Refusals that users of several projects reported with the error's text.
const ISSUES: &str = "issue threads of SDKs and agents";
/// Observed by others with real requests, on `claude-opus-5-5` and
/// `claude-sonnet-5`. This project sent none.
const LIVE: &str = "published live probe, September 2026";
/// Error texts observed on `claude-opus-5-5`. Wording may change, so no rule
/// compares whole sentences.
const LIVE_TEXTS: &str = "published live error texts, October 2026";
const THINKING: &str = "platform docs, extended thinking";
const EFFORT: &str = "platform docs, effort";
/// The page about signatures that are bound to the prefix (preserved thinking).
const PRESERVED: &str = "platform docs, preserved thinking";
const SYSTEM: &str = "platform docs, mid-conversation system messages";
const CLEAR_AT: &str = "platform docs, turn-scoped system messages";
const CHANGE_TOOLS: &str = "platform docs, tool changes";
const COMPACTION: &str = "platform docs, compaction";
const EDITING: &str = "platform docs, context editing";
const CACHING: &str = "platform docs, prompt caching";
const TOOLS: &str = "platform docs, tool use";
const OUTPUTS: &str = "platform docs, structured outputs";
const CITING: &str = "platform docs, citations";
const VISION: &str = "platform docs, vision";
const MODELS: &str = "platform docs, models";
const CLOUDS: &str = "platform docs and AWS, features by platform";
const RFC: &str = "RFC 8259";
const CHAT: &str = "OpenAI docs, chat completions";
const OPENAI_SDK: &str = "openai (Python) 3.54.0, types";
const REASONING: &str = "OpenAI docs, reasoning models";
const BATCHES: &str = "platform docs, batch processing";
const OPENAI_BATCHES: &str = "OpenAI docs, batch";
const LATEST: &str = "OpenAI docs, models";
const OPENAI_OUTPUTS: &str = "OpenAI docs, structured outputs";
const GEMINI_SDK: &str = "google-genai (Python) 3.4.0, types";
const CALLING: &str = "Gemini docs, function calling";
const SIGNATURES: &str = "Gemini docs, thought signatures";
const GEMINI_CACHING: &str = "Gemini docs, context caching";
const GEMINI_THINKING: &str = "Gemini docs, thinking";
/// What the cache model finds in a log.
const PREFIXES: &str = "vendor docs, prompt caching";
/// What one request shows.
const PARTS: &str = "the parts of the request";

/// Betas for compaction on demand.
///
/// You need one for the parameter `compaction`, and for every later request
/// that has a signed block.
pub(crate) const COMPACT: &[&str] = &["compact-2026-09-04"];
/// Betas for compaction by threshold.
///
/// You need one for the edit `compact_20260112`, and for every later request
/// that has an unsigned block.
pub(crate) const COMPACT_THRESHOLD: &[&str] = &["compact-2026-01-12"];

/// Declares the constants and the list of all from the same rows, so that
/// `RULES` cannot miss a rule.
macro_rules! rules {
    ($($ident:ident = $id:literal $(.$method:ident($($argument:tt)*))* ;)*) => {
        $(#[doc = concat!("The rule `", $id, "`.")]
        pub static $ident: Rule = Rule::new($id)$(.$method($($argument)*))*;)*

        /// Every rule, by subject.
        pub static RULES: &[&Rule] = &[$(&$ident),*];
    };
}

rules! {
    // The document's form.
    JSON = "json" .messages(SDK, "one JSON object")
        .elsewhere(RFC, "one JSON object").was(&["wire-json"]);
    SURROGATE = "surrogate" .messages(ISSUES, "Unicode text, without half a surrogate pair")
        .elsewhere(RFC, "Unicode text, without half a surrogate pair").level_elsewhere(Unknown);
    DOUBLED_KEY = "doubled-key" .messages(SDK, "every key once")
        .elsewhere(RFC, "every key once").level_elsewhere(Unknown);
    UNKNOWN_KEY = "unknown-key" .messages(SDK, "no other key")
        .openai(OPENAI_SDK, "a key of the wire").gemini(GEMINI_SDK, "a key of the wire").was(&["responses-unknown-key"]);
    MISSING_KEY = "missing-key" .messages(SDK, "the key")
        .openai(OPENAI_SDK, "the key")
        .gemini(CALLING, "the key").was(&["chat-file-name"]);
    VALUE_TYPE = "value-type" .messages(SDK, "a value of the key's type")
        .openai(OPENAI_SDK, "a value of the key's type")
        .gemini(GEMINI_SDK, "a value of the key's type")
        .was(&["chat-arguments", "responses-arguments", "responses-output", "gemini-object"]);
    VALUE = "value" .messages(SDK, "one of the values of the key")
        .openai(OPENAI_SDK, "one of the values of the key")
        .gemini(GEMINI_SDK, "one of the values of the key")
        .was(&["chat-role", "responses-role", "responses-value", "gemini-role", "unknown-role"]);
    UNKNOWN_KIND = "unknown-kind" .messages(SDK, "a type of the API").responses(OPENAI_SDK, "an item type of the wire").chat(CHAT, "a type of the wire") .level(Unknown) .was(&["responses-item-type"]);
    FOREIGN_KIND = "foreign-kind" .messages(SDK, "a type of the Messages API")
        .chat(CHAT, "a type of Chat Completions").responses(OPENAI_SDK, "a type of Responses");
    MISSPELLED_KIND = "misspelled-kind" .messages(SDK, "a type of the API");
    BLOCK_PLACE = "block-place" .messages(SDK, "a type that is accepted here")
        .responses(OPENAI_SDK, "input_… parts in messages, output_text or refusal in those of the assistant")
        .chat(ISSUES, "images, audio and files in messages of the user").was(&["responses-part-type"]);
    BODY_SIZE = "body-size" .messages(ERRORS, "a body within the limit of the platform");
    MESSAGE_COUNT = "message-count" .messages(ERRORS, "at most 100,000 messages");
    PROMPT_LENGTH = "prompt-length" .messages(ERRORS, "a prompt that fits into the context window of the model") .by_model("context_window");

    // Messages.
    NO_MESSAGE = "no-message" .messages(ERRORS, "at least one message")
        .chat(CHAT, "a list of at least one message")
        .responses(OPENAI_SDK, "a string or a list of items")
        .gemini(GEMINI_SDK, "a list of at least one content")
        .was(&["chat-messages", "responses-input", "gemini-contents", "empty-conversation"]);
    EMPTY_CONTENT = "empty-content" .messages(ERRORS, "content, except in a last message of the assistant")
        .chat(ISSUES, "a text, parts or calls").gemini(ISSUES, "at least one part");
    BLANK_TEXT = "blank-text" .messages(ERRORS, "text with a character other than white space")
        .chat(ISSUES, "text with a character other than white space").level_elsewhere(Unknown);
    PREFILL = "prefill" .messages(ERRORS, "a last message from the user") .by_model("prefill")
        .chat(CHAT, "a last message from the user").responses(OPENAI_SDK, "a last item from the user").gemini(CALLING, "a last content from the user").by_model("prefill").was(&["last-turn"]);
    TRAILING_SPACE = "trailing-space" .messages(ERRORS, "a last message of the assistant that does not end with white space") .by_model("prefill");
    BLOCK_ROLE = "block-role" .messages(ERRORS, "tool uses and thinking of the assistant, tool results of the user, tool changes of the system");
    THINKING_SIGNATURE = "thinking-signature" .messages(LIVE, "the signature that came with the thinking");
    ASSISTANT_DOCUMENT = "assistant-document" .messages(SDK, "documents of the user only, under API version 2026-10-21") .since(V2026_10_21);
    USER_CITATIONS = "user-citations" .messages(SDK, "no citations on text of the user, under API version 2026-10-21") .since(V2026_10_21);

    // Tool uses and their results.
    RESULT_ORDER = "result-order" .messages(ERRORS, "tool results before other blocks");
    UNANSWERED_CALL = "unanswered-call" .messages(ERRORS, "a tool_result in the next message")
        .chat(CHAT, "a tool message for each call, directly after the calls")
        .responses(ISSUES, "an output for each call")
        .gemini(CALLING, "as many function responses as calls, in the next content")
        .was(&["chat-tool-output", "responses-call-output", "gemini-response-count", "missing-output"]);
    ORPHANED_RESULT = "orphaned-result" .messages(ERRORS, "a tool_use with this id in the message before")
        .chat(CHAT, "a call with this id in the assistant message before")
        .responses(ISSUES, "a call with this call_id before the output")
        .gemini(CALLING, "a call in the content before")
        .was(&["chat-tool-call", "responses-output-call", "missing-call"]);
    DOUBLED_RESULT = "doubled-result" .messages(ERRORS, "one result for each tool use")
        .chat(CHAT, "one tool message for each call").responses(ISSUES, "one output for each call").gemini(CALLING, "one function response for each call").was(&["repeated-output"]);
    DOUBLED_CALL = "doubled-call" .messages(ERRORS, "a new id for each tool use")
        .chat(CHAT, "a new id for each call").responses(ISSUES, "a new call_id for each call").gemini(CALLING, "a new id for each call").was(&["repeated-call"]);
    DOUBLED_CUSTOM_ID = "doubled-custom-id" .messages(BATCHES, "a new custom_id for each request of a batch")
        .openai(OPENAI_BATCHES, "a new custom_id for each request of a batch");
    CALL_ID = "call-id" .messages(ERRORS, "an id of the form [a-zA-Z0-9_-]+")
        .chat(CHAT, "an id of at most 40 characters").responses(ISSUES, "an id of 1 to 64 characters").was(&["chat-call-id"]);
    SERVER_CALL_ID = "server-call-id" .messages(SDK, "an id that begins with srvtoolu_");
    SERVER_RESULT = "server-result" .messages(TOOLS, "no tool_result for a tool that the API runs");
    ORPHANED_SERVER_RESULT = "orphaned-server-result" .messages(ISSUES, "the call of the tool with this id before it");
    PENDING_SERVER_CALL = "pending-server-call" .messages(ERRORS, "only tool results while a tool of the API is pending");
    ERROR_CONTENT = "error-content" .messages(ISSUES, "only text in the result of a failed tool");
    RESULT_REFERENCE = "result-reference" .messages(TOOLS, "the name of a tool in `tools`");

    // System messages in mid-conversation.
    SYSTEM_MODEL = "system-model" .messages(SYSTEM, "a model that takes system messages in mid-conversation") .by_model("system_messages")
        .chat(CHAT, "no system message in mid-conversation").gemini(GEMINI_SDK, "no system message in mid-conversation").was(&["system-message"]);
    SYSTEM_FIRST = "system-first" .messages(SYSTEM, "the parameter `system` for the first instructions");
    SYSTEM_AFTER = "system-after" .messages(SYSTEM, "a user message, or an assistant message that ends in a server tool result, before it");
    SYSTEM_BEFORE = "system-before" .messages(SYSTEM, "an assistant message, or the end, after it");
    SYSTEM_CONTENT = "system-content" .messages(SYSTEM, "at least one block, or an output_config");
    SYSTEM_BLOCKS = "system-blocks" .messages(SYSTEM, "only text, tool_addition and tool_removal");
    CHANGE_AFTER_PAUSE = "change-after-pause" .messages(CHANGE_TOOLS, "no tool change right after a paused response");

    // Turn-scoped system messages.
    CLEAR_AT_BETA = "clear-at-beta" .messages(LIVE_TEXTS, "the beta of turn-scoped system messages") .level(Needs) .without(&["mid-conversation-system-clear-at-2026-08-21"]);
    CLEAR_AT_ROLE = "clear-at-role" .messages(LIVE_TEXTS, "clear_at on system messages only");
    CLEAR_AT_MODEL = "clear-at-model" .messages(CLEAR_AT, "a model that takes turn-scoped system messages") .by_model("clear_at");
    CLEAR_AT_BLOCKS = "clear-at-blocks" .messages(LIVE_TEXTS, "only text in a turn-scoped message");
    CLEAR_AT_OUTPUT_CONFIG = "clear-at-output-config" .messages(LIVE_TEXTS, "no output_config on a turn-scoped message");
    CLEAR_AT_MARKER = "clear-at-marker" .messages(LIVE_TEXTS, "no cache marker in a turn-scoped message");

    // A message's effort.
    MESSAGE_EFFORT_BETA = "message-effort-beta" .messages(LIVE_TEXTS, "the beta of output_config on messages") .level(Needs) .without(&["mid-conversation-output-config-2026-07-01", "per-turn-control-2026-07-01"]);
    MESSAGE_EFFORT_ROLE = "message-effort-role" .messages(EFFORT, "output_config on system messages only");
    MESSAGE_EFFORT_MODEL = "message-effort-model" .messages(LIVE_TEXTS, "a model that takes an effort for each turn") .by_model("message_effort");
    MESSAGE_EFFORT_THINKING = "message-effort-thinking" .messages(LIVE_TEXTS, "the effort in effect before, since thinking is off") .by_model("thinking");

    // Tool changes.
    TOOL_CHANGES_BETA = "tool-changes-beta" .messages(CHANGE_TOOLS, "the beta of tool changes") .level(Needs) .without(&["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"]);
    TOOL_CHANGES_MODEL = "tool-changes-model" .messages(CHANGE_TOOLS, "a model that takes tool changes") .by_model("tool_changes");
    INLINE_TOOLS_BETA = "inline-tools-beta" .messages(CHANGE_TOOLS, "the beta of inline tools") .level(Needs) .without(&["inline-tools-2026-09-15"]);
    INLINE_TOOLS_PLATFORM = "inline-tools-platform" .messages(CLOUDS, "inline tools at the Claude API only") .on(&[AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud]);
    INLINE_TOOL_KIND = "inline-tool-kind" .messages(CHANGE_TOOLS, "a tool that can be defined in a message");
    TOOL_CHANGE_REFERENCE = "tool-change-reference" .messages(CHANGE_TOOLS, "the name of a tool in `tools`");
    TOOL_CHANGE_CONFLICT = "tool-change-conflict" .messages(CHANGE_TOOLS, "a reference of the tool's own kind");
    TOOL_CHANGE_MARKER = "tool-change-marker" .messages(CHANGE_TOOLS, "a cache marker on the block or in the definition, not on both");
    AVAILABLE_TOOLS = "available-tools" .messages(SDK, "at most 10,000 deferred tools, 10,000 tools that messages define, and 4 MiB of their definitions");

    // Compaction.
    COMPACTION_BETA = "compaction-beta" .messages(COMPACTION, "the beta of compaction on demand") .level(Needs) .without(COMPACT);
    COMPACTION_MODEL = "compaction-model" .messages(COMPACTION, "a model and a platform with compaction on demand") .by_model("compaction");
    COMPACTION_INSTRUCTIONS = "compaction-instructions" .messages(COMPACTION, "instructions of at most 16,384 characters");
    COMPACTION_CONFLICT = "compaction-conflict" .messages(COMPACTION, "compaction on demand by itself");
    COMPACTION_INCOMPLETE_TURN = "compaction-incomplete-turn" .messages(COMPACTION, "an answer to every tool use before a compaction");
    COMPACTION_MISPLACED = "compaction-misplaced" .messages(COMPACTION, "a signed compaction block first in the messages")
        .responses(OPENAI_SDK, "compaction_trigger as the last item");
    COMPACTION_AMBIGUOUS = "compaction-ambiguous" .messages(COMPACTION, "one signed compaction block");
    COMPACTION_STRATEGY = "compaction-strategy" .messages(COMPACTION, "the edit compact_20260112 with unsigned compaction blocks, or a signature");
    COMPACTION_CONTENT = "compaction-content" .messages(ISSUES, "a summary in a block without signature");
    COMPACTION_MIXED = "compaction-mixed" .messages(COMPACTION, "no signed compaction block with the edit compact_20260112");
    THRESHOLD_BETA = "threshold-compaction-beta" .messages(COMPACTION, "the beta of compaction by threshold") .level(Needs) .without(COMPACT_THRESHOLD);
    THRESHOLD_VALUE = "compaction-threshold" .messages(LIVE, "a trigger of at least 50,000 tokens");

    // Context editing.
    EDITING_BETA = "context-editing-beta" .messages(EDITING, "the beta of context management") .level(Needs) .without(&["context-management-2025-06-27", "compact-2026-01-12"]);
    CLEAR_THINKING_BETA = "clear-thinking-beta" .messages(EDITING, "the beta of context management") .level(Needs) .without(&["context-management-2025-06-27"]);
    CLEAR_THINKING_FIRST = "clear-thinking-first" .messages(LIVE, "clear_thinking_20251015 as the first edit");
    EDIT_VALUE = "edit-value" .messages(EDITING, "a number that the edit accepts");

    // Thinking and effort.
    THINKING_MODE = "thinking-mode" .messages(THINKING, "a mode of thinking that the model takes")
        .openai(REASONING, "a mode of thinking that the model takes") .by_model("thinking")
        .gemini(GEMINI_THINKING, "a thinking level on Gemini 4, a budget on Gemini 2.5") .by_model("generation")
        .was(&["thinking-kind", "gemini-budget"]);
    THINKING_DEPRECATED = "thinking-deprecated" .messages(THINKING, "adaptive thinking") .level(Deprecated) .by_model("thinking");
    THINKING_BUDGET = "thinking-budget" .messages(THINKING, "a budget of at least 1,024 tokens and less than max_tokens");
    INTERLEAVED_BUDGET = "interleaved-budget" .messages(THINKING, "a budget of less than max_tokens, or interleaved thinking") .level(Needs) .without(&["interleaved-thinking-2025-05-14"]);
    THINKING_EFFORT = "thinking-effort" .messages(THINKING, "effort high or below while thinking is off") .by_model("thinking");
    DISPLAY_BETA = "display-updates-beta" .messages(THINKING, "the beta of progress updates") .level(Needs) .without(&["thinking-display-updates-2026-08-18"]);
    BLOCK_BINDING_BETA = "block-binding-beta" .messages(PRESERVED, "the beta of binding controls") .level(Needs) .without(&["thinking-binding-controls-2026-08-01"]);
    EFFORT_MODEL = "effort-model" .messages(EFFORT, "an effort that the model takes") .by_model("efforts")
        .chat(LATEST, "an effort that the model takes") .by_model("effort_none")
        .responses(LATEST, "an effort that the model takes") .by_model("effort_none")
        .gemini(GEMINI_THINKING, "a thinking level above MINIMAL on Gemini 4") .by_model("generation")
        .was(&["responses-effort", "gemini-minimal"]);

    // Other parameters.
    MODEL_NAME = "model-name" .messages(SDK, "the name of a model")
        .openai(CHAT, "the name of a model").gemini(GEMINI_SDK, "the name of a model").was(&["model-id"]);
    MODEL_RETIRED = "model-retired" .messages(MODELS, "a model that answers") .level(Deprecated) .by_model("lifecycle");
    MAX_TOKENS = "max-tokens" .messages(MODELS, "a max_tokens that the model takes") .by_model("max_output")
        .chat(LATEST, "a length that the model can give").responses(ISSUES, "max_output_tokens of at least 16").gemini(GEMINI_THINKING, "a length that the model can give")
        .was(&["responses-answer-limit", "largest-answer"]);
    MAX_TOKENS_BATCH = "max-tokens-batch" .messages(MODELS, "a max_tokens that the model takes outside of batches") .level(Needs) .by_model("max_output") .without(&["output-300k-2026-03-24"]);
    PREWARM = "prewarm" .messages(CACHING, "max_tokens 0 without stream, budget, output format and forced tools, and outside of batches");
    STOP_SEQUENCE = "stop-sequence" .messages(ISSUES, "a character other than white space");
    SAMPLING_RANGE = "sampling-range" .messages(SDK, "a number from 0 to 1")
        .openai(OPENAI_SDK, "a number in the range of the key");
    SAMPLING = "sampling" .messages(SDK, "no sampling parameters under API version 2026-10-21") .since(V2026_10_21);
    SAMPLING_MODEL = "sampling-model" .messages(THINKING, "the default of the sampling parameter") .by_model("sampling")
        .chat(REASONING, "no sampling parameter but the default value")
        .responses(LATEST, "no sampling parameter but the default value")
        .gemini(GEMINI_THINKING, "no penalties and one candidate on Gemini 4").by_model("sampling")
        .was(&["chat-sampling", "responses-sampling", "gemini-penalty", "sampling-parameters"]);
    SAMPLING_THINKING = "sampling-thinking" .messages(LIVE, "with thinking: temperature 1, top_p from 0.95, no top_k") .by_model("sampling");
    NULL_SYSTEM = "null-system" .messages(SDK, "text or blocks, or no key");
    SPEED_MODEL = "speed-model" .messages(MODELS, "a model with fast mode") .by_model("fast_mode");
    SPEED_BETA = "speed-beta" .messages(MODELS, "the beta of fast mode") .level(Needs) .by_model("fast_mode") .without(&["fast-mode-2026-02-01"]);
    INFERENCE_GEO = "inference-geo-model" .messages(MODELS, "a model that takes inference_geo") .by_model("inference_geo");
    FALLBACKS_MODEL = "fallbacks-model" .messages(SDK, "no list of fallbacks for this model") .by_model("fallbacks");
    FALLBACKS_BETA = "fallbacks-beta" .messages(SDK, "the beta of server-side fallbacks") .level(Needs) .without(&["server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"]);
    FALLBACK_CREDIT_BETA = "fallback-credit-beta" .messages(SDK, "the beta of fallback credits") .level(Needs) .without(&["fallback-credit-2026-06-01", "fallback-credit-2026-07-01"]);
    TASK_BUDGET_BETA = "task-budget-beta" .messages(SDK, "the beta of task budgets") .level(Needs) .without(&["task-budgets-2026-03-13"]);
    TASK_BUDGET_MODEL = "task-budget-model" .messages(MODELS, "a model that takes a task budget") .by_model("task_budget");
    THREAD_BETA = "thread-beta" .messages(SDK, "the beta of message threads") .level(Needs) .without(&["message-threads-2026-08-12"]);
    THREAD_FIELDS = "thread-fields" .messages(SDK, "no key that the thread already has");
    BILLING_BETA = "billing-beta" .messages(SDK, "the beta of user profiles") .level(Needs) .without(&["user-profiles-billing-2026-10-01", "user-profiles-2026-09-04", "user-profiles-2026-08-18"]);
    OUTPUT_FORMAT = "output-format" .messages(SDK, "output_config.format") .level(Deprecated);
    CONTAINER = "container" .messages(LIVE, "a container only with the code execution tool");

    // Tools.
    TOOL_NAME = "tool-name" .messages(SDK, "a name of the form [a-zA-Z0-9_-]{1,64}")
        .openai(CHAT, "a name of the form [a-zA-Z0-9_-]{1,64}")
        .gemini(CALLING, "a name of the form [a-zA-Z_][a-zA-Z0-9_.:-]{0,127}")
        .was(&["chat-function-name", "responses-function-name", "gemini-function-name"]);
    CALL_NAME = "call-name" .messages(ISSUES, "a name of the form [a-zA-Z0-9_-]{1,200}");
    DOUBLED_TOOL = "doubled-tool" .messages(ERRORS, "one tool of each name")
        .openai(CHAT, "one function of each name").gemini(CALLING, "one function of each name").was(&["repeated-function"]);
    TOOL_SCHEMA = "tool-schema" .messages(SDK, "a JSON Schema of the type object");
    SCHEMA_KEYWORD = "schema-keyword" .everywhere(ISSUES, "the keywords that the server accepts in a schema");
    OUTPUT_SCHEMA = "output-schema" .messages(OUTPUTS, "closed objects, without minimum, maximum and recursion");
    TOOL_COUNT = "tool-count" .chat(ISSUES, "1 to 128 tools").responses(ISSUES, "at most 128 tools");
    ALL_DEFERRED = "all-deferred" .messages(ERRORS, "at least one tool that is not deferred");
    DEFERRED_SEARCH = "deferred-search" .messages(TOOLS, "a tool search tool that is not deferred");
    TOOL_CHOICE = "tool-choice" .messages(ERRORS, "a tool_choice with tools, of a tool that is defined")
        .chat(CHAT, "the name of one of the tools").responses(OPENAI_SDK, "the name of one of the tools").gemini(CALLING, "the name of one of the tools")
        .was(&["chat-tool-choice", "responses-tool-choice", "function-choice", "forced-tool"]);
    FORCED_TOOL_MODEL = "forced-tool-model" .messages(LIVE_TEXTS, "a tool_choice auto or none") .by_model("forced_tool_choice");
    FORCED_TOOL_THINKING = "forced-tool-thinking" .messages(THINKING, "a tool_choice auto or none while thinking with a budget");
    DOMAINS = "domains" .messages(SDK, "allowed_domains or blocked_domains, not both");
    COMPUTER_TOOL = "computer-tool" .messages(LIVE_TEXTS, "a version of the computer tool that the model takes") .by_model("computer_tools");
    COMPUTER_BETA = "computer-use-beta" .messages(SDK, "the beta of the computer tool") .level(Needs) .without(&["computer-use-2024-10-22", "computer-use-2025-01-24", "computer-use-2025-11-24"]);
    ADVISOR_BETA = "advisor-beta" .messages(SDK, "the beta of the advisor tool") .level(Needs) .without(&["advisor-tool-2026-03-01"]);
    ADVISOR_MODEL = "advisor-model" .messages(MODELS, "an advisor of version 5.2") .by_model("generation");
    MCP_BETA = "mcp-beta" .messages(SDK, "the beta of the MCP connector") .level(Needs) .without(&["mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"]);
    MCP_INLINE_BETA = "mcp-inline-beta" .messages(CHANGE_TOOLS, "the beta of inline MCP toolsets") .level(Needs) .without(&["mcp-client-2026-09-15"]);
    MCP_TOOLSET = "mcp-toolset" .messages(TOOLS, "one toolset for each MCP server, and a server for each toolset");
    MCP_URL = "mcp-url" .messages(TOOLS, "an https URL");
    STRICT_OBJECT = "strict-object" .messages(TOOLS, "additionalProperties false in every object of a strict schema")
        .openai(OPENAI_OUTPUTS, "every property in required, and additionalProperties false");
    STRICT_LIMIT = "strict-limit" .messages(TOOLS, "at most 20 strict tools, 24 optional parameters and 16 union types");

    // Cache.
    MARKER_FORM = "marker-form" .messages(CACHING, "an ephemeral marker of 5m or 1h");
    GLOBAL_SCOPE = "global-scope" .messages(SDK, "no scope") .without(&["prompt-caching-scope-2026-01-05"]);
    MARKER_LIMIT = "marker-limit" .messages(CACHING, "at most four markers, the automatic one included")
        .fix("keep four markers: the end of the shared prefix, and the end of the conversation") .was(&["over-four"]);
    MARKER_TTL = "marker-ttl" .messages(CACHING, "markers of one hour before those of five minutes")
        .fix("put the markers of one hour before those of five minutes") .was(&["ttl-order"]);
    MARKER_AUTOMATIC = "marker-automatic" .messages(CACHING, "the lifetime of the marker on the last block");
    MARKER_PLACE = "marker-place" .messages(CACHING, "no marker on thinking, empty text, or a deferred tool")
        .fix("mark the block before or after the thinking") .was(&["marker-on-thinking"]);
    MARKER_PLATFORM = "marker-platform" .messages(CLOUDS, "markers on blocks") .on(&[BedrockInvoke]);
    MARKER_MINIMUM = "marker-minimum" .messages(CACHING, "a prompt as long as the model's cache minimum") .level(Lossy) .by_model("cache_minimum")
        .fix("mark a longer prefix, or none") .was(&["below-minimum"]);
    MARKER_VOLATILE = "marker-volatile" .messages(CACHING, "a marker on a block that the next request has") .level(Lossy)
        .fix("put the marker before the block that changes, on the last one that stays") .was(&["marker-on-volatile"]);

    // Media.
    MEDIA_LIMIT = "media-limit" .messages(VISION, "as many images as the model takes") .by_model("max_images")
        .elsewhere(LATEST, "as many images as the model takes").was(&["image-limit"]);
    MEDIA_TYPE = "media-type" .messages(VISION, "the media type of the data");
    CITATIONS = "citations" .messages(CITING, "citations on all documents or on none, and on none with an output format");
    MEDIA_URL = "media-url" .messages(ISSUES, "an https URL");
    MEDIA_DATA = "media-data" .messages(VISION, "base64").openai(OPENAI_SDK, "base64").gemini(GEMINI_SDK, "base64");
    IMAGE_SIDES = "image-sides" .messages(VISION, "sides of at most 8,000 pixels; 2,000 in a request with more than 20 images");
    IMAGE_SIZE = "image-size" .messages(VISION, "at most 10 MB of base64; 5 MB on Bedrock and Google Cloud");

    // Betas.
    UNKNOWN_BETA = "unknown-beta" .messages(SDK, "a beta that a public list names") .level(Unknown);

    // Platforms.
    PLATFORM_KEY = "platform-key" .messages(CLOUDS, "a key that the platform takes in the body");
    PLATFORM_FEATURE = "platform-feature" .messages(CLOUDS, "a feature that the platform has");

    // Requests to convert.
    MODEL_ENDPOINT = "model-endpoint" .messages(MODELS, "a model that the endpoint is known to serve");
    BASE64_ONLY = "base64-only" .messages(CLOUDS, "data where the provider can get it").chat(CHAT, "data where the provider can get it").responses(OPENAI_SDK, "data where the provider can get it").gemini(GEMINI_SDK, "data where the provider can get it");
    DOCUMENT = "document" .messages(CLOUDS, "plain text in place of a document").chat(CHAT, "plain text in place of a document").responses(OPENAI_SDK, "plain text in place of a document").gemini(GEMINI_SDK, "plain text in place of a document");
    SCHEMA = "schema" .gemini(GEMINI_SDK, "a schema that can be rewritten");
    DOUBLED_SHORT_NAME = "doubled-short-name" .openai(CHAT, "names that differ after they were shortened").gemini(CALLING, "names that differ after they were shortened");

    // Keys and items that the Messages API does not have.
    FOREIGN_KEY = "foreign-key" .chat(CHAT, "no key of another wire").responses(OPENAI_SDK, "no key of another wire").gemini(GEMINI_SDK, "no key of another wire")
        .was(&["chat-foreign-key", "responses-foreign-key"]);
    JSON_WORD = "json-word" .chat(CHAT, "the word JSON in a message, with response_format json_object") .was(&["chat-json-word"]);
    STOP_LIMIT = "stop-limit" .chat(CHAT, "at most four stop sequences").gemini(GEMINI_SDK, "at most five stop sequences") .was(&["chat-stop-limit"]);
    MAX_TOKENS_KEY = "max-tokens-key" .chat(REASONING, "max_completion_tokens on a reasoning model") .by_model("sampling") .was(&["chat-max-tokens"]);
    TOOLS_ON_CHAT = "tools-on-chat" .chat(LATEST, "tools on Responses") .by_model("wires") .was(&["chat-tools"]);
    TOOLS_EFFORT = "tools-effort" .chat(LATEST, "reasoning_effort none with tools, or Responses") .by_model("wires") .was(&["chat-tools-effort"]);
    STREAM_OPTIONS = "stream-options" .chat(ISSUES, "stream_options only with stream").responses(OPENAI_SDK, "stream_options only with stream");
    LOGPROBS = "logprobs" .chat(OPENAI_SDK, "logprobs true with top_logprobs");
    DOUBLED_ITEM = "doubled-item" .responses(ISSUES, "each item id once");
    ITEM_ID = "item-id" .responses(ISSUES, "an id with the prefix of the item type: ctc_, fc_, msg_, rs_ or ws_") .was(&["responses-item-id"]);
    REASONING_CONTENT = "reasoning-content" .responses(ISSUES, "encrypted_content in reasoning under store:false") .was(&["responses-reasoning"]);
    TOOL_FORM = "tool-form" .chat(CHAT, "a nested function tool: type, function").responses(OPENAI_SDK, "a flat function tool: type, name, parameters") .was(&["responses-tool"]);
    METADATA = "metadata" .openai(OPENAI_SDK, "at most 16 pairs, keys of 64 and values of 512 characters") .was(&["responses-metadata"]);
    SAFETY_IDENTIFIER = "safety-identifier" .openai(OPENAI_SDK, "a text of at most 128 characters") .was(&["responses-safety-identifier"]);
    EXCLUSIVE_KEYS = "exclusive-keys" .responses(OPENAI_SDK, "one of two keys that exclude each other").gemini(GEMINI_SDK, "one of two keys that exclude each other");
    FIRST_TURN = "first-turn" .gemini(CALLING, "a first content from the user");
    CALL_TURN = "call-turn" .gemini(ISSUES, "a call directly after a turn of the user or a function response");
    PART_DATA = "part-data" .gemini(GEMINI_SDK, "one kind of data in each part") .was(&["gemini-part"]);
    CALL_SIGNATURE = "call-signature" .gemini(SIGNATURES, "the thought signature on the first call of each step of the current turn") .by_model("signed_calls") .was(&["gemini-signature"]);
    CACHED_CONTENT = "cached-content" .gemini(GEMINI_CACHING, "a model with explicit caching") .by_model("cached_content");
    THINKING_CONFLICT = "thinking-conflict" .gemini(GEMINI_THINKING, "a thinking level or a budget, never both") .was(&["gemini-thinking"]);

    // Where a log costs more than it needs to.
    NO_TAIL_MARKER = "no-tail-marker" .messages(CACHING, "a marker near the end of a request that is continued") .level(Cost)
        .fix("put a marker on the last block of the last message");
    LOOK_BACK_GAP = "look-back-gap" .messages(CACHING, "a marker at most 20 positions after the entry") .level(Cost)
        .fix("keep a marker at the end of the previous request too");
    SHARED_AFTER_SESSION = "shared-after-session" .everywhere(PREFIXES, "what sessions share before what differs between them") .level(Cost)
        .fix("move what sessions share before what differs between them");
    TOOLS_REORDERED = "tools-reordered" .everywhere(PREFIXES, "the tools in the order of the request before") .level(Cost)
        .fix("sort the tools by name");
    PREFIX_CHANGED = "prefix-changed" .everywhere(PREFIXES, "the prefix of the request before") .level(Cost)
        .fix("send the prefix as it was, and append what is new");
    ONE_SHOT_WRITES_TAIL = "one-shot-writes-tail" .everywhere(PREFIXES, "no write of messages that no request reads") .level(Cost)
        .fix("do not mark messages of one-shot requests");
    COLD_FAN_OUT = "cold-fan-out" .everywhere(PREFIXES, "a response before the requests that share its prefix") .level(Cost)
        .fix("wait for the first response before sending the others");
    HOUR_NEVER_READ = "hour-never-read" .everywhere(PREFIXES, "a read after five minutes of an entry that lives an hour") .level(Cost)
        .fix("use the lifetime of five minutes");
    EXPIRED_OFTEN = "expired-often" .everywhere(PREFIXES, "entries that live until the next request") .level(Cost)
        .fix("use a longer lifetime if the API has one, or send a request before the entry expires");
    THINKING_BOUND_PREFIX_CHANGED = "thinking-bound-prefix-changed" .messages(PRESERVED, "the prefix that the thinking is bound to") .level(Cost)
        .fix("leave tools, system prompt and earlier messages as they were sent");
    CACHEABLE_BUT_UNMARKED = "cacheable-but-unmarked" .messages(CACHING, "a marker in a long prefix that is sent again")
        .openai(PREFIXES, "a breakpoint in a long prefix that is sent again") .level(Cost)
        .fix("put markers at the end of the system prompt and of the conversation");
    INSTRUCTIONS_UNCACHED = "instructions-uncached" .responses(PREFIXES, "stable text in the first developer message, where the model caches it") .level(Cost)
        .fix("move the stable text from `instructions` to a first developer message");

    // What a session pays for apart from the places of markers.
    SINGLE_CALLS = "single-calls" .everywhere(PARTS, "independent calls in one response") .level(Cost)
        .fix("let the model make independent calls in one response; two calls each save every second request");
    LONG_RESULTS = "long-results" .everywhere(PARTS, "results of at most 800 tokens, the rest on demand") .level(Cost)
        .fix("cut long results, and let the model read the rest on demand");
    UNUSED_TOOLS = "unused-tools" .everywhere(PARTS, "tools that the conversation calls") .level(Cost)
        .fix("leave out tools that are never called, or defer them");

    // What fills a request.
    DUPLICATE = "duplicate" .everywhere(PARTS, "each text once") .level(Cost);
    READ_AGAIN = "read-again" .everywhere(PARTS, "one result of a file, the newest") .level(Cost);
    LARGE_PART = "large-part" .everywhere(PARTS, "parts of less than a tenth of the context window") .level(Cost);
    OLD_RESULTS = "old-results" .everywhere(PARTS, "results of tools near the end of the conversation") .level(Cost);
    REMINDERS = "reminders" .everywhere(PARTS, "few reminders") .level(Cost);
    UNCACHED = "uncached" .everywhere(PARTS, "cache markers that cover the prompt") .level(Cost);
}

/// Finds a rule by its id, current or earlier. Linear in how many rules there
/// are.
///
/// ```
/// let rule = aside_rules::find("missing-call").expect("an earlier id");
/// assert_eq!(rule.id, "orphaned-result");
/// ```
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.is_named(id))
}
