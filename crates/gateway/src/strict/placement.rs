//! The rules of system messages in mid-conversation: places, turn-scoped
//! messages, tool changes and effort by message.
//!
//! Source: the platform documentation on mid-conversation system messages and
//! tool changes, and the texts of live refusals of October 2026.

use aside_models::{ModelFacts, Platform};

use super::body::{Block, Message, RequestBody};
use super::error::ApiError;
use super::request::StrictRequest;

const CLEAR_AT: &str = "mid-conversation-system-clear-at-2026-08-21";
const TOOL_CHANGES: &str = "mid-conversation-tool-changes-2026-07-01";
const INLINE_TOOLS: &str = "inline-tools-2026-09-15";
const OUTPUT_CONFIG: &str = "mid-conversation-output-config-2026-07-01";

const DIRECTIVE: &str = "the directive-only form (content: [] with output_config) is accepted at \
                         any position";

/// What the rules depend on besides the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement<'a> {
    pub(crate) body: &'a RequestBody<'a>,
    pub(crate) request: &'a StrictRequest<'a>,
    pub(crate) facts: &'a ModelFacts,
    pub(crate) platform: Platform,
}

impl Placement<'_> {
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        for (index, message) in self.body.messages.iter().enumerate() {
            let at = format!("messages.{index}");
            self.keys(&at, message)?;
            if message.role == "system" {
                self.content(&at, message)?;
            } else if let Some(block) = message.content.iter().find(|it| is_tool_change(it)) {
                let kind = &block.kind;
                return refuse(
                    &at,
                    format!("`{kind}` blocks are supported on role 'system' only"),
                );
            }
        }
        self.places()?;
        self.end()
    }

    fn keys(&self, at: &str, message: &Message<'_>) -> Result<(), ApiError> {
        if message.object.get("clear_at").is_some() {
            if !self.request.has_beta(CLEAR_AT) {
                return refuse(&format!("{at}.clear_at"), "Extra inputs are not permitted");
            }
            if message.role != "system" {
                return refuse(at, "clear_at is only permitted on role 'system' messages");
            }
            if self.facts.clear_at.known_on(self.platform) == Some(false) {
                return refuse(at, "clear_at is not supported on this model");
            }
            let value = message.object.text("clear_at");
            if !matches!(value.as_deref(), Some("next_user_message" | "never")) {
                let path = format!("{at}.clear_at");
                return refuse(&path, "Input should be 'next_user_message' or 'never'");
            }
        }
        if message.object.get("output_config").is_some() {
            if message.role != "system" || !self.request.has_beta(OUTPUT_CONFIG) {
                let path = format!("{at}.output_config");
                return refuse(&path, "Extra inputs are not permitted");
            }
            if self.facts.message_effort.known_on(self.platform) == Some(false) {
                return refuse(
                    at,
                    "output_config.effort requires a model that supports per-turn effort; this \
                     model does not",
                );
            }
        }
        Ok(())
    }

    fn content(&self, at: &str, message: &Message<'_>) -> Result<(), ApiError> {
        if self.facts.system_messages.known_on(self.platform) == Some(false) {
            return refuse(at, "role 'system' is not supported on this model");
        }
        if message.content.is_empty() && !is_directive(message) {
            return refuse(at, "system content must contain at least one block");
        }
        if message.is_turn_scoped() && message.object.get("output_config").is_some() {
            return refuse(
                at,
                "output_config is not permitted on a turn-scoped system message",
            );
        }
        for (index, block) in message.content.iter().enumerate() {
            if block.kind != "text" && !is_tool_change(block) {
                return refuse(
                    at,
                    "role 'system' supports text, tool_addition, and tool_removal blocks only",
                );
            }
            if message.is_turn_scoped() {
                turn_scoped(at, index, block)?;
            }
            if is_tool_change(block) {
                self.tool_change(&format!("{at}.content.{index}"), block)?;
            }
        }
        Ok(())
    }

    fn tool_change(&self, at: &str, block: &Block<'_>) -> Result<(), ApiError> {
        let kind = &block.kind;
        let tool = block.object.object("tool").unwrap_or_default();
        let form = tool.text("type").unwrap_or_default();
        let beta = match form.as_str() {
            "tool_definition" => INLINE_TOOLS,
            _ => TOOL_CHANGES,
        };
        if !self.request.has_beta(beta) {
            return refuse(
                at,
                format!(
                    "Input tag '{kind}' found using 'type' does not match any of the expected tags"
                ),
            );
        }
        let support = match form.as_str() {
            "tool_definition" => self.facts.inline_tools,
            _ => self.facts.tool_changes,
        };
        if support.known_on(self.platform) == Some(false) {
            return refuse(at, format!("`{kind}` is not supported on this model"));
        }
        match form.as_str() {
            "tool_reference" => {
                let name = tool.text("name").unwrap_or_default();
                let mut tools = self.body.tools.iter();
                if tools.any(|it| it.object.text("name").as_deref() == Some(&*name)) {
                    return Ok(());
                }
                let text = format!("{at}.tool: tool '{name}' is not defined in `tools`");
                Err(ApiError::invalid(text).with_code("tool_reference_unresolved"))
            }
            "tool_definition" if kind == "tool_addition" => Ok(()),
            "mcp_tool_reference" | "mcp_toolset_reference" => Ok(()),
            _ => refuse(
                &format!("{at}.tool"),
                "Input tag does not match any of the expected tags",
            ),
        }
    }

    /// Judges each run of system messages as one group.
    fn places(&self) -> Result<(), ApiError> {
        let messages = self.body.messages.iter().enumerate();
        let all: Vec<_> = messages.filter(|(_, it)| !is_directive(it)).collect();
        let mut groups = all.chunk_by(|(_, a), (_, b)| is_system(a) == is_system(b));
        let mut before: Option<&Message<'_>> = None;
        let mut group = groups.next();
        while let Some(messages) = group {
            group = groups.next();
            let (first, message) = messages[0];
            let (last, end) = messages[messages.len() - 1];
            if is_system(message) {
                let changes = messages
                    .iter()
                    .any(|(_, it)| it.content.iter().any(is_tool_change));
                let follows = match before {
                    None => {
                        let text =
                            "use the top-level 'system' parameter for the initial system prompt";
                        return refuse(
                            &format!("messages.{first}"),
                            format!("{text}; {DIRECTIVE}"),
                        );
                    }
                    Some(before) => {
                        before.role == "user" || (before.ends_in_server_result() && !changes)
                    }
                };
                if !follows {
                    let text = "role 'system' must follow a 'user' message or an 'assistant' \
                                message ending in a server tool result";
                    return refuse(&format!("messages.{first}"), format!("{text}; {DIRECTIVE}"));
                }
                if group.is_some_and(|next| next[0].1.role != "assistant") {
                    let text = "role 'system' must precede an 'assistant' message or end the array";
                    return refuse(&format!("messages.{last}"), format!("{text}; {DIRECTIVE}"));
                }
            }
            before = Some(end);
        }
        Ok(())
    }

    /// Refuses the beginning of an answer, where the model takes none.
    fn end(&self) -> Result<(), ApiError> {
        let mut messages = self.body.messages.iter().rev();
        let last = messages.find(|message| !is_directive(message));
        let is_prefill = |last: &Message<'_>| {
            last.role == "assistant"
                && !last.ends_in_server_result()
                && last.content.last().is_none_or(|it| it.kind != "compaction")
        };
        // A compaction continues nothing.
        let is_compaction = self.body.parameters.get("compaction").is_some();
        let takes_none = self.facts.prefill == Some(false) && !is_compaction;
        if takes_none && last.is_some_and(is_prefill) {
            return Err(ApiError::invalid(
                "This model does not support assistant message prefill. The conversation must \
                 end with a user message.",
            ));
        }
        Ok(())
    }
}

fn turn_scoped(at: &str, index: usize, block: &Block<'_>) -> Result<(), ApiError> {
    if block.kind != "text" {
        return refuse(
            at,
            "a turn-scoped system message supports text blocks only (clear_at: \
             'next_user_message')",
        );
    }
    if block.marker().is_some() {
        return refuse(
            &format!("{at}.content.{index}"),
            "cache_control is not permitted on a turn-scoped system message",
        );
    }
    Ok(())
}

fn is_system(message: &Message<'_>) -> bool {
    message.role == "system"
}

fn is_directive(message: &Message<'_>) -> bool {
    is_system(message)
        && message.content.is_empty()
        && message.object.get("output_config").is_some()
}

fn is_tool_change(block: &Block<'_>) -> bool {
    matches!(&*block.kind, "tool_addition" | "tool_removal")
}

fn refuse<T>(at: &str, text: impl std::fmt::Display) -> Result<T, ApiError> {
    Err(ApiError::invalid(format!("{at}: {text}")))
}
