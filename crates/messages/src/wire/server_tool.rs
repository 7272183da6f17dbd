//! Tools that the provider runs: their calls and results are in the model's own
//! message. Source: the public documentation on server tools and on the stop
//! reason `pause_turn`.

use std::collections::HashSet;

use serde::Deserialize;

use super::block::Other;

/// A call, as in `{"type":"server_tool_use","id":"srvtoolu_1",…}`.
#[derive(Deserialize)]
struct Call {
    id: String,
}

/// A result, as in
/// `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1",…}`.
#[derive(Deserialize)]
struct Outcome {
    tool_use_id: String,
}

impl Other {
    /// Returns the call's id if the block calls a tool that the provider runs.
    #[must_use]
    pub fn server_call(&self) -> Option<String> {
        if !matches!(self.kind(), "server_tool_use" | "mcp_tool_use") {
            return None;
        }
        let call: Call = serde_json::from_str(self.raw().get()).ok()?;
        Some(call.id)
    }

    /// Returns the call's id if the block is a server tool's result.
    #[must_use]
    pub fn server_result(&self) -> Option<String> {
        if !self.kind().ends_with("_tool_result") {
            return None;
        }
        let outcome: Outcome = serde_json::from_str(self.raw().get()).ok()?;
        Some(outcome.tool_use_id)
    }
}

/// Returns true for a paused response, which you send back as it is for the
/// provider to continue: it ends with a block from a tool that the provider
/// runs, or such a call has no result. `blocks` are the response's, `None` for
/// each block that is not an [`Other`].
///
/// A request may end with such a response; the stop reason was `pause_turn`.
pub fn is_paused<'a>(blocks: impl DoubleEndedIterator<Item = Option<&'a Other>> + Clone) -> bool {
    let is_of_server =
        |block: &Other| block.server_call().is_some() || block.server_result().is_some();
    if blocks.clone().next_back().flatten().is_some_and(is_of_server) {
        return true;
    }
    !pending_calls(blocks).is_empty()
}

/// Returns the ids of the calls without a result. `blocks` are a response's, as
/// for [`is_paused`].
///
/// Only the rest of the response, or results of other calls, may follow them.
pub fn pending_calls<'a>(
    blocks: impl Iterator<Item = Option<&'a Other>> + Clone,
) -> HashSet<String> {
    let results: HashSet<String> =
        blocks.clone().flatten().filter_map(Other::server_result).collect();
    let calls = blocks.flatten().filter_map(Other::server_call);
    calls.filter(|call| !results.contains(call)).collect()
}
