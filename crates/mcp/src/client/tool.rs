use std::time::Duration;

use aside_agent::{Tool, ToolFuture, ToolOutput};
use aside_messages::wire::RawJson;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResponse, JsonObject};
use rmcp::service::{Peer, ServiceError};
use tokio::time::timeout;

use super::connection::request_reason;
use super::content::{blocks, error_blocks};
use super::listing::ListedTool;

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
    async fn result(&self, input: &RawJson) -> Result<ToolOutput, String> {
        if self.limit.is_zero() {
            return Err("tools are not called here".to_owned());
        }
        let arguments: JsonObject =
            serde_json::from_str(input.get()).map_err(|error| error.to_string())?;
        let request = CallToolRequestParams::new(self.listed.remote_name.clone());
        let call = self.peer.call_tool_once(request.with_arguments(arguments));
        let response = match timeout(self.limit, call).await {
            Ok(response) => response,
            Err(_) => return Err(format!("no result within {} s", self.limit.as_secs())),
        };
        match response {
            Ok(CallToolResponse::Complete(result)) => {
                let is_error = result.is_error == Some(true);
                let content = blocks(result);
                Ok(ToolOutput { content, is_error, ..ToolOutput::default() })
            }
            Ok(_) => Err("the server asks for input, which is not supported".to_owned()),
            Err(ServiceError::McpError(error)) => Err(error.message.into_owned()),
            Err(error) => Err(request_reason(&error)),
        }
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
            let result = self.result(input).await;
            result.unwrap_or_else(|why| ToolOutput {
                content: error_blocks(format!("The call failed: {why}")),
                is_error: true,
                ..ToolOutput::default()
            })
        })
    }
}
