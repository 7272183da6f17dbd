//! A response's running calls. Their results are appended in the model's order,
//! whatever the order in which they end.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use aside_messages::conversation::{EntryDraft, EntryId, Origin, Part, ToolCall};
use aside_messages::one_line;
use aside_messages::wire::{ContentBlock, ResultContent, Role, ToolResult};
use aside_session::FileRead;
use futures_util::FutureExt;

use crate::tool::{FileUse, Tool, ToolOutput};

/// How many calls in one response run concurrently.
pub(crate) const MAX_CONCURRENT_CALLS: usize = 16;

/// In the model's order, each with its end once it has ended.
#[derive(Debug)]
pub(crate) struct Running {
    /// The calls not taken out yet, each with its end.
    calls: VecDeque<(ToolCall, Option<Ended>)>,
    /// How many calls were taken out.
    taken: usize,
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) output: ToolOutput,
    /// The messages that the call removes.
    pub(crate) snipped: Vec<EntryId>,
}

impl Running {
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        let calls = calls.into_iter().map(|call| (call, None));
        Self { calls: calls.collect(), taken: 0 }
    }

    /// Records that the call at `index` ended.
    pub(crate) fn end(&mut self, index: usize, end: Ended) {
        let place = index - self.taken;
        if let Some((_, ended)) = self.calls.get_mut(place) {
            *ended = Some(end);
        }
    }

    /// Returns what the first remaining call read, once it has ended.
    pub(crate) fn first_reads(&self) -> Option<Vec<FileRead>> {
        let (_, ended) = self.calls.front()?;
        ended.as_ref().map(|ended| ended.output.read.clone())
    }

    /// Returns the first remaining call and its entries, once it has ended: its
    /// result, and the messages that it removes. They are appended together, so
    /// the model never reads of a removal that did not take place.
    pub(crate) fn take_first(
        &mut self,
    ) -> Option<(ToolCall, impl Iterator<Item = EntryDraft> + use<>)> {
        let (_, ended) = self.calls.front_mut()?;
        let Ended { output, snipped } = ended.take()?;
        let (call, _) = self.calls.pop_front()?;
        self.taken += 1;
        let snip = (!snipped.is_empty()).then(|| EntryDraft::snip(snipped));
        let entries = std::iter::once(result(&call, output)).chain(snip);
        Some((call, entries))
    }

    /// Ends all remaining calls, with the error `why` for those that have not ended.
    pub(crate) fn give_up(&mut self, why: impl Fn(&ToolCall) -> &'static str) {
        for (call, ended) in &mut self.calls {
            ended.get_or_insert_with(|| Ended {
                output: ToolOutput::error(why(call)),
                snipped: Vec::new(),
            });
        }
    }
}

/// Returns the file that a call is about, if its input is an object.
pub(crate) fn file(tool: Option<&Arc<dyn Tool>>, call: &ToolCall) -> Option<FileUse> {
    let (tool, input) = (tool?, call.input.object().ok()?);
    std::panic::catch_unwind(AssertUnwindSafe(|| tool.file(&input))).ok()?
}

/// Returns the calls before the last one that it has to wait for.
pub(crate) fn conflicts(files: &[Option<FileUse>]) -> Vec<usize> {
    let Some((Some(last), earlier)) = files.split_last() else {
        return Vec::new();
    };
    let is_same = |it: &FileUse| it.path == last.path && (it.is_changed || last.is_changed);
    let conflicting = earlier.iter().enumerate();
    conflicting.filter(|(_, it)| it.as_ref().is_some_and(is_same)).map(|(at, _)| at).collect()
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

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason was given")
}

pub(crate) fn result(call: &ToolCall, output: ToolOutput) -> EntryDraft {
    let ToolOutput { mut content, is_error, read: _, snipped: _, delegated: _ } = output;
    // These blocks are not allowed in a result.
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
