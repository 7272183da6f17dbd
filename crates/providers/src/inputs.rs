//! What a request has before its messages, to notice when it is the same as in the last one.

use std::sync::Arc;

use aside_messages::encode::{BodyParts, Encoded};
use aside_messages::wire::Request;

#[derive(Debug)]
pub(crate) struct Inputs {
    /// The request without tools, system prompt and messages.
    parameters: Arc<Request>,
    tools: Arc<Encoded>,
    system: Arc<Encoded>,
}

impl Inputs {
    pub(crate) fn of(parts: &BodyParts<'_>) -> Self {
        Self {
            parameters: parts.parameters.clone(),
            tools: parts.tools.clone(),
            system: parts.system.clone(),
        }
    }

    /// Returns true if these are the same allocations. Equal inputs that were built twice count as
    /// different: this costs time but changes no byte.
    pub(crate) fn are_of(&self, parts: &BodyParts<'_>) -> bool {
        Arc::ptr_eq(&self.parameters, parts.parameters)
            && Arc::ptr_eq(&self.tools, parts.tools)
            && Arc::ptr_eq(&self.system, parts.system)
    }
}
