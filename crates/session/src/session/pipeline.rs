use std::collections::BTreeSet;
use std::sync::Arc;

use aside_cache_split::{PlanInput, PlanOptions, Rejected, plan};
use aside_diagnostic::Diagnostic;
use aside_messages::conversation::Conversation;
use aside_messages::encode::{BlockRef, Body, BodyParts};
use aside_messages::lower::{LowerOptions, Lowerer, PrefixReset, Tail};

use super::context::Context;
use crate::config::SessionConfig;
use crate::kinds;
use crate::prepare_error::PrepareError;
use crate::prepared::{Prepared, Sent};
use crate::tools::SessionTool;

/// From a conversation to the bytes of a request: lowering, cache markers,
/// prefix resets.
#[derive(Debug)]
pub(super) struct Pipeline {
    lowerer: Lowerer,
    options: LowerOptions,
    /// A change before the messages, and how many requests had been sent by
    /// then.
    changed: Option<(u64, PrefixReset)>,
    /// Markers of the caller that were reported as not sent.
    dropped_markers: BTreeSet<BlockRef>,
}

impl Pipeline {
    pub(super) fn new(options: &LowerOptions, tools: &[SessionTool]) -> Self {
        let options = with_tools(options.clone(), tools);
        Self {
            lowerer: Lowerer::new(options.clone()),
            options,
            changed: None,
            dropped_markers: BTreeSet::new(),
        }
    }

    /// Replaces the tools to which a `tool_reference` may lead.
    pub(super) fn set_tools(&mut self, tools: &[SessionTool]) {
        self.options = with_tools(self.options.clone(), tools);
        self.lowerer.set_options(self.options.clone());
    }

    /// Records that the prefix was reset after `turn` requests. It is reported
    /// until a request with the change was sent.
    pub(super) fn reset(&mut self, turn: u64, reset: PrefixReset) {
        self.changed = Some((turn, reset));
    }

    /// Prepares the request of a conversation, with `sent` at its end.
    pub(super) fn prepare(
        &mut self,
        conversation: &Conversation,
        config: &SessionConfig,
        context: &Context,
        sent: Sent,
        turn: u64,
        mut diagnostics: Vec<Diagnostic>,
    ) -> Result<Prepared, PrepareError> {
        let ephemeral = sent.ephemeral();
        let tail = Tail {
            pending: sent.pending(),
            ephemeral: &ephemeral,
        };
        let lowered = self.lowerer.lower(conversation, tail)?;
        let changed = self.changed.filter(|(at, _)| *at == turn);
        let (gathered, prefix) = (context.gathered(), context.prefix());
        let plan = plan(PlanInput {
            layout: gathered.layout,
            split: &prefix.split,
            tools: &prefix.tools,
            messages: &lowered,
            options: PlanOptions {
                ttl: gathered.ttl.policy,
                caching: config.cache.caching,
                continuation: config.cache.continuation,
                automatic: prefix.parameters.cache_control.as_ref(),
            },
        })?;
        let body = Body::new(BodyParts {
            parameters: &prefix.parameters,
            tools: &prefix.tools,
            system: &prefix.system,
            history: lowered.history(),
            tail: lowered.tail(),
            markers: &plan.markers(),
        })?;
        diagnostics.extend(lowered.diagnostics.iter().map(Diagnostic::from));
        for Rejected { at, why, .. } in plan.dropped() {
            if self.dropped_markers.insert(*at) {
                let message = format!("the caller's marker at {at} is not sent: {why}");
                diagnostics.push(kinds::MARKER_DROPPED.diagnostic(message));
            }
        }
        Ok(Prepared {
            body,
            plan,
            reset: lowered.reset.or(changed.map(|(_, reset)| reset)),
            diagnostics,
            sent,
        })
    }
}

/// Returns the options for these tools: a `tool_reference` to any other tool
/// becomes text.
fn with_tools(options: LowerOptions, tools: &[SessionTool]) -> LowerOptions {
    let names = tools.iter().map(|tool| tool.tool.name.clone());
    LowerOptions {
        tools: Some(Arc::new(names.collect())),
        ..options
    }
}
