//! Tools that the provider runs itself: the call and the result stand in the
//! model's own message. Source: the public documentation of server tools and
//! of the stop reason `pause_turn`.

use std::collections::HashSet;

use serde::Deserialize;

use super::block::Other;

#[derive(Deserialize)]
struct Call {
    id: String,
}

#[derive(Deserialize)]
struct Outcome {
    tool_use_id: String,
}

impl Other {
    /// The id of a call of a tool that the provider runs.
    #[must_use]
    pub fn server_call(&self) -> Option<String> {
        if !matches!(self.kind(), "server_tool_use" | "mcp_tool_use") {
            return None;
        }
        let call: Call = serde_json::from_str(self.raw().get()).ok()?;
        Some(call.id)
    }

    /// The id of the call of such a tool that this is the result of.
    #[must_use]
    pub fn server_result(&self) -> Option<String> {
        if !self.kind().ends_with("_tool_result") {
            return None;
        }
        let outcome: Outcome = serde_json::from_str(self.raw().get()).ok()?;
        Some(outcome.tool_use_id)
    }
}

/// Whether an answer of the model was paused, and is to be sent as it is for
/// the provider to go on with it: it ends with a block of a tool that the
/// provider runs, or such a call has no result. `blocks` are those of the
/// answer, `None` for every block of a type that is known here.
pub fn is_paused<'a>(blocks: impl DoubleEndedIterator<Item = Option<&'a Other>> + Clone) -> bool {
    let is_servers =
        |block: &Other| block.server_call().is_some() || block.server_result().is_some();
    if blocks.clone().next_back().flatten().is_some_and(is_servers) {
        return true;
    }
    let results: HashSet<String> = blocks
        .clone()
        .flatten()
        .filter_map(Other::server_result)
        .collect();
    let mut calls = blocks.flatten().filter_map(Other::server_call);
    calls.any(|call| !results.contains(&call))
}
