//! The provider of a command, by its arguments and the environment: the same for the
//! commands that send a request and for those that only show it.

use anyhow::Context;
use aside_host::{CompatibleKeys, ProviderSelection};
use aside_messages::wire::{ContentBlock, Message, Request, Role};
use aside_providers::{AnswerLimit, Provider};

use crate::Failure;
use crate::arguments::RequestArguments;
use crate::session::Invocation;

/// Selects the provider. The argument has precedence over the environment.
///
/// The betas are those of the settings, then those of `--beta`.
///
/// # Errors
/// A selection that is not clear, such as variables of two providers, is a usage error.
pub(crate) fn select(
    invocation: &Invocation,
    request: &RequestArguments,
) -> Result<ProviderSelection, Failure> {
    ProviderSelection::new(request.provider, invocation.environment.clone())
        .map(|selection| {
            let betas = [invocation.betas(), &request.beta].concat();
            let keys = CompatibleKeys {
                answer_limit: match request.max_tokens_key {
                    true => AnswerLimit::MaxTokens,
                    false => AnswerLimit::MaxCompletionTokens,
                },
                no_prompt_cache_key: request.no_prompt_cache_key,
            };
            selection.with_betas(betas).with_compatible_keys(keys)
        })
        .map_err(|error| Failure::usage(error.into()))
}

/// Refuses arguments that the provider or the model would refuse in any request, such as
/// a limit of the response above that of the model.
///
/// A request with one short message is converted, so that these rules are those of real
/// requests.
pub(crate) fn check(
    selection: &ProviderSelection,
    arguments: &RequestArguments,
) -> anyhow::Result<()> {
    let provider = selection.provider();
    let request = Request {
        model: arguments.model.clone(),
        max_tokens: arguments.max_tokens,
        messages: vec![Message::new(Role::User, vec![ContentBlock::text("Hi")])],
        ..Request::default()
    };
    aside_providers::convert(&request, provider, &selection.options(None))
        .map(drop)
        .with_context(|| refused(provider))
}

/// Returns the context of an error that lists broken rules.
pub(crate) fn refused(provider: Provider) -> String {
    format!("{provider} would refuse the request")
}
