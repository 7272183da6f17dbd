//! Counting tokens: by the provider if it counts, else estimated.

use aside_messages::wire::Request;
use aside_messages::{TokenEstimate, estimate_block, estimate_tool};
use aside_models::find;
use aside_providers::{CountBody, Options, WireDialect, count_tokens};
use aws_smithy_types::base64;
use serde::Deserialize;

use super::Http;
use super::call::Call;
use super::endpoint::Endpoint;
use super::error::{TransportError, TransportErrorKind};

/// How many tokens a request has.
///
/// Show an estimate as one, for example with a tilde.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Counted by the provider.
    Counted(u64),
    /// Estimated, because the provider does not count: tools by
    /// [`estimate_tool`], content blocks by [`estimate_block`].
    Estimated(TokenEstimate),
}

/// How a provider responds when asked to count; Bedrock's key is in camel case.
#[derive(Deserialize)]
struct Count {
    #[serde(alias = "inputTokens")]
    input_tokens: u64,
}

impl Http {
    /// Counts a request's tokens without running the model. Anthropic, Bedrock,
    /// Vertex and Foundry count; for other providers this returns an estimate.
    ///
    /// # Errors
    /// The provider does not respond. An estimate never fails.
    pub async fn count_tokens(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        options: &Options,
    ) -> Result<Tokens, TransportError> {
        let counting = count_tokens(request, endpoint.provider(), options)
            .map_err(|refused| TransportError::new(refused.into(), endpoint))?;
        let Some(mut counting) = counting else {
            return Ok(Tokens::Estimated(estimate(request)));
        };
        if let WireDialect::Messages(dialect) = counting.wire
            && dialect.count == CountBody::InvokeModel
        {
            let inner = base64::encode(counting.body());
            let body = format!(r#"{{"input":{{"invokeModel":{{"body":"{inner}"}}}}}}"#);
            counting.segments = vec![body.into()];
        }
        let call = Call::new(endpoint, &counting)?;
        let (response, sent) = self.post(&call).await?;
        let status = response.status().as_u16();
        let failed =
            |kind| TransportError::new(kind, endpoint).answered(status, None, None).sent(sent);
        let body = self.whole(response).await.map_err(failed)?;
        let count: Count = serde_json::from_slice(&body).map_err(|error| {
            failed(TransportErrorKind::Malformed(format!("expected a count of tokens: {error}")))
        })?;
        Ok(Tokens::Counted(count.input_tokens))
    }
}

/// Estimates a request's tokens, as its model counts.
///
/// This includes tools, the system prompt and all messages.
fn estimate(request: &Request) -> TokenEstimate {
    let family = find(&request.model).facts.estimated_tokenizer();
    let tools = request.tools.iter().map(|it| estimate_tool(it, family));
    let messages = request.messages.iter().flat_map(|message| &message.content);
    let blocks = request.system.iter().chain(messages);
    tools.chain(blocks.map(|it| estimate_block(it, family))).sum()
}
