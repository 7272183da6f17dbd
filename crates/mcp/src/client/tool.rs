use std::fmt::Display;
use std::time::Duration;

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, JsonObject,
    RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::connection::request_reason;
use super::content::{CallResult, call_result, error_blocks};
use super::listing::ListedTool;
use super::results::json;
use super::stdio::UNREADABLE;

#[derive(Debug)]
pub(crate) struct ServerTool {
    listed: ListedTool,
    peer: Peer<RoleClient>,
    limit: Duration,
}

impl ServerTool {
    pub(crate) fn new(listed: ListedTool, peer: Peer<RoleClient>, limit: Duration) -> Self {
        Self { listed, peer, limit }
    }

    /// Every failure is for the model.
    async fn result(&self, input: &RawJson) -> Result<CallResult, String> {
        if self.limit.is_zero() {
            return Err(failed("tools are not called here"));
        }
        let arguments: JsonObject = serde_json::from_str(input.get()).map_err(failed)?;
        let request = CallToolRequestParams::new(self.listed.remote_name.clone());
        let call = self.send(request.with_arguments(arguments));
        let Ok(response) = timeout(self.limit, call).await else {
            return Err(failed(format_args!("no result within {} s", self.limit.as_secs())));
        };
        match response {
            Ok(ServerResult::InputRequiredResult(_) | ServerResult::CreateTaskResult(_)) => {
                Err(failed("the server asks for input, which is not supported"))
            }
            Ok(result) => call_result(json(result)).ok_or_else(|| unread("it is not valid")),
            Err(ServiceError::McpError(error)) if error.code == UNREADABLE => {
                Err(unread(error.message))
            }
            Err(ServiceError::McpError(error)) => Err(failed(error.message)),
            Err(error) => Err(failed(request_reason(&error))),
        }
    }

    async fn send(&self, params: CallToolRequestParams) -> Result<ServerResult, ServiceError> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let sent = self.peer.send_cancellable_request(request, options).await?;
        let mut pending = Pending { peer: &self.peer, id: Some(sent.id.clone()) };
        let response = sent.await_response().await;
        pending.id = None;
        response
    }
}

fn failed(why: impl Display) -> String {
    format!("The call failed: {why}")
}

/// The server has answered, so it is likely to have done what the model asked for.
fn unread(why: impl Display) -> String {
    format!("The call may have taken effect, but its result cannot be read: {why}")
}

/// A call without a response. Dropping it tells the server that nobody waits for one.
struct Pending<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let cancelled = CancelledNotificationParam::new(Some(id), None);
            let _ = peer.notify_cancelled(cancelled).await;
        });
    }
}

impl Tool for ServerTool {
    fn name(&self) -> &str {
        &self.listed.tool.name
    }

    fn description(&self) -> &str {
        &self.listed.tool.description
    }

    fn input_schema(&self) -> RawJson {
        let schema = self.listed.tool.input_schema.clone();
        schema.unwrap_or_else(|| {
            RawJson::parse(r#"{"type":"object"}"#).expect("the literal is valid JSON")
        })
    }

    fn is_repeatable(&self) -> bool {
        self.listed.is_repeatable
    }

    fn call<'a>(&'a self, input: &'a RawJson) -> ToolFuture<'a> {
        Box::pin(async {
            match self.result(input).await {
                Ok(CallResult { content, is_error }) => {
                    ToolOutput { content, is_error, ..ToolOutput::default() }
                }
                Err(message) => ToolOutput {
                    content: error_blocks(message),
                    is_error: true,
                    ..ToolOutput::default()
                },
            }
        })
    }
}
