//! Selects a command's provider, from arguments and the environment. Commands
//! that send a request and those that only show it use the same one.

use aside_host::{CompatibleKeys, Invocation, ProviderSelection};
use aside_providers::{AnswerLimit, Provider};

use crate::Failure;
use crate::arguments::RequestArguments;

/// Selects the provider. The argument takes precedence over the environment.
///
/// The settings' betas come first, then `--beta`.
///
/// # Errors
/// When the selection is ambiguous, such as variables for two providers, this
/// is a usage error.
pub(crate) fn select(
    invocation: &Invocation,
    request: &RequestArguments,
) -> Result<ProviderSelection, Failure> {
    ProviderSelection::new(request.provider, invocation.environment.clone())
        .map(|selection| {
            let betas = [&invocation.settings.betas[..], &request.beta].concat();
            let keys = CompatibleKeys {
                answer_limit: if request.max_tokens_key {
                    AnswerLimit::MaxTokens
                } else {
                    AnswerLimit::MaxCompletionTokens
                },
                no_prompt_cache_key: request.no_prompt_cache_key,
            };
            selection.with_betas(betas).with_compatible_keys(keys)
        })
        .map_err(|error| Failure::usage(error.into()))
}

/// Returns the context for an error that lists broken rules.
pub(crate) fn refused(provider: Provider) -> String {
    format!("{provider} would refuse the request")
}
