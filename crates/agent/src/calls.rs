//! The running calls of a response. Their results are appended in the order of
//! the model, whatever the order in which they end.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use aside_messages::conversation::{EntryDraft, EntryId, Origin, Part, ToolCall};
use aside_messages::one_line;
use aside_messages::wire::{ContentBlock, ResultContent, Role, ToolResult};
use futures_util::FutureExt;

use crate::tool::{Tool, ToolOutput};

/// The maximum number of calls of one response that run concurrently.
pub(crate) const MAX_CONCURRENT_CALLS: usize = 16;

/// Running calls in the order of the model, each with its end once it has
/// ended.
#[derive(Debug)]
pub(crate) struct Running {
    /// The calls that were not taken out, each with its end.
    calls: VecDeque<(ToolCall, Option<Ended>)>,
    /// The number of calls that were taken out.
    taken: usize,
}

/// The end of a call.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The result for the model.
    pub(crate) output: ToolOutput,
    /// The messages that the call removes.
    pub(crate) snipped: Vec<EntryId>,
}

impl Running {
    /// Starts with calls none of which has ended.
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        let calls = calls.into_iter().map(|call| (call, None));
        Self {
            calls: calls.collect(),
            taken: 0,
        }
    }

    /// Records the end of the call at `index`.
    pub(crate) fn end(&mut self, index: usize, end: Ended) {
        let place = index - self.taken;
        if let Some((_, ended)) = self.calls.get_mut(place) {
            *ended = Some(end);
        }
    }

    /// Returns the entries of the first remaining call, once it has ended.
    pub(crate) fn take_first(&mut self) -> Option<impl Iterator<Item = EntryDraft> + use<>> {
        let (_, ended) = self.calls.front_mut()?;
        let ended = ended.take()?;
        let (call, _) = self.calls.pop_front()?;
        self.taken += 1;
        Some(entries(&call, ended))
    }

    /// Returns the entries of all remaining calls, with an error for those that
    /// have not ended.
    pub(crate) fn give_up(self, why: &'static str) -> impl Iterator<Item = EntryDraft> {
        let calls = self.calls.into_iter();
        calls.flat_map(move |(call, ended)| {
            let interrupted = || Ended {
                output: ToolOutput::error(why),
                snipped: Vec::new(),
            };
            entries(&call, ended.unwrap_or_else(interrupted))
        })
    }
}

/// Returns the entries of a call: its result, and the messages that it removes.
/// They are appended together, so that the model never reads of a removal that
/// did not take place.
fn entries(
    call: &ToolCall,
    Ended { output, snipped }: Ended,
) -> impl Iterator<Item = EntryDraft> + use<> {
    let snip = (!snipped.is_empty()).then(|| EntryDraft::snip(snipped));
    std::iter::once(result(call, output)).chain(snip)
}

/// Runs a call. Every failure becomes a result for the model.
pub(crate) async fn run(tool: Option<Arc<dyn Tool>>, call: ToolCall) -> ToolOutput {
    let Some(tool) = tool else {
        let name = one_line(&call.name);
        return ToolOutput::error(format!("There is no tool of the name {name}."));
    };
    let input = match call.input.object() {
        Ok(input) => input,
        Err(found) => {
            let why = format!("The call was not run. Its input is no JSON object: {found}");
            return ToolOutput::error(why);
        }
    };
    let running = AssertUnwindSafe(async { tool.call(&input).await });
    running.catch_unwind().await.unwrap_or_else(|panic| {
        let why = format!("The tool failed: it panicked: {}", panic_message(&*panic));
        ToolOutput::error(why)
    })
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason was given")
}

/// Returns the entry of a result.
pub(crate) fn result(call: &ToolCall, output: ToolOutput) -> EntryDraft {
    let ToolOutput {
        mut content,
        is_error,
        read: _,
        snipped: _,
        delegated: _,
    } = output;
    // Blocks that are not allowed in a result.
    content.retain(|block| {
        !matches!(
            block,
            ContentBlock::ToolUse(_)
                | ContentBlock::ToolResult(_)
                | ContentBlock::Thinking(_)
                | ContentBlock::RedactedThinking(_)
        )
    });
    let result = ToolResult {
        content: ResultContent::Blocks(content),
        is_error: is_error.then_some(true),
        ..ToolResult::new(call.id.clone(), Vec::new())
    };
    EntryDraft::message(Role::User, Origin::Human, vec![Part::ToolResult(result)])
}
