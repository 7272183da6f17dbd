use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use aside_messages::conversation::{EntryDraft, Origin, Part, ToolCall};
use aside_messages::one_line;
use aside_messages::wire::{ContentBlock, ResultContent, Role, ToolResult};
use futures_util::FutureExt;

use crate::tool::{Tool, ToolOutput};

/// How many calls of one answer run at the same time.
pub(crate) const AT_ONCE: usize = 16;

/// Calls that are running, in the order in which the model made them, each
/// with what it came to.
#[derive(Debug)]
pub(crate) struct Running {
    calls: VecDeque<(ToolCall, Option<ToolOutput>)>,
    /// How many were taken out.
    taken: usize,
}

impl Running {
    pub(crate) fn new(calls: Vec<ToolCall>) -> Self {
        let calls = calls.into_iter().map(|call| (call, None));
        Self {
            calls: calls.collect(),
            taken: 0,
        }
    }

    /// Notes what the call at `index` came to.
    pub(crate) fn ended(&mut self, index: usize, output: ToolOutput) {
        let place = index - self.taken;
        if let Some((_, ended)) = self.calls.get_mut(place) {
            *ended = Some(output);
        }
    }

    /// The result of the first call that is left, once it has ended.
    pub(crate) fn take_first(&mut self) -> Option<EntryDraft> {
        let (_, output) = self.calls.front_mut()?;
        let output = output.take()?;
        let (call, _) = self.calls.pop_front()?;
        self.taken += 1;
        Some(result(&call, output))
    }

    /// The results of all that are left; `why` stands for those that have not
    /// ended.
    pub(crate) fn give_up(self, why: &'static str) -> impl Iterator<Item = EntryDraft> {
        let calls = self.calls.into_iter();
        calls.map(move |(call, output)| {
            result(&call, output.unwrap_or_else(|| ToolOutput::error(why)))
        })
    }
}

/// Runs a call. Whatever goes wrong is said to the model.
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
        let why = format!("The tool failed: it panicked: {}", said(&*panic));
        ToolOutput::error(why)
    })
}

/// What a panic said.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it did not say why")
}

/// The entry of a result.
pub(crate) fn result(call: &ToolCall, output: ToolOutput) -> EntryDraft {
    let ToolOutput {
        mut content,
        is_error,
        read: _,
    } = output;
    // What no result can hold.
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
