//! What a request is about besides its body.

use aside_models::Platform;

use crate::rule::ApiVersion;

/// Facts about a request that its body does not contain. Everything is
/// optional: a rule that depends on an unknown fact reports [`RuleLevel::Needs`](crate::RuleLevel::Needs),
/// or is counted in [`Checked::not_checked`](crate::Checked::not_checked).
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
    /// The version of the API, from the header `anthropic-version`.
    ///
    /// If it is `None` and the body is one of a cloud, `2023-06-01` is assumed,
    /// because some models of Bedrock refuse a newer version, and no source states
    /// that Google Cloud accepts one.
    pub version: Option<ApiVersion>,
    /// The betas of the header `anthropic-beta`: an empty list if the request
    /// has none, `None` if they are unknown.
    ///
    /// A body for `InvokeModel` or Google Cloud that has a list
    /// `anthropic_beta` needs no header. White space around a name is ignored.
    pub betas: Option<Vec<String>>,
    /// The model, if it differs from the one in the body.
    ///
    /// The clouds have the model in the address, not in the body. An id that
    /// the catalogue of models does not have switches the rules about models
    /// off, which is counted under the topic `model-rules`.
    pub model: Option<String>,
    /// The platform that receives the request.
    ///
    /// If it is `None`, the body decides: `anthropic_version` names Bedrock or
    /// Google Cloud, a model id with `anthropic.` Bedrock's Messages endpoint.
    /// Otherwise, the request may be for the Claude API, the AWS Platform or
    /// Foundry, and a rule applies only if all three have it.
    pub platform: Option<Platform>,
    /// The endpoint that receives the request.
    pub endpoint: ApiEndpoint,
}

/// An endpoint of the API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApiEndpoint {
    /// `POST /v1/messages`
    #[default]
    Messages,
    /// `POST /v1/messages/count_tokens`
    ///
    /// Takes fewer keys (no `max_tokens`, no `stream`), and accepts a last
    /// message of the assistant.
    CountTokens,
}
