//! What a request has before its messages. It is built and encoded once, and all requests share it
//! until tools or prompt change.

use std::sync::{Arc, OnceLock};

use aside_cache_split::{Layout, Split, SplitBlock, SplitInputs, split};
use aside_messages::encode::Encoded;
use aside_messages::wire::{Request, Tool};
use aside_models::TokenEstimate;
use aside_prompt_sections::{PromptRule, SystemPrompt};

use crate::clear_tool_uses::ClearToolUses;
use crate::config::{PromptMode, SessionConfig};
use crate::tools::SessionTool;

/// What a request has before its messages.
#[derive(Debug)]
pub(crate) struct Prefix {
    /// Parameters, without tools, system prompt and messages.
    pub(crate) parameters: Arc<Request>,
    /// The system prompt in blocks, with their layers.
    pub(crate) split: Split,
    /// The list of tools, as bytes.
    pub(crate) tools: Arc<Encoded>,
    /// The system prompt's blocks, as bytes.
    pub(crate) system: Arc<Encoded>,
    /// The estimated tokens in both, if they were asked for.
    pub(crate) tokens: OnceLock<TokenEstimate>,
}

/// What a [`Prefix`] is made from, except the tools, which may change.
#[derive(Debug)]
pub(crate) struct Frame {
    parameters: Arc<Request>,
    layout: Layout,
    /// True if all users may share cached static blocks.
    global_scope: bool,
    /// The first block's text, which identifies the client; absent in simple mode.
    attribution: Option<String>,
    /// The sentence that names the product; absent with an override and in simple mode.
    identity: Option<&'static str>,
    /// The whole system prompt, before it is split.
    pub(crate) prompt: SystemPrompt,
}

impl Frame {
    /// Creates the frame with the prompt that `rule` chose.
    pub(crate) fn new(config: &SessionConfig, rule: PromptRule, prompt: SystemPrompt) -> Self {
        let is_simple = config.mode == PromptMode::Simple;
        // An override is the whole prompt.
        let has_identity = !is_simple && rule != PromptRule::Override;
        Self {
            parameters: Arc::new(Request {
                model: config.model.clone(),
                max_tokens: Some(config.max_tokens),
                cache_control: config.cache.automatic(),
                context_management: config.clearing().map(ClearToolUses::to_parameter),
                ..Request::default()
            }),
            layout: config.layout,
            global_scope: config.cache.global_scope().is_usable(),
            attribution: config.attribution.clone().filter(|_| !is_simple),
            identity: has_identity.then_some(config.product.identity),
            prompt,
        }
    }

    /// Returns the prefix with these tools.
    ///
    /// Encodes tools and system prompt, so call this only when one of them changes.
    pub(crate) fn around(&self, tools: &[SessionTool]) -> Prefix {
        let split = split(
            &self.prompt,
            SplitInputs {
                layout: self.layout,
                global_scope: self.global_scope,
                mcp_tools_in_prefix: tools.iter().any(SessionTool::is_mcp_in_prefix),
                attribution: self.attribution.as_deref(),
                identity: self.identity,
            },
        );
        let (system, sources): (Vec<_>, Vec<_>) =
            split.blocks.iter().map(SplitBlock::to_wire).unzip();
        let tools: Vec<Tool> = tools.iter().map(|tool| tool.tool.clone()).collect();
        Prefix {
            parameters: self.parameters.clone(),
            tools: Arc::new(Encoded::tools(tools)),
            system: Arc::new(Encoded::system(system, sources)),
            split,
            tokens: OnceLock::new(),
        }
    }
}
