use aside_messages::wire::{ContentBlock, MediaSource, Request, ResultContent};
use aside_messages::{TokenEstimate, estimate_tokens};
use aside_providers::{CountBody, Options, Wire, count_tokens};
use aws_smithy_types::base64;
use serde::Deserialize;

use crate::call::Call;
use crate::endpoint::Endpoint;
use crate::error::{TransportError, TransportErrorKind};
use crate::http::Http;

/// The number of tokens in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Counted by the provider.
    Counted(u64),
    /// Estimated, because the provider does not count: texts, schemas and
    /// inputs by [`estimate_tokens`], every image and document as 1,600 tokens.
    Estimated(TokenEstimate),
}

/// The tokens of an image of usual size, by Anthropic's documentation.
const TOKENS_OF_MEDIA: TokenEstimate = TokenEstimate::of_tokens(1_600);

#[derive(Deserialize)]
struct Count {
    #[serde(alias = "inputTokens")]
    input_tokens: u64,
}

impl Http {
    /// Counts the tokens of a request without a response to it. Anthropic,
    /// Bedrock, Vertex and Foundry count; for other providers this returns an
    /// estimate.
    ///
    /// # Errors
    /// If the provider does not respond. An estimate never fails.
    pub async fn count_tokens(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        options: &Options,
    ) -> Result<Tokens, TransportError> {
        let counting = count_tokens(request, endpoint.provider(), options);
        let counting = counting.map_err(|refused| TransportError::new(refused.into(), endpoint))?;
        let Some(mut counting) = counting else {
            return Ok(Tokens::Estimated(estimate(request)));
        };
        if let Wire::Messages(dialect) = counting.wire
            && dialect.count == CountBody::InvokeModel
        {
            let inner = base64::encode(counting.body());
            let body = format!(r#"{{"input":{{"invokeModel":{{"body":"{inner}"}}}}}}"#);
            counting.segments = vec![body.into()];
        }
        let call = Call::new(endpoint, &counting)?;
        let (response, sent) = self.post(&call).await?;
        let status = response.status().as_u16();
        let failed = |kind| {
            TransportError::new(kind, endpoint)
                .answered(status, None, None)
                .sent(sent)
        };
        let body = self.whole(response).await.map_err(failed)?;
        let count: Count = serde_json::from_slice(&body).map_err(|error| {
            failed(TransportErrorKind::Malformed(format!(
                "expected a count of tokens: {error}"
            )))
        })?;
        Ok(Tokens::Counted(count.input_tokens))
    }
}

/// Estimates the tokens of a request.
fn estimate(request: &Request) -> TokenEstimate {
    let tools = request.tools.iter().map(|tool| {
        let schema = tool.input_schema.as_ref().map_or("", |schema| schema.get());
        let description = tool.description.as_deref().unwrap_or_default();
        estimate_tokens(&tool.name) + estimate_tokens(description) + estimate_tokens(schema)
    });
    let messages = request.messages.iter().flat_map(|message| &message.content);
    let blocks = request.system.iter().chain(messages).map(block);
    tools.chain(blocks).sum()
}

fn block(block: &ContentBlock) -> TokenEstimate {
    match block {
        ContentBlock::Text(text) => estimate_tokens(&text.text),
        ContentBlock::Thinking(thinking) => estimate_tokens(&thinking.thinking),
        ContentBlock::ToolUse(call) => {
            estimate_tokens(&call.name) + estimate_tokens(call.input.get())
        }
        ContentBlock::ToolResult(result) => match &result.content {
            ResultContent::Text(text) => estimate_tokens(text),
            // The blocks of a result hold no results, so the recursion ends here.
            ResultContent::Blocks(blocks) => blocks.iter().map(self::block).sum(),
        },
        ContentBlock::Document(document) => match &document.source {
            MediaSource::Text { data, .. } => estimate_tokens(data),
            MediaSource::Content { content } => estimate_tokens(content.get()),
            _ => TOKENS_OF_MEDIA,
        },
        ContentBlock::Image(_) => TOKENS_OF_MEDIA,
        ContentBlock::Other(other) => estimate_tokens(other.raw().get()),
        _ => TokenEstimate::ZERO,
    }
}
