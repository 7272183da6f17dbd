use aside_messages::wire::{ContentBlock, MediaSource, Request, ResultContent};
use aside_messages::{TokenEstimate, estimate_tokens};
use aside_providers::{Options, Provider, count_tokens_body};
use aws_smithy_types::base64;
use serde::Deserialize;

use crate::call::Call;
use crate::endpoint::{Ask, Endpoint};
use crate::error::{Error, ErrorKind};
use crate::http::Http;

/// How many tokens a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// The provider has counted them.
    Counted(u64),
    /// The provider does not count. Texts, schemas and inputs by
    /// [`estimate_tokens`]; every image and document at 1,600.
    Estimated(TokenEstimate),
}

/// What an image of the usual size costs, by Anthropic's documentation.
const MEDIUM: TokenEstimate = TokenEstimate::of_tokens(1_600);

#[derive(Deserialize)]
struct Count {
    #[serde(alias = "inputTokens")]
    input_tokens: u64,
}

impl Http {
    /// Counts the tokens of a request, without an answer to it; where the
    /// provider cannot, an estimate. Anthropic, Bedrock, Vertex and Foundry
    /// count.
    ///
    /// # Errors
    /// Where the provider does not answer. An estimate never fails.
    pub async fn count_tokens(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        options: &Options,
    ) -> Result<Tokens, Error> {
        let provider = endpoint.provider();
        let Some(mut body) = count_tokens_body(request, provider, options) else {
            return Ok(Tokens::Estimated(estimate(request)));
        };
        if provider == Provider::Bedrock {
            let inner = base64::encode(&body);
            body = format!(r#"{{"input":{{"invokeModel":{{"body":"{inner}"}}}}}}"#).into_bytes();
        }
        let model = options.models.resolve(provider, &request.model);
        let (betas, version) = (
            options.beta_header(provider),
            options.version_header(provider),
        );
        let call = Call::new(endpoint, &model, Ask::Count, body.into())?.with(betas, version);
        let (response, sent) = self.post(&call).await?;
        let status = response.status().as_u16();
        let failed = |kind| {
            Error::new(kind, endpoint)
                .answered(status, None, None)
                .sent(sent)
        };
        let body = self.whole(response).await.map_err(failed)?;
        let count: Count = serde_json::from_slice(&body).map_err(|error| {
            failed(ErrorKind::Malformed(format!(
                "expected a count of tokens: {error}"
            )))
        })?;
        Ok(Tokens::Counted(count.input_tokens))
    }
}

/// What the texts of a request make.
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
            // Blocks of a result hold no results: it goes no deeper.
            ResultContent::Blocks(blocks) => blocks.iter().map(self::block).sum(),
        },
        ContentBlock::Document(document) => match &document.source {
            MediaSource::Text { data, .. } => estimate_tokens(data),
            MediaSource::Content { content } => estimate_tokens(content.get()),
            _ => MEDIUM,
        },
        ContentBlock::Image(_) => MEDIUM,
        ContentBlock::Other(other) => estimate_tokens(other.raw().get()),
        _ => TokenEstimate::ZERO,
    }
}
