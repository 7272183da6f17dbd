//! Every rule. A rule is a line here and a condition in the file of its
//! subject.
//!
//! A row is read as: constant, part of the request that the rule depends on,
//! name, source, expectation, and the restrictions of the rule:
//!
//! ```text
//! THREAD_BETA =
//!     Object                             the `RuleScope`
//!     "thread-beta"                      `Rule::name`, and the folder of its cases
//!     SDK                                `Rule::source`
//!     "the beta of message threads"      `Violation::expected`, by default
//!     .level(Needs)                      the level, by default `Refused`
//!     .without(&["message-threads-…"])   the betas that lift the rule
//! ```
//!
//! `.since(…)` names the first version of the API that has the rule,
//! `.by_model(…)` the field of the model's facts that it reads, and `.on(…)`
//! the only platforms that have it. A rule whose level is `Needs` becomes
//! `Refused` once the betas are known and none of its own is sent.

use aside_models::Platform::{AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud};

use super::rule::ApiVersion::V2026_10_21;
use super::rule::{Rule, RuleLevel, RuleScope};

use RuleLevel::{Deprecated, Lossy, Needs, Unknown};
use RuleScope::{Messages, Object, Prefix, Whole};

/// Types of the official client. The API refuses keys and values that they lack
/// (documented).
const SDK: &str = "anthropic (Python) 2.12.0, types";
/// The page about errors and status codes, and the refusals that the pages of the
/// endpoints document.
const ERRORS: &str = "platform docs, errors";
/// Refusals that users reported with the text of the error, in several
/// projects.
const ISSUES: &str = "issue threads of SDKs and agents";
/// Observed by others with real requests, on `claude-opus-5-5` and
/// `claude-sonnet-5`. None was sent by this project.
const LIVE: &str = "published live probe, September 2026";
/// Observed texts of errors on `claude-opus-5-5`. Wording may change, so no
/// rule compares whole sentences.
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
const VISION: &str = "platform docs, vision";
const MODELS: &str = "platform docs, models";
const CLOUDS: &str = "platform docs and AWS, features by platform";

/// The betas of compaction on demand.
///
/// Needed by the parameter `compaction` and by every later request that has a
/// signed block.
pub(super) const COMPACT: &[&str] = &["compact-2026-09-04"];
/// The betas of compaction by threshold.
///
/// Needed by the edit `compact_20260112` and by every later request that has an
/// unsigned block.
pub(super) const COMPACT_THRESHOLD: &[&str] = &["compact-2026-01-12"];

/// Declares the constants and the list of all from the same rows, so that no
/// rule can be missing from `RULES`.
macro_rules! rules {
    ($($ident:ident = $part:ident $name:literal $source:ident $expected:literal
       $(.$method:ident($($argument:tt)*))* ;)*) => {
        $(pub(super) const $ident: Rule =
            Rule::new($part, $name, $source, $expected)$(.$method($($argument)*))*;)*

        /// Every rule of the Messages API.
        pub const RULES: &[Rule] = &[$($ident),*];
    };
}

rules! {
    // The form of the document.
    JSON = Whole "json" SDK "one JSON object";
    SURROGATE = Whole "surrogate" ISSUES "Unicode text, without half a surrogate pair";
    DOUBLED_KEY = Object "doubled-key" SDK "every key once";
    UNKNOWN_KEY = Object "unknown-key" SDK "no other key";
    MISSING_KEY = Object "missing-key" SDK "the key";
    VALUE_TYPE = Object "value-type" SDK "a value of the key's type";
    VALUE = Object "value" SDK "one of the values of the key";
    UNKNOWN_KIND = Object "unknown-kind" SDK "a type of the API" .level(Unknown);
    FOREIGN_KIND = Object "foreign-kind" SDK "a type of the Messages API";
    MISSPELLED_KIND = Object "misspelled-kind" SDK "a type of the API";
    BLOCK_PLACE = Object "block-place" SDK "a type that is accepted here";
    BODY_SIZE = Whole "body-size" ERRORS "a body within the limit of the platform";
    MESSAGE_COUNT = Whole "message-count" ERRORS "at most 100,000 messages";
    PROMPT_LENGTH = Whole "prompt-length" ERRORS "a prompt that fits into the context window of the model" .by_model("context_window");

    // Messages.
    NO_MESSAGE = Messages "no-message" ERRORS "at least one message";
    EMPTY_CONTENT = Messages "empty-content" ERRORS "content, except in a last message of the assistant";
    BLANK_TEXT = Object "blank-text" ERRORS "text with a character other than white space";
    PREFILL = Messages "prefill" ERRORS "a last message from the user" .by_model("prefill");
    TRAILING_SPACE = Messages "trailing-space" ERRORS "a last message of the assistant that does not end with white space" .by_model("prefill");
    BLOCK_ROLE = Messages "block-role" ERRORS "tool uses and thinking of the assistant, tool results of the user, tool changes of the system";
    THINKING_SIGNATURE = Messages "thinking-signature" LIVE "the signature that came with the thinking";
    ASSISTANT_DOCUMENT = Messages "assistant-document" SDK "documents of the user only, under API version 2026-10-21" .since(V2026_10_21);
    USER_CITATIONS = Messages "user-citations" SDK "no citations on text of the user, under API version 2026-10-21" .since(V2026_10_21);

    // Tool uses and their results.
    RESULT_ORDER = Messages "result-order" ERRORS "tool results before other blocks";
    UNANSWERED_CALL = Messages "unanswered-call" ERRORS "a tool_result in the next message";
    ORPHANED_RESULT = Messages "orphaned-result" ERRORS "a tool_use with this id in the message before";
    DOUBLED_RESULT = Whole "doubled-result" ERRORS "one result for each tool use";
    DOUBLED_CALL = Whole "doubled-call" ERRORS "a new id for each tool use";
    CALL_ID = Messages "call-id" ERRORS "an id of the form [a-zA-Z0-9_-]+";
    SERVER_CALL_ID = Messages "server-call-id" SDK "an id that begins with srvtoolu_";
    SERVER_RESULT = Messages "server-result" TOOLS "no tool_result for a tool that the API runs";
    PENDING_SERVER_CALL = Messages "pending-server-call" ERRORS "only tool results while a tool of the API is pending";
    ERROR_CONTENT = Messages "error-content" ISSUES "only text in the result of a failed tool";
    RESULT_REFERENCE = Whole "result-reference" TOOLS "the name of a tool in `tools`";

    // System messages in mid-conversation.
    SYSTEM_MODEL = Messages "system-model" SYSTEM "a model that takes system messages in mid-conversation" .by_model("system_messages");
    SYSTEM_FIRST = Whole "system-first" SYSTEM "the parameter `system` for the first instructions";
    SYSTEM_AFTER = Messages "system-after" SYSTEM "a user message, or an assistant message that ends in a server tool result, before it";
    SYSTEM_BEFORE = Messages "system-before" SYSTEM "an assistant message, or the end, after it";
    SYSTEM_CONTENT = Messages "system-content" SYSTEM "at least one block, or an output_config";
    SYSTEM_BLOCKS = Messages "system-blocks" SYSTEM "only text, tool_addition and tool_removal";
    CHANGE_AFTER_PAUSE = Messages "change-after-pause" CHANGE_TOOLS "no tool change right after a paused response";

    // Turn-scoped system messages.
    CLEAR_AT_BETA = Object "clear-at-beta" LIVE_TEXTS "the beta of turn-scoped system messages" .level(Needs) .without(&["mid-conversation-system-clear-at-2026-08-21"]);
    CLEAR_AT_ROLE = Messages "clear-at-role" LIVE_TEXTS "clear_at on system messages only";
    CLEAR_AT_MODEL = Messages "clear-at-model" CLEAR_AT "a model that takes turn-scoped system messages" .by_model("clear_at");
    CLEAR_AT_BLOCKS = Messages "clear-at-blocks" LIVE_TEXTS "only text in a turn-scoped message";
    CLEAR_AT_OUTPUT_CONFIG = Messages "clear-at-output-config" LIVE_TEXTS "no output_config on a turn-scoped message";
    CLEAR_AT_MARKER = Messages "clear-at-marker" LIVE_TEXTS "no cache marker in a turn-scoped message";

    // Effort of a message.
    MESSAGE_EFFORT_BETA = Object "message-effort-beta" LIVE_TEXTS "the beta of output_config on messages" .level(Needs) .without(&["mid-conversation-output-config-2026-07-01", "per-turn-control-2026-07-01"]);
    MESSAGE_EFFORT_ROLE = Messages "message-effort-role" EFFORT "output_config on system messages only";
    MESSAGE_EFFORT_MODEL = Messages "message-effort-model" LIVE_TEXTS "a model that takes an effort for each turn" .by_model("message_effort");
    MESSAGE_EFFORT_THINKING = Whole "message-effort-thinking" LIVE_TEXTS "the effort in effect before, since thinking is off" .by_model("thinking");

    // Tool changes.
    TOOL_CHANGES_BETA = Object "tool-changes-beta" CHANGE_TOOLS "the beta of tool changes" .level(Needs) .without(&["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"]);
    TOOL_CHANGES_MODEL = Messages "tool-changes-model" CHANGE_TOOLS "a model that takes tool changes" .by_model("tool_changes");
    INLINE_TOOLS_BETA = Object "inline-tools-beta" CHANGE_TOOLS "the beta of inline tools" .level(Needs) .without(&["inline-tools-2026-09-15"]);
    INLINE_TOOLS_PLATFORM = Messages "inline-tools-platform" CLOUDS "inline tools at the Claude API only" .on(&[AwsPlatform, BedrockInvoke, BedrockMessages, Foundry, GoogleCloud]);
    INLINE_TOOL_KIND = Messages "inline-tool-kind" CHANGE_TOOLS "a tool that can be defined in a message";
    TOOL_CHANGE_REFERENCE = Whole "tool-change-reference" CHANGE_TOOLS "the name of a tool in `tools`";
    TOOL_CHANGE_CONFLICT = Whole "tool-change-conflict" CHANGE_TOOLS "a reference of the tool's own kind";
    TOOL_CHANGE_MARKER = Messages "tool-change-marker" CHANGE_TOOLS "a cache marker on the block or in the definition, not on both";
    AVAILABLE_TOOLS = Whole "available-tools" SDK "at most 10,000 deferred tools, 10,000 tools that messages define, and 4 MiB of their definitions";

    // Compaction.
    COMPACTION_BETA = Object "compaction-beta" COMPACTION "the beta of compaction on demand" .level(Needs) .without(COMPACT);
    COMPACTION_MODEL = Prefix "compaction-model" COMPACTION "a model and a platform with compaction on demand" .by_model("compaction");
    COMPACTION_INSTRUCTIONS = Prefix "compaction-instructions" COMPACTION "instructions of at most 16,384 characters";
    COMPACTION_CONFLICT = Whole "compaction-conflict" COMPACTION "compaction on demand by itself";
    COMPACTION_INCOMPLETE_TURN = Whole "compaction-incomplete-turn" COMPACTION "an answer to every tool use before a compaction";
    COMPACTION_MISPLACED = Whole "compaction-misplaced" COMPACTION "a signed compaction block first in the messages";
    COMPACTION_AMBIGUOUS = Whole "compaction-ambiguous" COMPACTION "one signed compaction block";
    COMPACTION_STRATEGY = Whole "compaction-strategy" COMPACTION "the edit compact_20260112 with unsigned compaction blocks, or a signature";
    COMPACTION_MIXED = Whole "compaction-mixed" COMPACTION "no signed compaction block with the edit compact_20260112";
    THRESHOLD_BETA = Object "threshold-compaction-beta" COMPACTION "the beta of compaction by threshold" .level(Needs) .without(COMPACT_THRESHOLD);
    THRESHOLD_VALUE = Prefix "compaction-threshold" LIVE "a trigger of at least 50,000 tokens";

    // Context editing.
    EDITING_BETA = Object "context-editing-beta" EDITING "the beta of context management" .level(Needs) .without(&["context-management-2025-06-27", "compact-2026-01-12"]);
    CLEAR_THINKING_BETA = Object "clear-thinking-beta" EDITING "the beta of context management" .level(Needs) .without(&["context-management-2025-06-27"]);
    CLEAR_THINKING_FIRST = Prefix "clear-thinking-first" LIVE "clear_thinking_20251015 as the first edit";
    EDIT_VALUE = Prefix "edit-value" EDITING "a number that the edit accepts";

    // Thinking and effort.
    THINKING_MODE = Prefix "thinking-mode" THINKING "a mode of thinking that the model takes" .by_model("thinking");
    THINKING_DEPRECATED = Prefix "thinking-deprecated" THINKING "adaptive thinking" .level(Deprecated) .by_model("thinking");
    THINKING_BUDGET = Prefix "thinking-budget" THINKING "a budget of at least 1,024 tokens and less than max_tokens";
    INTERLEAVED_BUDGET = Prefix "interleaved-budget" THINKING "a budget of less than max_tokens, or interleaved thinking" .level(Needs) .without(&["interleaved-thinking-2025-05-14"]);
    THINKING_EFFORT = Prefix "thinking-effort" THINKING "effort high or below while thinking is off" .by_model("thinking");
    DISPLAY_BETA = Object "display-updates-beta" THINKING "the beta of progress updates" .level(Needs) .without(&["thinking-display-updates-2026-08-18"]);
    BLOCK_BINDING_BETA = Object "block-binding-beta" PRESERVED "the beta of binding controls" .level(Needs) .without(&["thinking-binding-controls-2026-08-01"]);
    EFFORT_MODEL = Object "effort-model" EFFORT "an effort that the model takes" .by_model("efforts");

    // Other parameters.
    MODEL_NAME = Prefix "model-name" SDK "the name of a model";
    MODEL_RETIRED = Whole "model-retired" MODELS "a model that answers" .level(Deprecated) .by_model("lifecycle");
    MAX_TOKENS = Prefix "max-tokens" MODELS "a max_tokens that the model takes" .by_model("max_output");
    MAX_TOKENS_BATCH = Prefix "max-tokens-batch" MODELS "a max_tokens that the model takes outside of batches" .level(Needs) .by_model("max_output") .without(&["output-300k-2026-03-24"]);
    PREWARM = Prefix "prewarm" CACHING "max_tokens 0 without stream, budget, output format and forced tools";
    SAMPLING_RANGE = Prefix "sampling-range" SDK "a number in the range of the parameter";
    SAMPLING = Prefix "sampling" SDK "no sampling parameters under API version 2026-10-21" .since(V2026_10_21);
    SAMPLING_MODEL = Prefix "sampling-model" THINKING "the default of the sampling parameter" .by_model("sampling");
    SAMPLING_THINKING = Prefix "sampling-thinking" LIVE "with thinking: temperature 1, top_p from 0.95, no top_k" .by_model("sampling");
    NULL_SYSTEM = Prefix "null-system" SDK "text or blocks, or no key";
    SPEED_MODEL = Prefix "speed-model" MODELS "a model with fast mode" .by_model("fast_mode");
    SPEED_BETA = Prefix "speed-beta" MODELS "the beta of fast mode" .level(Needs) .by_model("fast_mode") .without(&["fast-mode-2026-02-01"]);
    INFERENCE_GEO = Prefix "inference-geo-model" MODELS "a model that takes inference_geo" .by_model("inference_geo");
    FALLBACKS_MODEL = Prefix "fallbacks-model" SDK "no list of fallbacks for this model" .by_model("fallbacks");
    FALLBACKS_BETA = Object "fallbacks-beta" SDK "the beta of server-side fallbacks" .level(Needs) .without(&["server-side-fallback-2026-06-01", "server-side-fallback-2026-07-01"]);
    FALLBACK_CREDIT_BETA = Object "fallback-credit-beta" SDK "the beta of fallback credits" .level(Needs) .without(&["fallback-credit-2026-06-01", "fallback-credit-2026-07-01"]);
    TASK_BUDGET_BETA = Object "task-budget-beta" SDK "the beta of task budgets" .level(Needs) .without(&["task-budgets-2026-03-13"]);
    TASK_BUDGET_MODEL = Prefix "task-budget-model" MODELS "a model that takes a task budget" .by_model("task_budget");
    THREAD_BETA = Object "thread-beta" SDK "the beta of message threads" .level(Needs) .without(&["message-threads-2026-08-12"]);
    BILLING_BETA = Object "billing-beta" SDK "the beta of user profiles" .level(Needs) .without(&["user-profiles-billing-2026-10-01", "user-profiles-2026-09-04", "user-profiles-2026-08-18"]);
    OUTPUT_FORMAT = Prefix "output-format" SDK "output_config.format" .level(Deprecated);
    CONTAINER = Prefix "container" LIVE "a container only with the code execution tool";

    // Tools.
    TOOL_NAME = Prefix "tool-name" SDK "a name of the form [a-zA-Z0-9_-]{1,64}";
    DOUBLED_TOOL = Prefix "doubled-tool" ERRORS "one tool of each name";
    TOOL_SCHEMA = Prefix "tool-schema" SDK "a JSON Schema of the type object";
    ALL_DEFERRED = Prefix "all-deferred" ERRORS "at least one tool that is not deferred";
    DEFERRED_SEARCH = Prefix "deferred-search" TOOLS "a tool search tool that is not deferred";
    TOOL_CHOICE = Prefix "tool-choice" ERRORS "a tool_choice with tools, of a tool that is defined";
    FORCED_TOOL_MODEL = Prefix "forced-tool-model" LIVE_TEXTS "a tool_choice auto or none" .by_model("forced_tool_choice");
    FORCED_TOOL_THINKING = Prefix "forced-tool-thinking" THINKING "a tool_choice auto or none while thinking with a budget";
    DOMAINS = Prefix "domains" SDK "allowed_domains or blocked_domains, not both";
    COMPUTER_TOOL = Prefix "computer-tool" LIVE_TEXTS "a version of the computer tool that the model takes" .by_model("computer_tools");
    COMPUTER_BETA = Object "computer-use-beta" SDK "the beta of the computer tool" .level(Needs) .without(&["computer-use-2024-10-22", "computer-use-2025-01-24", "computer-use-2025-11-24"]);
    ADVISOR_BETA = Object "advisor-beta" SDK "the beta of the advisor tool" .level(Needs) .without(&["advisor-tool-2026-03-01"]);
    ADVISOR_MODEL = Prefix "advisor-model" MODELS "an advisor of version 5.2" .by_model("generation");
    MCP_BETA = Object "mcp-beta" SDK "the beta of the MCP connector" .level(Needs) .without(&["mcp-client-2025-04-04", "mcp-client-2025-11-20", "mcp-client-2026-09-15"]);
    MCP_INLINE_BETA = Messages "mcp-inline-beta" CHANGE_TOOLS "the beta of inline MCP toolsets" .level(Needs) .without(&["mcp-client-2026-09-15"]);
    MCP_TOOLSET = Prefix "mcp-toolset" TOOLS "one toolset for each MCP server, and a server for each toolset";
    MCP_URL = Prefix "mcp-url" TOOLS "an https URL";
    STRICT_OBJECT = Prefix "strict-object" TOOLS "additionalProperties false in every object of a strict schema";
    STRICT_LIMIT = Prefix "strict-limit" TOOLS "at most 20 strict tools, 24 optional parameters and 16 union types";

    // Cache.
    MARKER_FORM = Object "marker-form" CACHING "an ephemeral marker of 5m or 1h";
    GLOBAL_SCOPE = Object "global-scope" SDK "no scope" .without(&["prompt-caching-scope-2026-01-05"]);
    MARKER_LIMIT = Whole "marker-limit" CACHING "at most four markers, the automatic one included";
    MARKER_TTL = Whole "marker-ttl" CACHING "markers of one hour before those of five minutes";
    MARKER_AUTOMATIC = Whole "marker-automatic" CACHING "the lifetime of the marker on the last block";
    MARKER_PLACE = Object "marker-place" CACHING "no marker on thinking, empty text, or a deferred tool";
    MARKER_PLATFORM = Prefix "marker-platform" CLOUDS "markers on blocks" .on(&[BedrockInvoke]);
    MARKER_MINIMUM = Whole "marker-minimum" CACHING "a prompt as long as the model's cache minimum" .level(Lossy) .by_model("cache_minimum");
    MARKER_VOLATILE = Whole "marker-volatile" CACHING "a marker on a block that the next request has" .level(Lossy);

    // Media.
    MEDIA_LIMIT = Whole "media-limit" VISION "as many images as the model takes" .by_model("max_images");
    MEDIA_TYPE = Messages "media-type" VISION "the media type of the data";
    MEDIA_DATA = Messages "media-data" VISION "base64";
    IMAGE_SIDES = Whole "image-sides" VISION "sides of at most 8,000 pixels; 2,000 in a request with more than 20 images";
    IMAGE_SIZE = Messages "image-size" VISION "at most 10 MB of base64; 5 MB on Bedrock and Google Cloud";

    // Betas.
    UNKNOWN_BETA = Prefix "unknown-beta" SDK "a beta that a public list names" .level(Unknown);

    // Platforms.
    PLATFORM_KEY = Prefix "platform-key" CLOUDS "a key that the platform takes in the body";
    PLATFORM_FEATURE = Messages "platform-feature" CLOUDS "a feature that the platform has";
}
