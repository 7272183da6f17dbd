//! Every rule of the other wires. A rule is a line here and a condition in the
//! file of its wire.

use aside_messages::RuleLevel;
use aside_models::Wire;
use serde::Serialize;

use RuleLevel::{Refused, Unknown};

/// A rule of a wire other than the Messages API, as data.
///
/// ```json
/// {"name": "chat-call-id", "level": "refused", "expected": "an id of at most 40 characters",
///  "source": "OpenAI docs, chat completions", "model": null}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WireRule {
    /// Its name, in kebab case; it begins with the wire.
    pub name: &'static str,
    /// The effect on a request that violates it.
    pub level: RuleLevel,
    /// The value that the API expects.
    pub expected: &'static str,
    /// The publication or observation of the rule.
    pub source: &'static str,
    /// The fact about the model that the rule depends on, by its field in
    /// [`aside_models::ModelFacts`].
    pub model: Option<&'static str>,
    /// The wire; `None` for all.
    #[serde(skip)]
    pub wire: Option<Wire>,
}

const JSON_TEXT: &str = "RFC 8259";
const CHAT: &str = "OpenAI docs, chat completions";
const RESPONSES: &str = "openai (Python) 3.54.0, types";
const REASONING: &str = "OpenAI docs, reasoning models";
const LATEST: &str = "OpenAI docs, models";
const ISSUES: &str = "issue threads of SDKs and agents";
const GEMINI: &str = "google-genai (Python) 3.4.0, types";
const CALLING: &str = "Gemini docs, function calling";
const SIGNATURES: &str = "Gemini docs, thought signatures";
const THINKING: &str = "Gemini docs, thinking";

macro_rules! rules {
    ($($ident:ident = $form:ident $name:literal $level:ident $source:ident
       $(by $fact:literal)? $expected:literal;)*) => {
        $(pub(super) const $ident: WireRule = WireRule {
            name: $name,
            level: $level,
            expected: $expected,
            source: $source,
            model: rules!(@fact $($fact)?),
            wire: rules!(@form $form),
        };)*

        /// Every rule that [`check_wire`](crate::check_wire) applies.
        pub const WIRE_RULES: &[WireRule] = &[$($ident),*];
    };
    (@fact) => { None };
    (@fact $fact:literal) => { Some($fact) };
    (@form Any) => { None };
    (@form $form:ident) => { Some(Wire::$form) };
}

rules! {
    JSON = Any "wire-json" Refused JSON_TEXT "one JSON object";

    // Chat Completions.
    CHAT_MESSAGES = ChatCompletions "chat-messages" Refused CHAT "a list of at least one message";
    CHAT_ROLE = ChatCompletions "chat-role" Refused CHAT "developer, system, user, assistant, tool or function";
    CHAT_FOREIGN_KEY = ChatCompletions "chat-foreign-key" Refused CHAT "no key of another wire";
    CHAT_TOOL_OUTPUT = ChatCompletions "chat-tool-output" Refused CHAT "a tool message for each call, directly after the calls";
    CHAT_TOOL_CALL = ChatCompletions "chat-tool-call" Refused CHAT "a call with this id in the assistant message before";
    CHAT_CALL_ID = ChatCompletions "chat-call-id" Refused CHAT "an id of at most 40 characters";
    CHAT_ARGUMENTS = ChatCompletions "chat-arguments" Refused CHAT "arguments as a JSON string";
    CHAT_FUNCTION_NAME = ChatCompletions "chat-function-name" Refused CHAT "a name of the form [a-zA-Z0-9_-]{1,64}";
    CHAT_TOOL_CHOICE = ChatCompletions "chat-tool-choice" Refused CHAT "the name of one of the tools";
    CHAT_FILE_NAME = ChatCompletions "chat-file-name" Refused CHAT "a filename for the data of a file";
    CHAT_JSON_WORD = ChatCompletions "chat-json-word" Refused CHAT "the word JSON in a message, with response_format json_object";
    CHAT_STOP_LIMIT = ChatCompletions "chat-stop-limit" Refused CHAT "at most four stop sequences";
    CHAT_MAX_TOKENS = ChatCompletions "chat-max-tokens" Refused REASONING by "sampling" "max_completion_tokens on a reasoning model";
    CHAT_SAMPLING = ChatCompletions "chat-sampling" Refused REASONING by "sampling" "no sampling parameter but the default value";
    CHAT_TOOLS = ChatCompletions "chat-tools" Refused LATEST by "wires" "tools on Responses";
    CHAT_TOOLS_EFFORT = ChatCompletions "chat-tools-effort" Refused LATEST by "wires" "reasoning_effort none with tools, or Responses";

    // Responses.
    RESPONSES_INPUT = Responses "responses-input" Refused RESPONSES "a string or a list of items";
    RESPONSES_FOREIGN_KEY = Responses "responses-foreign-key" Refused RESPONSES "no key of another wire";
    RESPONSES_UNKNOWN_KEY = Responses "responses-unknown-key" Unknown RESPONSES "a key of the wire";
    RESPONSES_ITEM_TYPE = Responses "responses-item-type" Unknown RESPONSES "an item type of the wire";
    RESPONSES_ROLE = Responses "responses-role" Refused RESPONSES "user, assistant, system or developer";
    RESPONSES_PART_TYPE = Responses "responses-part-type" Refused RESPONSES "input_… parts in messages, output_text or refusal in those of the assistant";
    RESPONSES_CALL_OUTPUT = Responses "responses-call-output" Refused ISSUES "an output for each call";
    RESPONSES_OUTPUT_CALL = Responses "responses-output-call" Refused ISSUES "a call with this call_id before the output";
    RESPONSES_ARGUMENTS = Responses "responses-arguments" Refused RESPONSES "arguments as a JSON string";
    RESPONSES_OUTPUT = Responses "responses-output" Refused RESPONSES "a string or a list of input parts";
    RESPONSES_ITEM_ID = Responses "responses-item-id" Refused ISSUES "an id with the prefix of the item type: fc_, msg_ or rs_";
    RESPONSES_REASONING = Responses "responses-reasoning" Refused ISSUES "encrypted_content in reasoning under store:false";
    RESPONSES_TOOL = Responses "responses-tool" Refused RESPONSES "a flat function tool: type, name, parameters";
    RESPONSES_FUNCTION_NAME = Responses "responses-function-name" Refused CHAT "a name of the form [a-zA-Z0-9_-]{1,64}";
    RESPONSES_TOOL_CHOICE = Responses "responses-tool-choice" Refused RESPONSES "the name of one of the tools";
    RESPONSES_ANSWER_LIMIT = Responses "responses-answer-limit" Refused ISSUES "max_output_tokens of at least 16";
    RESPONSES_METADATA = Responses "responses-metadata" Refused RESPONSES "at most 16 pairs, keys of 64 and values of 512 characters";
    RESPONSES_SAFETY_IDENTIFIER = Responses "responses-safety-identifier" Refused RESPONSES "a text of at most 128 characters";
    RESPONSES_VALUE = Responses "responses-value" Refused RESPONSES "one of the values of the key";
    RESPONSES_SAMPLING = Responses "responses-sampling" Refused LATEST by "sampling" "no sampling parameter but the default value";
    RESPONSES_EFFORT = Responses "responses-effort" Refused LATEST by "effort_none" "an effort that the model takes";

    // Gemini's generateContent.
    GEMINI_CONTENTS = GenerateContent "gemini-contents" Refused GEMINI "a list of at least one content";
    GEMINI_ROLE = GenerateContent "gemini-role" Refused GEMINI "user or model";
    GEMINI_PART = GenerateContent "gemini-part" Refused GEMINI "one kind of data in each part";
    GEMINI_RESPONSE_COUNT = GenerateContent "gemini-response-count" Refused CALLING "as many function responses as calls, in the next content";
    GEMINI_OBJECT = GenerateContent "gemini-object" Refused GEMINI "an object";
    GEMINI_FUNCTION_NAME = GenerateContent "gemini-function-name" Refused CALLING "a name that begins with a letter or an underscore";
    GEMINI_SIGNATURE = GenerateContent "gemini-signature" Refused SIGNATURES by "signed_calls" "the thought signature on the first call of each step of the current turn";
    GEMINI_THINKING = GenerateContent "gemini-thinking" Refused THINKING "a thinking level or a budget, never both";
    GEMINI_BUDGET = GenerateContent "gemini-budget" Refused THINKING by "generation" "a thinking level on Gemini 4";
    GEMINI_MINIMAL = GenerateContent "gemini-minimal" Refused THINKING by "generation" "a thinking level above MINIMAL on Gemini 4";
    GEMINI_PENALTY = GenerateContent "gemini-penalty" Refused THINKING by "generation" "no penalties and one candidate on Gemini 4";
}
