//! What a check may know about a request besides its body.

use aside_models::Platform;

use crate::rule::ApiVersion;

/// What you know about a request that its body does not say. Everything is optional: a rule that
/// depends on an unknown fact reports [`RuleLevel::Needs`](crate::RuleLevel::Needs), or is counted
/// in [`Checked::not_checked`](crate::Checked::not_checked).
///
/// ```
/// use aside_rules::{ApiVersion, Context, RuleLevel, Wire, check};
///
/// let body = br#"{"model":"claude-haiku-4-5","max_tokens":8,"temperature":0.5,
///     "messages":[{"role":"user","content":"Hi"}]}"#;
/// let level = |context: &Context| check(body, Wire::Messages, context).findings.first().map(|it| it.level);
/// assert_eq!(level(&Context::default()), Some(RuleLevel::Needs));
/// let context = Context { version: Some(ApiVersion::V2026_10_21), ..Context::default() };
/// assert_eq!(level(&context), Some(RuleLevel::Refused));
/// let context = Context { version: Some(ApiVersion::V2023_06_01), ..Context::default() };
/// assert_eq!(level(&context), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The API version, from the header `anthropic-version`.
    ///
    /// If this is `None` and the body is for a cloud, `2023-06-01` is assumed, because some Bedrock
    /// models refuse a newer version, and no source says that Google Cloud accepts one.
    pub version: Option<ApiVersion>,
    /// The betas from the header `anthropic-beta`: an empty list if the request has none, `None` if
    /// they are unknown.
    ///
    /// If the body is for `InvokeModel` or Google Cloud and has a list `anthropic_beta`, you need
    /// no header. White space around a name is ignored.
    pub betas: Option<Vec<String>>,
    /// The model, if it differs from the one in the body.
    ///
    /// Clouds have the model in the address, not in the body. An id that is not in the model
    /// catalogue switches the model rules off, which is counted under the topic `model-rules`.
    pub model: Option<String>,
    /// The platform that receives the request.
    ///
    /// If this is `None`, the body decides: `anthropic_version` means Bedrock or Google Cloud, a
    /// model id with `anthropic.` means Bedrock's Messages endpoint. Otherwise the request may be
    /// for the Claude API, the AWS Platform or Foundry, and a rule applies only if all three have
    /// it.
    pub platform: Option<Platform>,
    /// The endpoint that receives the request.
    pub endpoint: ApiEndpoint,
}

/// An API endpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiEndpoint {
    /// `POST /v1/messages`
    #[default]
    Messages,
    /// `POST /v1/messages/count_tokens`
    ///
    /// Takes fewer keys (no `max_tokens`, no `stream`), and lets the last message be the
    /// assistant's.
    CountTokens,
    /// `POST /v1/messages/batches`, of which the body is one entry's `params`
    ///
    /// Takes neither a stream nor a pre-warm.
    Batches,
}
