//! `aside context --exact`: how many tokens the provider itself counts for one
//! request.
//!
//! This sends the request to the token-counting endpoint, which needs a key and
//! the `network` feature, and uses the result as the report's total. Tokens per
//! part remain estimates.

use anyhow::{Context as _, anyhow};
use aside_inspect::Report;
use aside_messages::wire::Request;

use crate::Failure;
use crate::arguments::Context;
use crate::provider;
use crate::render::Next;
use crate::session;

/// Counts the tokens in this directory's next request, or in a file's.
///
/// The arguments and the environment select the provider, whatever wire the
/// file has.
///
/// # Errors
/// Fails with exit code 1 when the file is not a Messages API body, or when the
/// provider refuses it.
pub(super) fn counted(
    report: Report,
    body: &[u8],
    next: Option<&Next>,
    arguments: &Context,
) -> Result<Report, Failure> {
    let tokens = match next {
        Some(next) => count(&next.selection, &next.prepared.request())?,
        None => {
            let invocation = session::look(&arguments.next.session)?;
            let selection = provider::select(&invocation, &arguments.next.request)?;
            let request = Request::parse(body);
            let request = request.context("failed to count: not a body of the Messages API")?;
            count(&selection, &request.value)?
        }
    };
    Ok(report.with_exact_tokens(tokens))
}

/// Counts a request's tokens. The progress line names the provider to send it
/// to.
///
/// # Errors
/// Without a key, or when the provider has no such endpoint, this is a usage
/// error; a failed request is not.
#[cfg(feature = "network")]
fn count(selection: &aside_host::ProviderSelection, request: &Request) -> Result<u64, Failure> {
    let provider = selection.provider();
    if selection.serving().is_none() {
        return Err(Failure::usage(anyhow!(
            "failed to count: no key of a provider is set, such as ANTHROPIC_API_KEY"
        )));
    }
    crate::output::progress("count_tokens", &format!("sending the request to {provider}"));
    let counted = selection.count_tokens(request);
    let counted =
        crate::interrupt::block_on(counted)?.map_err(|error| anyhow!("failed to {error}"))?;
    counted.ok_or_else(|| Failure::usage(anyhow!("failed to count: {provider} cannot count")))
}

/// Fails: this program was built without network.
#[cfg(not(feature = "network"))]
fn count(_selection: &aside_host::ProviderSelection, _request: &Request) -> Result<u64, Failure> {
    Err(Failure::usage(anyhow!("failed to count: built without the feature network")))
}
